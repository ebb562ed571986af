#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The element of an array that can be a column: UInt8 for bytes, Float for a vector, and no other
/// type.
///
/// Its name is a part of the compiler's message for `@Column var tags: [String]`. Any other array
/// is a column as `JSON<[String]>`.
public protocol UInt8OrFloatElseUseJSON: Equatable, Sendable {
  /// Makes an array of the bytes; programs do not use it directly.
  static func _array(_ bytes: UnsafeRawBufferPointer) throws -> [Self]
  /// Returns the bytes of an array; programs do not use it directly.
  static func _data(_ array: [Self]) throws -> Data
}

extension UInt8: UInt8OrFloatElseUseJSON {
  /// Makes an array of the bytes; programs do not use it directly.
  public static func _array(_ bytes: UnsafeRawBufferPointer) -> [UInt8] { Array(bytes) }
  /// Returns the bytes of an array; programs do not use it directly.
  public static func _data(_ array: [UInt8]) -> Data { Data(array) }
}

extension Float: UInt8OrFloatElseUseJSON {
  /// Makes a vector of the bytes, four for each number, little-endian; programs do not use it
  /// directly.
  public static func _array(_ bytes: UnsafeRawBufferPointer) throws -> [Float] {
    guard bytes.count.isMultiple(of: 4) else {
      throw ColumnValueError.invalid("a BLOB of \(bytes.count) bytes", as: [Float].self)
    }
    return stride(from: 0, to: bytes.count, by: 4).map { offset in
      Float(
        bitPattern: UInt32(
          littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
      )
    }
  }

  /// Returns the bytes of a vector, four for each number, little-endian; programs do not use it
  /// directly.
  public static func _data(_ array: [Float]) throws -> Data {
    var data = Data(capacity: array.count * 4)
    for number in array {
      guard number.isFinite else {
        throw ColumnValueError.unstorable(number, "the numbers of a vector must be finite")
      }
      withUnsafeBytes(of: number.bitPattern.littleEndian) { data.append(contentsOf: $0) }
    }
    return data
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Data: OrderedColumnValue {
  /// BLOB.
  public static var storageClass: StorageClass { .blob }

  /// Reads a BLOB; an empty BLOB becomes empty data. Throws `ColumnValueError` if the cell is not a
  /// BLOB.
  public init(_ cell: borrowing Cell) throws {
    self = try cell.blob()
  }

  /// Returns the bytes.
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue { .blob(self) }
}

extension Array: Selectable where Element: UInt8OrFloatElseUseJSON {}

extension Array: ColumnValue where Element: UInt8OrFloatElseUseJSON {
  /// BLOB.
  public static var storageClass: StorageClass { .blob }

  /// Reads a BLOB; an empty BLOB becomes an empty array. Throws `ColumnValueError` if the cell is
  /// not a BLOB, or, for a `[Float]`, if its size is not a multiple of four bytes.
  public init(_ cell: borrowing Cell) throws {
    self = try cell.withBytes { try Element._array($0) }
  }

  /// Returns whether both arrays are stored as the same bytes. `==` is not enough, because 0.0 and
  /// -0.0 are equal but have different bytes.
  public static func isStoredAlike(_ left: Self, _ right: Self) -> Bool {
    guard let left = left as? [Float], let right = right as? [Float] else { return left == right }
    return left.elementsEqual(right) { $0.bitPattern == $1.bitPattern }
  }

  /// Returns the bytes; for a `[Float]`, its numbers as little-endian float32. Throws
  /// `ColumnValueError` if one of these numbers is not finite.
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    .blob(try Element._data(self))
  }
}

extension UUID: ColumnValue {
  /// TEXT by default; BLOB if the column declares `.bytes`.
  public static var storageClass: StorageClass { .text }

  /// Reads the 36 characters of a UUID, in upper or lower case, or 16 bytes if the column declares
  /// `.bytes`. Throws `ColumnValueError` if the cell holds anything else.
  public init(_ cell: borrowing Cell) throws {
    if cell.form == .bytes {
      self = try cell.withBytes { bytes in
        guard bytes.count == 16 else {
          throw ColumnValueError.invalid("a BLOB of \(bytes.count) bytes", as: UUID.self)
        }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
      }
    } else {
      let text = try cell.text()
      guard text.utf8.count == 36, let uuid = UUID(uuidString: text) else {
        throw ColumnValueError.invalid(text, as: UUID.self)
      }
      self = uuid
    }
  }

  /// Returns the 16 bytes for the form `.bytes`, and the 36 characters for any other form. The
  /// characters are in upper case for `.uppercase`, and otherwise in lower case.
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    switch form {
    case .bytes: .blob(withUnsafeBytes(of: uuid) { Data($0) })
    case .uppercase: .text(uuidString)
    default: .text(uuidString.lowercased())
    }
  }

  /// TEXT for `.standard` and `.uppercase`, BLOB for `.bytes`.
  public static func storageClass(as form: StoredForm) -> StorageClass? {
    switch form {
    case .standard, .uppercase: .text
    case .bytes: .blob
    default: nil
    }
  }
}

extension UUID: OrderedColumnValue {}

/// The element type of an array that can be a column: only UInt8, for bytes, and Float, for a
/// vector.
///
/// The compiler's message for `@Column var tags: [String]` contains the name of this protocol.
/// Store any other array as JSON, such as `JSON<[String]>`.
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
  /// Makes a vector from its bytes. Each number has four bytes, little-endian. Programs do not use
  /// it directly.
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

  /// Returns the bytes of a vector. Each number has four bytes, little-endian. Programs do not use
  /// it directly.
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

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The element of an array that can be a column: UInt8, and no other type.
///
/// Its name is a part of the compiler's message for `@Column var tags: [String]`. Any other array
/// is a column as `JSON<[String]>`.
public protocol UInt8OrElseUseJSON: Equatable, Sendable {
  /// Makes an array of the bytes; programs do not use it directly.
  static func _array(_ bytes: UnsafeRawBufferPointer) -> [Self]
  /// Returns the bytes of an array; programs do not use it directly.
  static func _data(_ array: [Self]) -> Data
}

extension UInt8: UInt8OrElseUseJSON {
  /// Makes an array of the bytes; programs do not use it directly.
  public static func _array(_ bytes: UnsafeRawBufferPointer) -> [UInt8] { Array(bytes) }
  /// Returns the bytes of an array; programs do not use it directly.
  public static func _data(_ array: [UInt8]) -> Data { Data(array) }
}

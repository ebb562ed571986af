#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A column of a model, looked at where it lies.
///
/// It cannot be copied, and so Swift borrows what it holds. Of `ColumnStorage` itself each look would
/// count a reference to the text or the bytes. The memory of a column may be taken for one: it is
/// laid out as its only property.
struct ColumnInPlace<Value>: ~Copyable {
  private let storage: ColumnStorage<Value>
}

extension ColumnInPlace where Value == String {
  /// The bytes of the text; nil of none, and nil inside of one that does not lie in one piece, as
  /// Objective-C's may.
  @inline(__always)
  borrowing func withText(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows -> Void?? {
    try storage.value?.utf8.withContiguousStorageIfAvailable(body)
  }
}

extension ColumnInPlace where Value == String? {
  /// The same of an optional text.
  @inline(__always)
  borrowing func withText(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows -> Void?? {
    try storage.value??.utf8.withContiguousStorageIfAvailable(body)
  }
}

extension ColumnInPlace where Value == Data {
  /// The bytes; nil of none.
  @inline(__always)
  borrowing func withBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows -> Void? {
    try storage.value?.withUnsafeBytes(body)
  }
}

extension ColumnInPlace where Value == Data? {
  /// The same of optional bytes.
  @inline(__always)
  borrowing func withBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows -> Void? {
    try storage.value??.withUnsafeBytes(body)
  }
}

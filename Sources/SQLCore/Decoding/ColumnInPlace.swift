#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A view of a model's column that reads its value without copying it.
///
/// It is noncopyable, so that Swift borrows its contents; each access to a `ColumnStorage` would
/// retain and release the text or the bytes. A pointer to a column may be rebound to this type,
/// because the storage is its only property and the layout is the same.
struct ColumnInPlace<Value>: ~Copyable {
  private let storage: ColumnStorage<Value>
}

extension ColumnInPlace where Value == String {
  /// Passes the bytes of the text to a closure. Returns nil if there is no text, and `.some(nil)`
  /// if the text is not contiguous, as may be the case for a text from Objective-C.
  @inline(__always)
  borrowing func withText(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows -> Void?? {
    try storage.value?.utf8.withContiguousStorageIfAvailable(body)
  }
}

extension ColumnInPlace where Value == String? {
  /// Passes the bytes of an optional text to a closure, with the same results.
  @inline(__always)
  borrowing func withText(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows -> Void?? {
    try storage.value??.utf8.withContiguousStorageIfAvailable(body)
  }
}

extension ColumnInPlace where Value == Data {
  /// Passes the bytes to a closure; returns nil if there are none.
  @inline(__always)
  borrowing func withBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows -> Void? {
    try storage.value?.withUnsafeBytes(body)
  }
}

extension ColumnInPlace where Value == Data? {
  /// Passes optional bytes to a closure; returns nil if there are none.
  @inline(__always)
  borrowing func withBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows -> Void? {
    try storage.value??.withUnsafeBytes(body)
  }
}

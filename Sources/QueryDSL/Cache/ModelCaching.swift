import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How the rows of a model are cached, as its schema declares.
@usableFromInline
struct ModelCaching: Sendable {
  /// The ways in which an `ID` becomes the key of a cached row.
  ///
  /// Keys are compared as SQLite compares stored values. Two texts that Swift takes for equal, such
  /// as a letter with and without a separate accent, are two keys.
  private enum KeyForm: Sendable {
    /// An integer of 8 bytes.
    case word
    /// The UTF-8 of a `String`.
    case text
    /// The bytes of a UUID.
    case uuid
    /// The stored values, with the type and the length of each.
    case values
  }

  @usableFromInline let model: CachedModel
  private let key: ColumnSlots
  private let form: KeyForm

  init<M: ResultRow>(
    of type: M.Type, limits: CacheLimits, number: UInt16, tableName: String, key: ColumnSlots
  ) throws {
    guard !key.slots.isEmpty else {
      throw ModelError(type, "Cached(): rows are cached by their key; declare a @PrimaryKey")
    }
    model = CachedModel(.rows, ofLayout: Int(number), table: tableName, limits: limits)
    self.key = key
    let kind = key.slots[0].kind
    form =
      if key.slots.count > 1 {
        .values
      } else if kind == .int64 || kind == .unique64
        || kind == .int && MemoryLayout<Int>.size == 8
      {
        .word
      } else if kind == .string {
        .text
      } else if key.slots[0].type == UUID.self {
        .uuid
      } else {
        .values
      }
  }

  /// Whether each key has 8 bytes.
  var hasWordKeys: Bool { form == .word }

  /// Returns the key of an `ID`; nil for one that cannot be stored.
  @usableFromInline
  func key(at id: UnsafeRawPointer) -> CacheKey? {
    switch form {
    case .word: .word(id.loadUnaligned(as: UInt64.self))
    case .text: .text(id.assumingMemoryBound(to: String.self).pointee)
    case .uuid: .bytes(Array(UnsafeRawBufferPointer(start: id, count: 16)))
    case .values: values(at: id).map { .bytes($0) }
    }
  }

  private func values(at id: UnsafeRawPointer) -> [UInt8]? {
    func value<Value: ColumnValue>(
      _ type: Value.Type, at memory: UnsafeRawPointer, as form: StoredForm
    ) -> DatabaseValue? {
      try? memory.assumingMemoryBound(to: Value.self).pointee.databaseValue(as: form)
    }
    var bytes: [UInt8] = []
    func append(_ type: UInt8, _ content: some Collection<UInt8>) {
      bytes.append(type)
      withUnsafeBytes(of: content.count) { bytes.append(contentsOf: $0) }
      bytes.append(contentsOf: content)
    }
    for slot in key.slots {
      switch value(slot.type, at: id + Int(slot.offset), as: slot.form) {
      case .integer(let integer): withUnsafeBytes(of: integer) { append(1, $0) }
      case .real(let real): withUnsafeBytes(of: real) { append(2, $0) }
      case .text(let text): append(3, text.utf8)
      case .blob(let data): append(4, data)
      case .invalidText(let data): append(5, data)
      // No row is found by NULL.
      case .null, nil: return nil
      }
    }
    return bytes
  }
}

/// A cached row.
@usableFromInline
final class CachedRow<M: Model>: CachedValue {
  @usableFromInline let model: M

  init(_ model: M) {
    self.model = model
  }

  /// The memory that an entry takes besides the model and the content of its texts, roughly.
  static var overhead: Int { 192 }
}

import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The caching of a model's rows, as the model's schema declares it.
@usableFromInline
struct ModelCaching: Sendable {
  /// The rule by which the cache key of a row is made from the row's `ID`.
  ///
  /// Keys are compared as SQLite compares stored values. For example, é as one scalar and é as two
  /// scalars are equal in Swift, but they are different keys.
  private enum KeySource: Sendable {
    /// An integer of 8 bytes.
    case word
    /// The UTF-8 of a `String`.
    case text
    /// The bytes of a UUID.
    case uuid
    /// The key is made of the stored values, with the type and the length of each value.
    case values
  }

  @usableFromInline let model: CachedModel
  private let key: ColumnSlots
  private let source: KeySource

  init<M: ResultRow>(
    of type: M.Type, limits: CacheLimits, number: UInt16, tableName: String, key: ColumnSlots
  ) throws {
    guard !key.slots.isEmpty else {
      throw ModelError(type, "Cached(): rows are cached by their key; declare a @PrimaryKey")
    }
    model = CachedModel(.rows, ofLayout: Int(number), table: tableName, limits: limits)
    self.key = key
    let kind = key.slots[0].kind
    source =
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

  /// Whether each key is an integer of 8 bytes.
  var hasWordKeys: Bool { source == .word }

  /// Returns the cache key of an `ID`; nil for an `ID` that contains NULL or cannot be stored.
  @usableFromInline
  func key(at id: UnsafeRawPointer) -> CacheKey? {
    switch source {
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
      // A lookup by NULL finds no row.
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

  /// The approximate number of bytes that an entry needs besides the model and its texts.
  static var overhead: Int { 192 }
}

/// A lookup that did not find a row, with the values that are needed to cache the row after it is
/// read.
@usableFromInline
struct RowMiss: Sendable {
  let key: CacheKey
  let ticket: CacheTicket
  let cache: DatabaseCache
}

/// The outcome of a lookup in the row cache.
@usableFromInline
enum RowLookup {
  case hit(any CachedValue)
  case miss(RowMiss)
  /// The `ID` has no cache key, because it contains NULL or cannot be stored.
  case none
}

extension ModelCaching {
  /// Looks up a row in the cache. `id` is the address of the row's `ID`.
  @usableFromInline
  func lookUp(_ id: UnsafeRawPointer, in cache: DatabaseCache) throws -> RowLookup {
    guard let key = key(at: id) else { return .none }
    switch try cache.lookUp(key, in: model) {
    case .hit(let value): return .hit(value)
    case .miss(let ticket): return .miss(RowMiss(key: key, ticket: ticket, cache: cache))
    }
  }
}

extension DatabaseReader {
  /// Returns a cached row whose key has 8 bytes; nil if the caller must use `lookUp`. Programs do
  /// not use it directly, but call `find`.
  ///
  /// This function is separate from `lookUp`: in one function, the code that handles a miss would
  /// take most of the time of a hit.
  @inlinable
  @inline(__always)
  func _cached<M: Model>(_ model: M.Type, _ id: M.ID) -> M? {
    guard let number = M.wordCache else { return nil }
    let word = withUnsafeBytes(of: id) { $0.loadUnaligned(as: UInt64.self) }
    var found: M?
    // The model is copied into separate memory and then moved into `found`. An assignment to
    // `found` in the closure would move the model more often.
    withUnsafeTemporaryAllocation(of: M.self, capacity: 1) { memory in
      guard let memory = memory.baseAddress else { return }
      let isFound = _copyCached(word, number) { row in
        // The cast is safe, because the cache with this number has rows of only one model type.
        memory.initialize(to: unsafeDowncast(row, to: CachedRow<M>.self).model)
      }
      if isFound { found = memory.move() }
    }
    return found
  }
}

extension Connection {
  /// Finds a model in the database after the cache had no row for it. Caches the row if possible.
  @usableFromInline
  func find<M: Model>(_ model: M.Type, _ id: M.ID, after miss: RowMiss) throws -> M? {
    let core = try use()
    let layout = try M.layout
    defer { miss.cache.useIndex(of: core, with: miss.ticket) }
    guard miss.ticket.allowsStoring, let caching = layout.caching,
      let table = try core.cachedTable(
        of: caching.model, key: layout.keyNames, rowID: layout.rowIDName)
    else { return try find(model, id) }
    let rowIDName = table.hasRowID ? layout.rowIDName : nil
    let statement =
      try rowIDName.map { try core.lendFindStatement(layout, selecting: $0) }
      ?? core.lendFindStatement(layout)
    defer { core.giveBack(statement) }
    try withUnsafePointer(to: id) {
      try core.bind(key: layout.keySlots, at: UnsafeRawPointer($0), to: statement)
    }
    // The key may be stored in another spelling, such as a UUID in upper case. A row that is found
    // by another spelling is not cached, because a row with the spelling that Apus writes may be
    // inserted later.
    guard try core.step(statement) else {
      return layout.keySpellings.isEmpty ? nil : try find(model, id)
    }
    let found = try M.load(layout, rowOf: statement, on: core, row: 0)
    let entry = CacheEntry(
      CachedRow(found), for: miss.key,
      byteCount: MemoryLayout<M>.stride + CachedRow<M>.overhead
        + core.contentByteCount(of: statement),
      rowID: rowIDName == nil
        ? nil
        : try StatementRow(statement: statement).get(Int64.self, at: layout.columns.count))
    miss.cache.store(entry, for: miss.key, in: caching.model, with: miss.ticket)
    return found
  }
}

extension ModelLayout {
  /// The names of the key columns.
  fileprivate var keyNames: [String] { keyColumns.map { columns[$0].name } }
}

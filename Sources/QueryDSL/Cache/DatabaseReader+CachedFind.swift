import SQLCore

/// A lookup of a cached row that found nothing, and what is needed to store the row once it is read.
@usableFromInline
struct RowMiss: Sendable {
  let key: CacheKey
  let ticket: CacheTicket
  let cache: DatabaseCache
}

/// The outcome of a lookup of a cached row.
@usableFromInline
enum RowLookup {
  case hit(any CachedValue)
  case miss(RowMiss)
  /// The row is not cached.
  case none
}

extension ModelCaching {
  /// Looks up the row with the key at an address.
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
  /// Returns a cached row whose key has 8 bytes; nil if `lookUp` must look. Programs do not use it
  /// directly, but call `find`.
  ///
  /// It is apart from `lookUp`, because what a miss needs would take most of the time of a hit.
  @inlinable
  @inline(__always)
  func _cached<M: Model>(_ model: M.Type, _ id: M.ID) -> M? {
    guard let number = M.wordCache else { return nil }
    let word = withUnsafeBytes(of: id) { $0.loadUnaligned(as: UInt64.self) }
    var found: M?
    // Copied into memory of its own, a model is moved less often than by an assignment.
    withUnsafeTemporaryAllocation(of: M.self, capacity: 1) { memory in
      guard let memory = memory.baseAddress else { return }
      let isFound = _copyCached(word, number) { row in
        // The number of the cache stands for the model.
        memory.initialize(to: unsafeDowncast(row, to: CachedRow<M>.self).model)
      }
      if isFound { found = memory.move() }
    }
    return found
  }
}

extension Connection {
  /// Finds a model that is not cached, and stores it.
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
    // Under another spelling of its key, a row is not stored: one with this spelling may come.
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

/// The cache of one model: its rows, or the results of queries that begin with its table.
///
/// `@unchecked Sendable`: it is used only under the lock of its `DatabaseCache`.
final class ModelCache: @unchecked Sendable {
  let model: CachedModel
  let entries: CacheTable
  var statistics = CacheStatistics()

  init(_ model: CachedModel) {
    self.model = model
    entries = CacheTable(model.limits)
  }

  /// Removes all entries, and returns a table that has them.
  func removeAll() -> CacheTable {
    statistics.invalidations += entries.count
    return entries.takeAll()
  }

  /// Removes the entries that a commit touched, and returns them.
  func remove(_ touched: TouchedRows) -> [CacheEntry] {
    guard entries.count > 0 else { return [] }
    let removed =
      switch model.content {
      case .rows: removeRows(touched)
      case .results: touched.tableNames.flatMap { entries.removeReaders(of: $0) }
      }
    statistics.invalidations += removed.count
    return removed
  }

  private func removeRows(_ touched: TouchedRows) -> [CacheEntry] {
    guard let table = touched.table(model.table) else { return [] }
    guard !table.isWhole else { return entries.removeAll { _ in true } }
    // A row whose rowid is not known, as in a table WITHOUT ROWID, may be any that was touched.
    var removed = entries.removeUnnumbered()
    for row in table.rowIDs {
      if let entry = entries.removeRow(row) { removed.append(entry) }
    }
    return removed
  }
}

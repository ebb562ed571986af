/// The cached rows of a model.
///
/// `@unchecked Sendable`: it is used only under the lock of its `DatabaseCache`.
final class ModelCache: @unchecked Sendable {
  let model: CachedModel
  private(set) var rows: CacheTable
  var statistics = CacheStatistics()

  init(_ model: CachedModel) {
    self.model = model
    rows = CacheTable(model.limits)
  }

  /// Removes all entries, and returns the table that holds them.
  func removeAll() -> CacheTable {
    statistics.invalidations += rows.count
    defer { rows = CacheTable(model.limits) }
    return rows
  }

  /// Removes the entries that a commit touched, and returns them.
  func remove(_ touched: TouchedRows) -> [CacheEntry] {
    guard rows.count > 0, let table = touched.table(model.table) else { return [] }
    var removed: [CacheEntry] = []
    if table.isWhole {
      removed = rows.removeAll { _ in true }
    } else {
      // A row whose rowid is not known, as in a table WITHOUT ROWID, may be any that was touched.
      removed = rows.removeUnnumbered()
      for row in table.rowIDs {
        if let entry = rows.removeRow(row) { removed.append(entry) }
      }
    }
    statistics.invalidations += removed.count
    return removed
  }
}

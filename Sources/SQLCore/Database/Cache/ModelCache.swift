/// The cached rows of a model, and the cached results of queries that return its rows.
///
/// `@unchecked Sendable`: it is used only under the lock of its `DatabaseCache`.
final class ModelCache: @unchecked Sendable {
  let model: CachedModel
  private(set) var rows: CacheTable
  private(set) var results: CacheTable
  var statistics = CacheStatistics()

  init(_ model: CachedModel) {
    self.model = model
    rows = CacheTable(model.limits)
    results = CacheTable(model.limits)
  }

  @inline(__always)
  func table(_ kind: CacheKind) -> CacheTable {
    switch kind {
    case .row: rows
    case .result: results
    }
  }

  /// Removes all entries, and returns the tables that hold them.
  func removeAll() -> [CacheTable] {
    statistics.invalidations += rows.count + results.count
    defer {
      rows = CacheTable(model.limits)
      results = CacheTable(model.limits)
    }
    return [rows, results]
  }

  /// Removes the entries that a commit touched, and returns them.
  func remove(_ touched: TouchedRows) -> [CacheEntry] {
    var removed: [CacheEntry] = []
    if rows.count > 0, let table = touched.table(model.table) {
      if table.isWhole {
        removed += rows.removeAll { _ in true }
      } else {
        // A row whose rowid is not known, as in a table WITHOUT ROWID, may be any that was touched.
        removed += rows.removeUnnumbered()
        for row in table.rowIDs {
          if let entry = rows.removeRow(row) { removed.append(entry) }
        }
      }
    }
    if results.count > 0 {
      removed += results.removeAll { entry in
        entry.tables.contains { touched.table($0) != nil }
      }
    }
    statistics.invalidations += removed.count
    return removed
  }
}

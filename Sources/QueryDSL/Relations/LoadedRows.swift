/// Rows of a query with `including` while what they include is loaded.
package struct LoadedRows<Row: Sendable>: Sendable {
  package let rows: [Row]
  /// For each row of a live query, a hash of its stored values and of those of the rows that it
  /// includes; nil for other queries, which need none.
  ///
  /// A live query orders children that their own order does not distinguish by their keys.
  package let fingerprints: [UInt64]?

  package init(_ rows: [Row], fingerprints: [UInt64]? = nil) {
    self.rows = rows
    self.fingerprints = fingerprints
  }

  init(_ rows: [Row], live: Bool) {
    self.init(rows, fingerprints: live ? [] : nil)
  }

  /// Whether the rows are those of a live query.
  var areLive: Bool { fingerprints != nil }

  /// Returns the rows at some places, in the order of these.
  subscript(places: [Int]) -> LoadedRows {
    LoadedRows(
      places.map { rows[$0] }, fingerprints: fingerprints.map { all in places.map { all[$0] } })
  }

  /// Returns the fingerprints of these rows with those of the children of each.
  ///
  /// The order of the children follows from what they are. So their fingerprints are added up, and
  /// the sum changes by the difference of a single child.
  func combining(_ children: [[UInt64]]) -> [UInt64]? {
    fingerprints.map { own in
      zip(own, children).map { parent, children in
        var hasher = Hasher()
        hasher.combine(parent)
        return children.reduce(UInt64(bitPattern: Int64(hasher.finalize())), &+)
      }
    }
  }
}

/// The rows of one table that several commits changed, netted, with the values that a query reads.
struct NettedRows {
  /// The columns of the values: those of the key, and the recorded ones that the query reads.
  let columns: [String]
  let rows: [NettedRowValues]
  /// Whether the values are exactly those of SQLite, so that the query can be evaluated on them.
  var isExact = true
}

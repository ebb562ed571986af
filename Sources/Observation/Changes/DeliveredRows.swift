import QueryDSL
import SQLCore

/// The changed rows of a table as one stream delivers them, shared by all its row changes.
final class DeliveredRows: Sendable {
  private let table: NettedTable
  /// The places of the delivered columns among the recorded ones.
  let places: [Int]
  /// Whether all recorded columns are delivered.
  private let deliversAll: Bool
  /// The model whose columns are asked for; the array holds the place of each of them.
  private let layout: ModelLayout?
  private let placesOfColumns: [Place?]

  /// The place of a column's value.
  enum Place: Sendable {
    /// Among the key's columns.
    case key(Int)
    /// Among the recorded columns.
    case column(Int)
  }

  /// - Parameters:
  ///   - columns: the columns to deliver, folded; nil for all.
  ///   - layout: the layout of the model that the rows are delivered as.
  init(_ table: NettedTable, columns: Set<String>?, as layout: ModelLayout? = nil) {
    self.table = table
    let places = table.names.places(of: columns)
    self.places = places
    deliversAll = places.count == table.names.columns.count
    self.layout = layout
    placesOfColumns =
      layout?.columns.map { table.names.place(of: $0.name, among: places) } ?? []
  }

  /// Returns the place of the values of a model's column; nil if the column is not delivered.
  func place(ofColumn column: Int, of layout: ModelLayout) -> Place? {
    layout === self.layout ? placesOfColumns[column] : place(of: layout.columns[column].name)
  }

  var names: TableNames { table.names }

  /// Returns the place of a column's values, found by its name, ignoring case; nil if the column is
  /// not delivered.
  func place(of column: String) -> Place? { table.names.place(of: column, among: places) }

  func kind(at index: Int) -> RowChangeKind {
    let row = table.rows[index]
    return row.old < 0 ? .inserted : row.new < 0 ? .deleted : .updated
  }

  /// Returns whether the row was inserted or deleted, or one of its delivered columns differs.
  func differs(at index: Int) -> Bool {
    deliversAll || table.differs(table.rows[index], at: places)
  }

  func differs(at index: Int32, in place: Int) -> Bool {
    let row = table.rows[Int(index)]
    return row.old < 0 || row.new < 0 || !table.isSame(row, at: place)
  }

  func key(at index: Int32) -> RowKey { table.key(of: table.rows[Int(index)]) }

  func old(at index: Int32, in place: Int) -> DatabaseValue? {
    table.old(table.rows[Int(index)], at: place)
  }

  func new(at index: Int32, in place: Int) -> DatabaseValue? {
    table.new(table.rows[Int(index)], at: place)
  }
}

extension TableNames {
  fileprivate func place(of column: String, among places: [Int]) -> DeliveredRows.Place? {
    let folded = column.lowercasedASCII
    if let place = keys.firstIndex(where: { $0.lowercasedASCII == folded }) { return .key(place) }
    guard let place = foldedColumns.firstIndex(of: folded), places.contains(place) else {
      return nil
    }
    return .column(place)
  }
}

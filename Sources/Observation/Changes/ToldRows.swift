import QueryDSL
import SQLCore

/// The rows of a table that a write changed, as one stream tells them: shared by all its changes.
final class ToldRows: Sendable {
  private let table: TableRows
  /// The places of the columns that are told.
  let places: [Int]
  /// Whether these are all that were recorded.
  private let tellsAll: Bool
  /// The model whose columns are asked for, and where their values stand.
  private let layout: ModelLayout?
  private let placesOfColumns: [Place?]

  /// Where the value of a column stands.
  enum Place: Sendable {
    /// Among those of the key.
    case key(Int)
    /// Among the recorded ones.
    case column(Int)
  }

  /// - Parameters:
  ///   - columns: the columns that are told, folded; nil for all.
  ///   - layout: of the model that the table is told as.
  init(_ table: TableRows, columns: Set<String>?, as layout: ModelLayout? = nil) {
    self.table = table
    let places = table.names.places(of: columns)
    self.places = places
    tellsAll = places.count == table.names.columns.count
    self.layout = layout
    placesOfColumns =
      layout?.columns.map { table.names.place(of: $0.name, among: places) } ?? []
  }

  /// Where the values of a model's column stand; nil where it is not told.
  func place(ofColumn column: Int, of layout: ModelLayout) -> Place? {
    layout === self.layout ? placesOfColumns[column] : place(of: layout.columns[column].name)
  }

  var names: TableNames { table.names }

  /// Where the values of a column stand, found by its name, without case; nil where it is not told.
  func place(of column: String) -> Place? { table.names.place(of: column, among: places) }

  func kind(at index: Int) -> RowChangeKind {
    let row = table.rows[index]
    return row.old < 0 ? .inserted : row.new < 0 ? .deleted : .updated
  }

  /// Whether the row came or went, or one of its columns that are told differs.
  func differs(at index: Int) -> Bool {
    tellsAll || table.differs(table.rows[index], at: places)
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
  fileprivate func place(of column: String, among places: [Int]) -> ToldRows.Place? {
    let folded = column.lowercasedASCII
    if let place = keys.firstIndex(where: { $0.lowercasedASCII == folded }) { return .key(place) }
    guard let place = foldedColumns.firstIndex(of: folded), places.contains(place) else {
      return nil
    }
    return .column(place)
  }
}

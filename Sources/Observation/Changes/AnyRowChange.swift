import QueryDSL
import SQLCore

/// The net change of one row of a table in one write.
///
/// If a write changes a row several times, there is only one row change: from the row before the
/// write to the row after the write. If the row is then the same as before, no change is reported.
public struct AnyRowChange: Sendable {
  /// Whether the row was inserted, updated or deleted.
  public let kind: RowChangeKind
  /// The stored values of the primary key; the rowid if the table has no primary key.
  public var keyValues: [DatabaseValue] { delivered.key(at: index).values }
  /// The names of the columns whose values changed, in the order of the table. If the row was
  /// inserted or deleted, these are all watched columns and the columns of the primary key. VIRTUAL
  /// generated columns are not reported.
  public var changedColumns: [String] {
    guard kind == .updated else {
      return delivered.names.ordered.filter { delivered.place(of: $0) != nil }
    }
    return delivered.places.filter { delivered.differs(at: index, in: $0) }.map {
      delivered.names.columns[$0]
    }
  }

  private let delivered: DeliveredRows
  private let index: Int32

  init(_ delivered: DeliveredRows, at index: Int) {
    self.delivered = delivered
    self.index = Int32(truncatingIfNeeded: index)
    kind = delivered.kind(at: index)
  }

  /// Returns the value of a column before the write. Returns nil if the row did not exist, or if
  /// the column is neither watched nor part of the key. The case of the column's name does not
  /// matter.
  public func old(_ column: String) -> DatabaseValue? {
    guard let place = delivered.place(of: column) else { return nil }
    return old(at: place)
  }

  /// Returns the value of a column after the write. Returns nil if the row is gone, or if the
  /// column is neither watched nor part of the key.
  public func new(_ column: String) -> DatabaseValue? {
    guard let place = delivered.place(of: column) else { return nil }
    return new(at: place)
  }

  /// Returns the place at which a changed row has the values of a model's column; nil if the stream
  /// does not deliver the column.
  func place(ofColumn column: Int, of layout: ModelLayout) -> DeliveredRows.Place? {
    delivered.place(ofColumn: column, of: layout)
  }

  func old(at place: DeliveredRows.Place) -> DatabaseValue? {
    guard kind != .inserted else { return nil }
    switch place {
    case .key(let place): return keyValues[place]
    case .column(let place): return delivered.old(at: index, in: place)
    }
  }

  func new(at place: DeliveredRows.Place) -> DatabaseValue? {
    guard kind != .deleted else { return nil }
    switch place {
    case .key(let place): return keyValues[place]
    case .column(let place): return delivered.new(at: index, in: place)
    }
  }

  /// Returns whether a column's value changed; false if the stream does not deliver the column.
  func hasChanged(_ column: String) -> Bool {
    switch delivered.place(of: column) {
    case .column(let place): delivered.differs(at: index, in: place)
    // A new key of a row is reported as a deletion under the old key and an insertion under the new
    // key. So an updated row never has another key.
    case .key: kind != .updated
    case nil: false
    }
  }
}

// `RowChange.old` and `RowChange.new` call the following methods for the work that is the same for
// all models. The methods that find a value are not generic. So only the conversion of the value is
// compiled for each type.
extension AnyRowChange {
  /// Returns the value of a model's column before the write; nil if the row did not exist.
  @usableFromInline
  func old(ofColumn index: Int, of layout: ModelLayout) throws -> DatabaseValue? {
    old(at: try watchedPlace(ofColumn: index, of: layout))
  }

  /// Returns the value of a model's column after the write; nil if the row is gone.
  @usableFromInline
  func new(ofColumn index: Int, of layout: ModelLayout) throws -> DatabaseValue? {
    new(at: try watchedPlace(ofColumn: index, of: layout))
  }

  private func watchedPlace(
    ofColumn index: Int, of layout: ModelLayout
  ) throws -> DeliveredRows.Place {
    guard let place = place(ofColumn: index, of: layout) else {
      throw DatabaseError.misuse(
        "\(layout.columns[index].name) is not one of the watched columns; add it to `columns:`"
      )
    }
    return place
  }

  /// Converts the stored value of a model's column to a Swift type. If this fails, the thrown error
  /// names the column.
  @inlinable
  func read<Value: ColumnValue>(
    _ value: DatabaseValue?, ofColumn index: Int, of layout: ModelLayout
  ) throws -> Value? {
    guard let value else { return nil }
    do {
      return try value.read(Value.self, as: layout.columns[index].form)
    } catch {
      throw locate(error, atColumn: index, of: layout)
    }
  }

  @usableFromInline
  func locate(_ error: any Error, atColumn index: Int, of layout: ModelLayout) -> any Error {
    guard let error = error as? ColumnValueError else { return error }
    return error.at(
      table: layout.tableName, column: layout.columns[index].name, row: nil, key: keyValues)
  }
}

/// The rows of a table that one write changed, with the columns that one stream delivers. All
/// `AnyRowChange` values that the stream makes from this write share one such object.
final class DeliveredRows: Sendable {
  private let table: NettedTable
  /// The columns that the stream delivers, as indices into `table.names.columns`.
  let places: [Int]
  /// Whether the stream delivers every recorded column.
  private let deliversAll: Bool
  /// The layout of the model whose changes the stream delivers; nil without a model.
  /// `placesOfColumns` has the place of each column of the model.
  private let layout: ModelLayout?
  private let placesOfColumns: [Place?]

  /// The place of a column's value in a changed row.
  enum Place: Sendable {
    /// The value is among the key's values, at this index.
    case key(Int)
    /// The value is among the values of the recorded columns, at this index.
    case column(Int)
  }

  /// - Parameters:
  ///   - columns: the names of the columns to deliver, in lower case; nil for all columns.
  ///   - layout: the layout of the model whose changes the stream delivers.
  init(_ table: NettedTable, columns: Set<String>?, as layout: ModelLayout? = nil) {
    self.table = table
    let places = table.names.places(of: columns)
    self.places = places
    deliversAll = places.count == table.names.columns.count
    self.layout = layout
    placesOfColumns =
      layout?.columns.map { table.names.place(of: $0.name, among: places) } ?? []
  }

  /// Returns the place at which a changed row has the values of a model's column; nil if the stream
  /// does not deliver the column.
  func place(ofColumn column: Int, of layout: ModelLayout) -> Place? {
    layout === self.layout ? placesOfColumns[column] : place(of: layout.columns[column].name)
  }

  var names: TableNames { table.names }

  /// Returns the place at which a changed row has the values of a column; nil if the stream does
  /// not deliver the column. The case of the name does not matter.
  func place(of column: String) -> Place? { table.names.place(of: column, among: places) }

  func kind(at index: Int) -> RowChangeKind {
    let row = table.rows[index]
    return row.old < 0 ? .inserted : row.new < 0 ? .deleted : .updated
  }

  /// Returns whether the row was inserted or deleted, or one of its delivered columns changed.
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

/// The kind of a row's change.
public enum RowChangeKind: Hashable, Sendable {
  /// The row did not exist before.
  case inserted
  /// The row existed before, and has other values now.
  case updated
  /// The row no longer exists.
  case deleted
}

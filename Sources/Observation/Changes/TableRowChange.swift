import QueryDSL
import SQLCore

/// What a write did to one row of a table, in the end.
///
/// However often a row was touched, it is one change, from what it was before the write to what it
/// is after; a row that is as it was is none.
public struct TableRowChange: Sendable {
  /// What happened to the row.
  public let kind: RowChangeKind
  /// The values of the primary key, as they are stored; the rowid where there is none.
  public var keyValues: [DatabaseValue] { told.key(at: index).values }
  /// The columns whose values differ, in the order of the table; of a row that was inserted or
  /// deleted, all that are watched and those of its primary key. Generated columns that are
  /// calculated on reading are not reported.
  public var changedColumns: [String] {
    guard kind == .updated else { return told.names.ordered.filter { told.place(of: $0) != nil } }
    return told.places.filter { told.differs(at: index, in: $0) }.map { told.names.columns[$0] }
  }

  private let told: ToldRows
  private let index: Int32

  init(_ told: ToldRows, at index: Int) {
    self.told = told
    self.index = Int32(truncatingIfNeeded: index)
    kind = told.kind(at: index)
  }

  /// The value of a column before, found by its name, without case; nil where the row was not
  /// there, and for a column that is not told.
  public func old(_ column: String) -> DatabaseValue? {
    guard let place = told.place(of: column) else { return nil }
    return old(at: place)
  }

  /// The value of a column after; nil where the row is gone, and for a column that is not told.
  public func new(_ column: String) -> DatabaseValue? {
    guard let place = told.place(of: column) else { return nil }
    return new(at: place)
  }

  /// Where the values of a model's column stand; nil where it is not told.
  func place(ofColumn column: Int, of layout: ModelLayout) -> ToldRows.Place? {
    told.place(ofColumn: column, of: layout)
  }

  func old(at place: ToldRows.Place) -> DatabaseValue? {
    guard kind != .inserted else { return nil }
    switch place {
    case .key(let place): return keyValues[place]
    case .column(let place): return told.old(at: index, in: place)
    }
  }

  func new(at place: ToldRows.Place) -> DatabaseValue? {
    guard kind != .deleted else { return nil }
    switch place {
    case .key(let place): return keyValues[place]
    case .column(let place): return told.new(at: index, in: place)
    }
  }

  /// Whether a column of this name is told, and has another value.
  func hasChanged(_ column: String) -> Bool {
    switch told.place(of: column) {
    case .column(let place): told.differs(at: index, in: place)
    // A row whose key changes is deleted under the old one and inserted under the new one.
    case .key: kind != .updated
    case nil: false
    }
  }
}

/// What happened to a row.
public enum RowChangeKind: Hashable, Sendable {
  /// It was not there before.
  case inserted
  /// It was there before, and has other values.
  case updated
  /// It is not there any more.
  case deleted
}

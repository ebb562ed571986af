import QueryDSL
import SQLCore

/// The net change of one row of a table in one write.
///
/// However often a write changes a row, this is one change, from the row before the write to the
/// row after it. A row that ends as it was is not reported.
public struct AnyRowChange: Sendable {
  /// Whether the row was inserted, updated or deleted.
  public let kind: RowChangeKind
  /// The values of the primary key, as they are stored; the rowid if the table has no primary key.
  public var keyValues: [DatabaseValue] { delivered.key(at: index).values }
  /// The columns whose values differ, in the order of the table. For a row that was inserted or
  /// deleted, these are all watched columns and those of its primary key. Generated columns that
  /// are calculated on reading are not reported.
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

  /// Returns the value of a column before the write, found by its name, ignoring case; nil if the
  /// row did not exist, or if the column is not delivered.
  public func old(_ column: String) -> DatabaseValue? {
    guard let place = delivered.place(of: column) else { return nil }
    return old(at: place)
  }

  /// Returns the value of a column after the write; nil if the row is gone, or if the column is not
  /// delivered.
  public func new(_ column: String) -> DatabaseValue? {
    guard let place = delivered.place(of: column) else { return nil }
    return new(at: place)
  }

  /// Returns the place of the values of a model's column; nil if the column is not delivered.
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

  /// Returns whether a column of this name is delivered and has another value.
  func hasChanged(_ column: String) -> Bool {
    switch delivered.place(of: column) {
    case .column(let place): delivered.differs(at: index, in: place)
    // A row whose key changes is deleted under the old key and inserted under the new one.
    case .key: kind != .updated
    case nil: false
    }
  }
}

/// An iterator over the rows of a virtual table.
/// - SeeAlso: <https://www.sqlite.org/vtab.html#the_xfilter_method>
public protocol VirtualTableCursor: AnyObject {
  /// Moves to the first row of the result. It may be called again with other arguments.
  ///
  /// - Parameters:
  ///   - plan: the choice of `bestIndex`, its `number` and `text`.
  ///   - arguments: the values of the plan's arguments, in the plan's order.
  func filter(_ plan: IndexPlan.Choice, _ arguments: borrowing Arguments) throws
  /// Whether the cursor has passed the last row.
  var isAtEnd: Bool { get }
  /// Moves to the next row.
  func next() throws
  /// Returns the value of a column of the current row; columns are counted from 0.
  func column(_ index: Int) throws -> DatabaseValue
  /// The rowid of the current row, by which `update` and `delete` identify the row. It is never
  /// read for a table WITHOUT ROWID. By default it throws misuse.
  var rowID: Int64 { get throws }
}

extension VirtualTableCursor {
  /// Throws misuse.
  public var rowID: Int64 {
    get throws {
      throw DatabaseError.misuse("the cursor of the virtual table does not implement `rowID`")
    }
  }
}

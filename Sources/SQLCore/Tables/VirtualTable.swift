/// A table whose rows Swift gives: a virtual table.
///
/// ```swift
/// final class NaturalNumbers: VirtualTable {
///   let schema = "CREATE TABLE x (value INTEGER)"
///   func open() -> any VirtualTableCursor { Cursor() }
/// }
/// try db.virtualTable("natural_numbers", .eponymous) { _ in NaturalNumbers() }
/// try db.rows("SELECT value FROM natural_numbers LIMIT 5")
/// ```
///
/// Each connection has an instance of its own, which is used by nobody else and goes with it. An
/// error that a method throws is the statement's error, with its message. A method may run
/// statements on the connection of its context.
/// - SeeAlso: <https://www.sqlite.org/vtab.html>
public protocol VirtualTable: AnyObject, SendableMetatype {
  /// The columns, as `CREATE TABLE x (…)`; the name does not matter. A column that is declared
  /// `HIDDEN` is an argument of the table-valued function and not among `*`. Behind the parenthesis may
  /// stand `WITHOUT ROWID`.
  var schema: String { get }

  /// Chooses how a query is answered; nil where it cannot be, with the constraints that are usable.
  ///
  /// It is asked while a statement is prepared, often more than once. Default: all rows, in no
  /// order.
  /// - SeeAlso: <https://www.sqlite.org/vtab.html#the_xbestindex_method>
  func bestIndex(_ query: IndexQuery) throws -> IndexPlan?

  /// A cursor of its own for each use of the table in a statement.
  func open() throws -> any VirtualTableCursor

  /// The table is dropped: what it stored goes. Default: nothing.
  func destroy() throws

  /// The table gets another name. Default: nothing.
  func rename(to name: String) throws
}

extension VirtualTable {
  /// All rows, in no order.
  public func bestIndex(_ query: IndexQuery) throws -> IndexPlan? { IndexPlan() }
  /// Nothing.
  public func destroy() throws {}
  /// Nothing.
  public func rename(to name: String) throws {}
}

/// Goes over rows of a virtual table.
/// - SeeAlso: <https://www.sqlite.org/vtab.html#the_xfilter_method>
public protocol VirtualTableCursor: AnyObject {
  /// Goes to the first row that the plan asks for; it may be called again, with other arguments.
  ///
  /// - Parameters:
  ///   - plan: what `bestIndex` chose, its `number` and `text`.
  ///   - arguments: the values of the constraints that the plan asked for, in its order.
  func filter(_ plan: IndexPlan.Choice, _ arguments: borrowing Arguments) throws
  /// Whether there is no row any more.
  var isAtEnd: Bool { get }
  /// Goes to the next row.
  func next() throws
  /// The value of a column of the current row, from 0.
  func column(_ index: Int) throws -> DatabaseValue
  /// The rowid of the current row: what `update` and `delete` name it by. A table WITHOUT ROWID is
  /// not asked for it. Default: it throws misuse.
  var rowID: Int64 { get throws }
}

extension VirtualTableCursor {
  /// Throws misuse.
  public var rowID: Int64 {
    get throws { throw DatabaseError.misuse("the cursor of the virtual table gives no rowid") }
  }
}

/// How a virtual table comes to be there.
/// - SeeAlso: <https://www.sqlite.org/vtab.html#eponymous_virtual_tables>
public enum VirtualTableKind: Sendable {
  /// It is there under the name of its module, without being created; `name(1, 2)` in a FROM gives
  /// its hidden columns.
  case eponymous
  /// By `CREATE VIRTUAL TABLE name USING module (arguments)`.
  case created
}

/// Where a virtual table is made: its name and arguments, and its connection.
/// - SeeAlso: <https://www.sqlite.org/vtab.html#the_xcreate_method>
public struct VirtualTableContext {
  /// The name of the module.
  public let module: String
  /// The name of the attached database, `main` for the first.
  public let database: String
  /// The name of the table.
  public let name: String
  /// What stands between the parentheses of `CREATE VIRTUAL TABLE`, cut at the commas.
  public let arguments: [String]
  /// True where the table is being created; false where it is there already and a connection comes
  /// to it.
  public let isNew: Bool
  // Weak: a table that kept its connection alive would never go.
  private weak var core: ConnectionCore?

  init(
    core: ConnectionCore, isNew: Bool, count: Int32,
    words: UnsafePointer<UnsafePointer<CChar>?>?
  ) {
    let words = (0..<Int(count)).map { words?[$0].map { String(cString: $0) } ?? "" }
    module = words.first ?? ""
    database = words.dropFirst().first ?? ""
    name = words.dropFirst(2).first ?? ""
    arguments = Array(words.dropFirst(3))
    self.isNew = isNew
    self.core = core
  }

  /// The connection of the table, for statements of its own; throws misuse once it is closed.
  public var connection: Connection {
    get throws {
      guard let core else { throw DatabaseError.misuse("the connection of the table is closed") }
      return core.lend()
    }
  }

  /// What a write does that violates a constraint, while `insert` or `update` runs.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/vtab_on_conflict.html>
  public var conflictResolution: ConflictResolution {
    get throws { ConflictResolution(of: try connection.use()) }
  }
}

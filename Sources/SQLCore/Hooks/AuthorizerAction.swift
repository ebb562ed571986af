/// An action of a statement, such as reading a column. While SQLite prepares a statement, it asks
/// the authorizer about each action.
///
/// - SeeAlso: <https://www.sqlite.org/c3ref/c_alter_table.html>
public struct AuthorizerAction: Hashable, Sendable {
  /// The kinds of actions. Each kind has the names of the objects that it concerns, such as tables
  /// and columns.
  public enum Kind: Hashable, Sendable {
    /// CREATE INDEX.
    case createIndex(index: String, table: String)
    /// CREATE TABLE.
    case createTable(table: String)
    /// CREATE INDEX on a temporary table.
    case createTemporaryIndex(index: String, table: String)
    /// CREATE TEMPORARY TABLE.
    case createTemporaryTable(table: String)
    /// CREATE TEMPORARY TRIGGER.
    case createTemporaryTrigger(trigger: String, table: String)
    /// CREATE TEMPORARY VIEW.
    case createTemporaryView(view: String)
    /// CREATE TRIGGER.
    case createTrigger(trigger: String, table: String)
    /// CREATE VIEW.
    case createView(view: String)
    /// Rows of the table are deleted.
    case delete(table: String)
    /// DROP INDEX.
    case dropIndex(index: String, table: String)
    /// DROP TABLE.
    case dropTable(table: String)
    /// DROP INDEX of a temporary table.
    case dropTemporaryIndex(index: String, table: String)
    /// DROP TABLE of a temporary table.
    case dropTemporaryTable(table: String)
    /// DROP TRIGGER of a temporary trigger.
    case dropTemporaryTrigger(trigger: String, table: String)
    /// DROP VIEW of a temporary view.
    case dropTemporaryView(view: String)
    /// DROP TRIGGER.
    case dropTrigger(trigger: String, table: String)
    /// DROP VIEW.
    case dropView(view: String)
    /// Rows are inserted into the table.
    case insert(table: String)
    /// PRAGMA, with its value if it has one.
    case pragma(name: String, value: String?)
    /// The column is read. The column's name is empty if the statement reads the table but none of
    /// its columns, as `SELECT count(*)` does.
    case read(table: String, column: String)
    /// SELECT.
    case select
    /// BEGIN, COMMIT or ROLLBACK.
    case transaction(operation: String)
    /// The column is updated.
    case update(table: String, column: String)
    /// ATTACH.
    case attach(file: String)
    /// DETACH.
    case detach(database: String)
    /// ALTER TABLE.
    case alterTable(database: String, table: String)
    /// REINDEX.
    case reindex(index: String)
    /// ANALYZE.
    case analyze(table: String)
    /// CREATE VIRTUAL TABLE.
    case createVirtualTable(table: String, module: String)
    /// DROP of a virtual table.
    case dropVirtualTable(table: String, module: String)
    /// The function is called.
    case function(name: String)
    /// SAVEPOINT, with the operation (BEGIN, RELEASE or ROLLBACK) and the name of the savepoint.
    case savepoint(operation: String, name: String)
    /// A recursive common table expression.
    case recursive
    /// An action that this version of the library does not know.
    case other(code: Int32, first: String?, second: String?)
  }

  /// The kind of action.
  public let kind: Kind
  /// The name of the database: `main`, or the name under which it is attached; nil if the action
  /// concerns no database.
  public let database: String?
  /// The innermost trigger or view that causes the action; nil if the statement itself causes it.
  public let trigger: String?

  init(
    code: Int32, first: UnsafePointer<CChar>?, second: UnsafePointer<CChar>?,
    database: UnsafePointer<CChar>?, trigger: UnsafePointer<CChar>?
  ) {
    let second = second.map { String(cString: $0) }
    kind = Kind(code: code, first.map { String(cString: $0) }, second)
    self.database = database.map { String(cString: $0) }
    self.trigger = trigger.map { String(cString: $0) }
  }
}

extension AuthorizerAction.Kind {
  /// Creates a kind from SQLite's code for an action, and from the two arguments that come with the
  /// code.
  fileprivate init(code: Int32, _ first: String?, _ second: String?) {
    let one = first ?? ""
    let two = second ?? ""
    switch code {
    case 1: self = .createIndex(index: one, table: two)
    case 2: self = .createTable(table: one)
    case 3: self = .createTemporaryIndex(index: one, table: two)
    case 4: self = .createTemporaryTable(table: one)
    case 5: self = .createTemporaryTrigger(trigger: one, table: two)
    case 6: self = .createTemporaryView(view: one)
    case 7: self = .createTrigger(trigger: one, table: two)
    case 8: self = .createView(view: one)
    case 9: self = .delete(table: one)
    case 10: self = .dropIndex(index: one, table: two)
    case 11: self = .dropTable(table: one)
    case 12: self = .dropTemporaryIndex(index: one, table: two)
    case 13: self = .dropTemporaryTable(table: one)
    case 14: self = .dropTemporaryTrigger(trigger: one, table: two)
    case 15: self = .dropTemporaryView(view: one)
    case 16: self = .dropTrigger(trigger: one, table: two)
    case 17: self = .dropView(view: one)
    case 18: self = .insert(table: one)
    case 19: self = .pragma(name: one, value: second)
    case 20: self = .read(table: one, column: two)
    case 21: self = .select
    case 22: self = .transaction(operation: one)
    case 23: self = .update(table: one, column: two)
    case 24: self = .attach(file: one)
    case 25: self = .detach(database: one)
    case 26: self = .alterTable(database: one, table: two)
    case 27: self = .reindex(index: one)
    case 28: self = .analyze(table: one)
    case 29: self = .createVirtualTable(table: one, module: two)
    case 30: self = .dropVirtualTable(table: one, module: two)
    case 31: self = .function(name: two)
    case 32: self = .savepoint(operation: one, name: two)
    case 33: self = .recursive
    default: self = .other(code: code, first: first, second: second)
    }
  }
}

extension Registrar {
  /// Calls `body` for each action of a statement, while the statement is prepared.
  ///
  /// ```swift
  /// try db.onAuthorize { action in
  ///   if case .read(table: "person", column: "salary") = action.kind { .ignore } else { .allow }
  /// }
  /// ```
  ///
  /// If `body` returns `.deny`, preparing the statement throws an error. If `body` throws,
  /// preparing the statement throws with the message of that error. The library's own authorizer
  /// decides first. If there are several listeners, the strictest decision counts. Statements that
  /// were already prepared are prepared and checked again. From now on, a `Database` keeps neither
  /// rows nor results in its cache. While `body` runs, its connection runs nothing else.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/set_authorizer.html>
  @discardableResult
  public func onAuthorize(
    _ body: @escaping @Sendable (AuthorizerAction) throws -> AuthorizerDecision
  ) throws -> HookListener {
    let listener = try listen(\.authorizer, body)
    // The cache is turned off, because it returns a cached row without a statement that the
    // authorizer could check.
    (self as? Database)?.cache.turnOff()
    return listener
  }
}

/// The decision of an authorizer about an action.
///
/// ```swift
/// try db.onAuthorize { action in action.database == "temp" ? .deny : .allow }
/// ```
///
/// - SeeAlso: <https://www.sqlite.org/c3ref/c_deny.html>
public enum AuthorizerDecision: Sendable {
  /// The action is allowed.
  case allow
  /// The action is ignored: a column reads as NULL instead of its value, and a function returns
  /// NULL. If the action is `.delete`, the rows are deleted nevertheless. Any other action is
  /// skipped without an error.
  case ignore
  /// The statement is rejected with an error.
  case deny
}

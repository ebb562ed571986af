import SQLCore

/// The result builder for the statements of a trigger, one on each line. `if`, `switch` and `for`
/// are evaluated when the trigger is declared, not when it fires.
@resultBuilder
public enum TriggerBuilder {
  /// Takes an update.
  public static func buildExpression<M>(_ update: Update<M>) -> [TriggerStatement] {
    [TriggerStatement(update)]
  }

  /// Takes a deletion.
  public static func buildExpression<M>(_ delete: Delete<M>) -> [TriggerStatement] {
    [TriggerStatement(delete)]
  }

  /// Takes an insert.
  public static func buildExpression<M>(_ insert: Insert<M>) -> [TriggerStatement] {
    [TriggerStatement { try insert.texts(inTriggerOf: $0) }]
  }

  /// Takes a query, which runs for the side effects of its expressions; its rows are discarded.
  public static func buildExpression(_ query: some Fetchable) -> [TriggerStatement] {
    [TriggerStatement(query.query.statement)]
  }

  /// Takes a `Raise`, by which the trigger raises an error or ends.
  public static func buildExpression(_ raise: Raise) -> [TriggerStatement] {
    [raise.where {}]
  }

  /// Takes a statement unchanged.
  public static func buildExpression(_ statement: TriggerStatement) -> [TriggerStatement] {
    [statement]
  }

  /// Takes a statement in SQL with interpolated columns:
  /// `"DELETE FROM cache WHERE post = \(old.$id)"`. Interpolated values become literals.
  public static func buildExpression(_ sql: SQLFragment) -> [TriggerStatement] {
    [TriggerStatement(sql)]
  }

  /// Takes a statement in SQL without interpolated columns.
  @_disfavoredOverload
  public static func buildExpression(_ sql: SQL) -> [TriggerStatement] {
    [TriggerStatement(SQLFragment(sql))]
  }

  /// Not available: a condition is not a statement.
  @available(*, unavailable, message: "a condition belongs in `when:`, or the where of a command")
  public static func buildExpression(_ predicate: SQLPredicate) -> [TriggerStatement] { [] }

  /// Not available: a trigger returns no rows.
  @available(*, unavailable, message: "a trigger returns no rows; leave out `returning`")
  public static func buildExpression<Command, Row>(
    _ command: Returning<Command, Row>
  ) -> [TriggerStatement] {
    []
  }

  /// Collects all lines.
  public static func buildBlock(_ lines: [TriggerStatement]...) -> [TriggerStatement] {
    lines.flatMap { $0 }
  }

  /// Takes the statements in an `if` without `else`.
  public static func buildOptional(_ lines: [TriggerStatement]?) -> [TriggerStatement] {
    lines ?? []
  }

  /// Takes the statements in an `if` that has an `else`.
  public static func buildEither(first lines: [TriggerStatement]) -> [TriggerStatement] { lines }

  /// Takes the statements in an `else`.
  public static func buildEither(second lines: [TriggerStatement]) -> [TriggerStatement] { lines }

  /// Collects the statements of all iterations of a `for`.
  public static func buildArray(_ lines: [[TriggerStatement]]) -> [TriggerStatement] {
    lines.flatMap { $0 }
  }
}

/// A statement of a trigger; programs do not create it directly.
public struct TriggerStatement {
  /// Returns the SQL of one or more statements. The argument says which rows are `OLD` and `NEW`.
  let texts: (TriggerRows) throws -> [String]

  init(texts: @escaping (TriggerRows) throws -> [String]) {
    self.texts = texts
  }

  init(_ statement: some Renderable) {
    texts = { try [$0.text(of: statement)] }
  }

  init(_ sql: SQLFragment) {
    texts = { rows in
      // Removes comments and semicolons at the end. A comment would hide the semicolon that the
      // trigger adds, and a second semicolon is a syntax error.
      let sql = SQLTokens(try rows.text { sql.node.write(to: &$0) })
      var tokens = sql.tokens[...]
      while tokens.last?.isSign(";") == true { tokens.removeLast() }
      guard !tokens.isEmpty else { throw QueryError("a statement in SQL is empty") }
      return [sql.text(tokens)]
    }
  }
}

extension Insert {
  /// Returns the SQL of the insert. An insert of models becomes one INSERT for each model. Any
  /// other insert becomes a single INSERT.
  func texts(inTriggerOf rows: TriggerRows) throws -> [String] {
    var texts: [String] = []
    if case .models(let models) = source {
      try forEach(of: models, M.layout) { model, _ in
        texts.append(try rows.text(of: try statement(for: model)))
      }
    } else {
      texts.append(try rows.text(of: statement()))
    }
    if texts.contains(where: { $0.hasSuffix(" DEFAULT VALUES") }) {
      throw QueryError(
        "a trigger cannot insert a row of only default values into \(M.tableName); set a column")
    }
    return texts
  }
}

/// The rows of a trigger. SQL names them `OLD` and `NEW`.
struct TriggerRows {
  let rows: [(table: TableID, source: TableReference.Source?)]

  /// Returns the SQL that a closure writes, with values as literals. The SQL may refer to the rows
  /// `OLD` and `NEW`.
  func text(_ write: (inout ShapeWriter) throws -> Void) throws -> String {
    try Shape { writer in
      writer.openScope(rows)
      try write(&writer)
    }.text(writingLiterals: true)
  }

  fileprivate func text(of statement: some Renderable) throws -> String {
    try text { try statement.write(to: &$0) }
  }
}

/// A call of SQLite's RAISE in a trigger: it raises an error, or ends the trigger for one row.
///
/// ```swift
/// Trigger("Post_keep", before: .delete) { old in
///   Raise(.abort, "a published post stays").where { old.$status == .published }
/// }
/// // SELECT RAISE(ABORT, 'a published post stays') WHERE OLD."status" = 'published'
/// ```
///
/// The statement that fired the trigger throws `DatabaseError` with the message. A query can also
/// select a `Raise`; the error is then raised if the query finds a row.
///
/// ```swift
/// Comment.where { $0.$postID == old.$id }.select { _ in Raise(.abort, "it has comments") }
/// // in the trigger: SELECT RAISE(ABORT, 'it has comments') FROM "Comment"
/// //   WHERE "Comment"."postID" = OLD."id"
/// ```
/// - SeeAlso: <https://www.sqlite.org/lang_createtrigger.html#the_raise_function>
public struct Raise: Sendable {
  /// The amount of work that is undone when a trigger raises an error.
  public enum Failure: String, Sendable {
    /// The changes of the statement are undone. This is the usual choice.
    case abort = "ABORT"
    /// The statement stops, and the rows that it has already written stay.
    case fail = "FAIL"
    /// The whole transaction is rolled back.
    case rollback = "ROLLBACK"
  }

  /// The way to end a trigger without an error.
  public enum Ending: Sendable {
    /// The trigger ends, and the statement continues with the next row.
    case ignore
  }

  private let call: String
  private let problem: QueryError?

  /// Raises an error with a message. SQL: `RAISE(ABORT, 'message')`
  public init(_ failure: Failure, _ message: String) {
    problem =
      message.utf8.contains(0)
      ? QueryError("the message of Raise contains U+0000: \(message.debugDescription)") : nil
    call = "RAISE(\(failure.rawValue), \(DatabaseValue.text(message)))"
  }

  /// Ends the trigger without an error. With `before:`, the row is not changed. With `after:`, the
  /// change of the row stays. SQL: `RAISE(IGNORE)`
  public init(_ ending: Ending) {
    problem = nil
    call = "RAISE(IGNORE)"
  }

  /// Raises the error only if all conditions of the closure are true. SQL:
  /// `SELECT RAISE(…) WHERE …`
  public func `where`(
    @PredicateBuilder _ predicates: () -> PredicateLines
  ) -> TriggerStatement {
    let predicates = predicates().nodes
    return TriggerStatement { rows in
      let text = try rows.text { writer in
        writer.token(.select)
        node.write(to: &writer)
        SelectStatement.write(predicates, behind: .where, to: &writer)
      }
      return [text]
    }
  }

  private var node: ExpressionNode {
    problem.map { .invalid($0) } ?? .fragment(SQL(unsafe: call))
  }
}

extension Raise: Selectable {
  /// The call of RAISE as a selected expression. It never returns a value. Programs do not use it
  /// directly.
  public var _selection: _SelectItem<Int> { SQLExpression<Int>(node)._selection }
}

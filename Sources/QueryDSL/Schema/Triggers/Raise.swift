import SQLCore

/// An error that a trigger raises, or the end of what it does for a row.
///
/// ```swift
/// Trigger("Post_keep", before: .delete) { old in
///   Raise(.abort, "a published post stays").where { old.$status == .published }
/// }
/// // SELECT RAISE(ABORT, 'a published post stays') WHERE OLD."status" = 'published'
/// ```
///
/// The statement that fired the trigger throws `DatabaseError` with the message. A query can also
/// select it, which raises the error if the query finds a row.
///
/// ```swift
/// Comment.where { $0.$postID == old.$id }.select { _ in Raise(.abort, "it has comments") }
/// // in the trigger: SELECT RAISE(ABORT, 'it has comments') FROM "Comment"
/// //   WHERE "Comment"."postID" = OLD."id"
/// ```
/// - SeeAlso: <https://www.sqlite.org/lang_createtrigger.html#the_raise_function>
public struct Raise: Sendable {
  /// The work that is undone when a trigger raises an error.
  public enum Failure: String, Sendable {
    /// The statement is undone: the usual choice.
    case abort = "ABORT"
    /// The statement stops, and the rows that it has written stay.
    case fail = "FAIL"
    /// The whole transaction is rolled back.
    case rollback = "ROLLBACK"
  }

  /// The way to end a trigger without an error.
  public enum Ending: Sendable {
    /// The row is left as it is, and the statement continues with the next one.
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

  /// Ends the trigger without an error. With `before:`, the row is not changed; with `after:`, its
  /// change stays. SQL: `RAISE(IGNORE)`
  public init(_ ending: Ending) {
    problem = nil
    call = "RAISE(IGNORE)"
  }

  /// Raises the error only if all lines hold. SQL: `SELECT RAISE(…) WHERE …`
  public func `where`(
    @PredicateBuilder _ predicates: () -> PredicateLines
  ) -> TriggerStatement {
    let predicates = predicates().nodes
    return TriggerStatement { sink in
      var sink = sink
      sink.token(.select)
      try node.write(to: &sink)
      try SelectStatement.write(predicates, behind: .where, to: &sink)
      return [sink.text]
    }
  }

  private var node: ExpressionNode {
    problem.map { .invalid($0) } ?? .fragment(SQL(unsafe: call))
  }
}

extension Raise: Selectable {
  /// The call, which never has a value; programs do not use it directly.
  public var _selection: _SelectItem<Int> { SQLExpression<Int>(node)._selection }
}

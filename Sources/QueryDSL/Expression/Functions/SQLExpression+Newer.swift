import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Functions that only newer versions of SQLite have. A program may be linked with one version and
// run with another, so the version is checked when a query is made. If the version is too old,
// rendering the query throws a `QueryError` that names the needed version.
// https://www.sqlite.org/changes.html

extension SQLiteLibrary {
  /// The SQLite version for which queries are written: the version of the linked library. Only
  /// tests set another version.
  @TaskLocal package static var queryVersion = versionNumber
}

extension ExpressionNode {
  /// Returns this expression or, if SQLite is older than `version`, an expression that cannot be
  /// rendered. Rendering it throws an error that names the needed version.
  fileprivate func since(_ version: Int, _ what: String) -> ExpressionNode {
    Self.problem(since: version, what).map { .invalid($0) } ?? self
  }

  fileprivate static func problem(since version: Int, _ what: String) -> QueryError? {
    guard SQLiteLibrary.queryVersion < version else { return nil }
    func text(_ number: Int) -> String {
      "\(number / 1_000_000).\(number / 1_000 % 1_000).\(number % 1_000)"
    }
    return QueryError(
      "\(what) needs SQLite \(text(version)) or newer, and this is SQLite "
        + text(SQLiteLibrary.queryVersion))
  }
}

extension SQLExpression where Value: TextColumnValue {
  /// Decodes a hexadecimal text into bytes; NULL if the text is not hexadecimal. The text may
  /// contain the characters of `separators` between bytes. SQL: `unhex(a, ?)`
  ///
  /// With SQLite before 3.41, rendering the query throws `QueryError`.
  public func unhex(ignoring separators: String = "") -> SQLExpression<Data?> {
    let others: [ExpressionNode] = separators.isEmpty ? [] : [.value(BoundValue(separators))]
    return SQLExpression<Data?>(
      .function("unhex", [node] + others).since(3_041_000, "unhex()"))
  }
}

extension SQLExpression where Value: JSONColumnValue {
  /// Returns the JSON in SQLite's binary form, which SQLite's JSON functions read faster than text.
  /// SQL: `jsonb(a)`
  ///
  /// With SQLite before 3.45, rendering the query throws `QueryError`.
  /// - SeeAlso: <https://www.sqlite.org/jsonb.html>
  public func jsonb() -> SQLExpression<Data?> {
    SQLExpression<Data?>(.function("jsonb", [node]).since(3_045_000, "jsonb()"))
  }

  /// Returns the JSON with a value inserted into an array, before the element at the path `steps`.
  /// SQL: `json_array_insert(a, ?, json(?))`
  ///
  /// ```swift
  /// Post.update { $0.$tags = $0.$tags.insertElement("swift", at: 0) }
  /// ```
  /// With SQLite before 3.53, rendering the query throws `QueryError`.
  public func insertElement<New: Codable & Sendable>(
    _ value: New, at steps: JSONStep...
  ) -> SQLExpression {
    let element = ExpressionNode.function("json", [.value(BoundValue(JSON(value)))])
    let node = at(steps) { .function("json_array_insert", [$0, $1, element]) }
    return SQLExpression(node.since(3_053_000, "json_array_insert()"))
  }
}

extension SQLExpression where Value == Data {
  /// Decodes SQLite's binary JSON. SQL: `json(a)`
  ///
  /// Bytes that are not binary JSON throw `DatabaseError` when the query runs. With SQLite before
  /// 3.45, rendering the query throws `QueryError`.
  public func json<Content: Codable & Sendable>(
    as type: Content.Type = Content.self
  ) -> SQLExpression<JSON<Content>> {
    SQLExpression<JSON<Content>>(.function("json", [node]).since(3_045_000, "JSONB"))
  }
}

extension SQLExpression where Value == Data? {
  /// Decodes SQLite's binary JSON; NULL stays NULL.
  /// SQL: `json(a)`
  ///
  /// Bytes that are not binary JSON throw `DatabaseError` when the query runs. With SQLite before
  /// 3.45, rendering the query throws `QueryError`.
  public func json<Content: Codable & Sendable>(
    as type: Content.Type = Content.self
  ) -> SQLExpression<JSON<Content>?> {
    SQLExpression<JSON<Content>?>(.function("json", [node]).since(3_045_000, "JSONB"))
  }
}

extension SQLExpression {
  /// Defines the order in which an aggregate takes the rows. SQL: `group_concat(a, ? ORDER BY b)`
  ///
  /// ```swift
  /// Post.select { $0.$title.groupConcat("; ").order(by: $0.$createdAt, .descending) }
  /// ```
  /// `order` must directly follow an aggregate or its `filter`. SQLite refuses an aggregate with
  /// both `order` and `over`. A second `order` sorts the rows that are equal in the first. With
  /// SQLite before 3.44, rendering the query throws `QueryError`.
  /// - SeeAlso: <https://www.sqlite.org/lang_aggfunc.html#aggorderby>
  public func order<Term: ColumnValue>(
    by term: SQLExpression<Term>, _ direction: SortDirection = .ascending,
    nulls: NullOrder? = nil
  ) -> SQLExpression {
    let term = SelectStatement.OrderTerm(term.collatedNode, direction, nulls)
    return SQLExpression(
      node.changingCall(for: "ORDER BY in an aggregate") { call in
        call.order.append(term)
        return call.kind == .window
          ? QueryError("\(call.name)() is not an aggregate function, so it cannot have ORDER BY")
          : ExpressionNode.problem(since: 3_044_000, "ORDER BY in an aggregate")
      }, form: form)
  }
}

import SQLCore

/// SQLite's plan for running a query: the result of EXPLAIN QUERY PLAN, as a tree.
///
/// ```swift
/// print(try db.explain(Post.where { $0.$status == .published }.order(by: \.$createdAt)))
/// // SEARCH Post USING INDEX Post_on_status_createdAt (status=?)
/// ```
/// The text comes from SQLite and changes from version to version, so it is only for people to
/// read.
/// - SeeAlso: <https://www.sqlite.org/eqp.html>
public struct QueryPlan: Hashable, Sendable, CustomStringConvertible {
  /// A step of the plan, with the steps inside it.
  public struct Node: Hashable, Sendable {
    /// The action in SQLite's words, such as `SCAN Post` or `USE TEMP B-TREE FOR ORDER BY`.
    public let detail: String
    /// The steps inside this step.
    public internal(set) var children: [Node]
  }

  /// The outermost steps, in the order in which they begin.
  public let nodes: [Node]

  /// The details of all steps, in the order in which they are printed.
  public var details: [String] {
    func details(of nodes: [Node]) -> [String] {
      nodes.flatMap { [$0.detail] + details(of: $0.children) }
    }
    return details(of: nodes)
  }

  /// The tree as text, with a line for each step.
  public var description: String {
    var lines: [String] = []
    func write(_ nodes: [Node], behind start: String) {
      for (index, node) in nodes.enumerated() {
        let isLast = index == nodes.count - 1
        lines.append(start + (isLast ? "└─ " : "├─ ") + node.detail)
        write(node.children, behind: start + (isLast ? "   " : "│  "))
      }
    }
    for node in nodes {
      lines.append(node.detail)
      write(node.children, behind: "")
    }
    return lines.joined(separator: "\n")
  }

  /// Builds the tree from the rows of EXPLAIN QUERY PLAN: the number of each step, the number of
  /// its parent step, and its detail.
  init(rows: [(id: Int, parent: Int, detail: String)]) {
    func nodes(under parent: Int, depth: Int) -> [Node] {
      // No step is inside itself. The limit guards against endless recursion if SQLite ever reports
      // such a step.
      guard depth < 1_000 else { return [] }
      return rows.filter { $0.parent == parent && $0.id != parent }.map {
        Node(detail: $0.detail, children: nodes(under: $0.id, depth: depth + 1))
      }
    }
    self.nodes = nodes(under: 0, depth: 0)
  }
}

extension Connection {
  /// Returns SQLite's plan for a query. The call runs one EXPLAIN QUERY PLAN statement, but not the
  /// query itself.
  ///
  /// Throws `QueryError` for a query that cannot be written as SQL, and `DatabaseError` if SQLite
  /// refuses the query.
  public func explain(_ query: some Fetchable) throws -> QueryPlan {
    try explain(try query.sql)
  }

  /// Returns SQLite's plan for an update or a deletion, without running the command. Apus treats
  /// the call as a write, so the call throws on a connection that only reads.
  public func explain(_ command: some Runnable) throws -> QueryPlan {
    try explain(try command.sql)
  }

  private func explain(_ sql: SQL) throws -> QueryPlan {
    // EXPLAIN does not check whether the schema has changed, so it might show the plan for an
    // older, cached schema. A statement that reads the file makes SQLite check.
    _ = try row("SELECT 1 FROM sqlite_schema LIMIT 1")
    let statement = try prepare("EXPLAIN QUERY PLAN \(sql)")
    var rows: [(id: Int, parent: Int, detail: String)] = []
    while try statement.step() {
      rows.append(
        (
          try statement.get(named: "id"), try statement.get(named: "parent"),
          try statement.get(named: "detail")
        ))
    }
    return QueryPlan(rows: rows)
  }
}

extension Database {
  /// Returns SQLite's plan for a query. Throws the errors of `Connection.explain`.
  public func explain(
    _ query: some Fetchable, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> QueryPlan {
    try read(fileID: fileID, line: line) { try $0.explain(query) }
  }

  /// Returns SQLite's plan for a query. Throws the errors of `Connection.explain`.
  public func explain(
    _ query: some Fetchable, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> QueryPlan {
    try await read(fileID: fileID, line: line) { try $0.explain(query) }
  }

  /// Returns SQLite's plan for an update or a deletion, without running the command. The call uses
  /// the writer, in a transaction.
  public func explain(_ command: some Runnable) throws -> QueryPlan {
    try write { try $0.explain(command) }
  }

  /// Returns SQLite's plan for an update or a deletion, without running the command. The call uses
  /// the writer, in a transaction.
  public func explain(_ command: some Runnable) async throws -> QueryPlan {
    try await write { try $0.explain(command) }
  }
}

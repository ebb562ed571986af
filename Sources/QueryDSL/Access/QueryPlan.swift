import SQLCore

/// How SQLite runs a query: what EXPLAIN QUERY PLAN says, as a tree.
///
/// ```swift
/// print(try db.explain(Post.where { $0.$status == .published }.order(by: \.$createdAt)))
/// // SEARCH Post USING INDEX Post_on_status_createdAt (status=?)
/// ```
/// The words are SQLite's own and change with its version: they are for reading.
/// - SeeAlso: <https://www.sqlite.org/eqp.html>
public struct QueryPlan: Hashable, Sendable, CustomStringConvertible {
  /// One step, with those that it consists of.
  public struct Node: Hashable, Sendable {
    /// What SQLite does, in its words: `SCAN Post`, `USE TEMP B-TREE FOR ORDER BY`.
    public let detail: String
    /// The steps inside it.
    public internal(set) var children: [Node]
  }

  /// The steps, in the order in which they begin.
  public let nodes: [Node]

  /// The steps, and those inside them, in the order in which they are printed.
  public var details: [String] {
    func details(of nodes: [Node]) -> [String] {
      nodes.flatMap { [$0.detail] + details(of: $0.children) }
    }
    return details(of: nodes)
  }

  /// The tree, a line a step.
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

  /// From rows of EXPLAIN QUERY PLAN: a step's number, that of the step around it, and its words.
  init(rows: [(id: Int, parent: Int, detail: String)]) {
    func nodes(under parent: Int, depth: Int) -> [Node] {
      // A step is never inside itself; the depth is there should SQLite ever say so.
      guard depth < 1_000 else { return [] }
      return rows.filter { $0.parent == parent && $0.id != parent }.map {
        Node(detail: $0.detail, children: nodes(under: $0.id, depth: depth + 1))
      }
    }
    self.nodes = nodes(under: 0, depth: 0)
  }
}

extension Connection {
  /// How SQLite would run a query, as a tree: one statement, EXPLAIN QUERY PLAN; the query itself
  /// does not run.
  ///
  /// Throws `QueryError` for a query that cannot be SQL, and `DatabaseError` for what SQLite
  /// refuses.
  public func explain(_ query: some Fetchable) throws -> QueryPlan {
    try explain(try query.sql)
  }

  /// How SQLite would run an update or a deletion, which does not run. SQLite counts it as writing:
  /// a connection that only reads throws.
  public func explain(_ command: some Runnable) throws -> QueryPlan {
    try explain(try command.sql)
  }

  private func explain(_ sql: SQL) throws -> QueryPlan {
    // EXPLAIN does not look whether the schema is another meanwhile: a statement that reads the
    // file does, and what the cache has would tell of the old one.
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
  /// How SQLite would run a query, as a tree; throws as `Connection.explain` does.
  public func explain(_ query: some Fetchable) throws -> QueryPlan {
    try read { try $0.explain(query) }
  }

  /// How SQLite would run a query, as a tree; throws as `Connection.explain` does.
  nonisolated(nonsending)
    public func explain(_ query: some Fetchable) async throws -> QueryPlan
  {
    try await read { try $0.explain(query) }
  }

  /// How SQLite would run an update or a deletion, which does not run; it asks for the writer.
  public func explain(_ command: some Runnable) throws -> QueryPlan {
    try write { try $0.explain(command) }
  }

  /// How SQLite would run an update or a deletion, which does not run; it asks for the writer.
  nonisolated(nonsending)
    public func explain(_ command: some Runnable) async throws -> QueryPlan
  {
    try await write { try $0.explain(command) }
  }
}

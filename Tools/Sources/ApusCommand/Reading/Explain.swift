import Apus
import ArgumentParser
import CommandInterface
import ToolOutput

struct Explain: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows how SQLite would run a statement, and which indexes it lacks.",
    discussion: """
      The statement does not run. An index is named only if SQLite would use it in place of a scan \
      or a sort.

      EXAMPLES:
        apus explain blog.sqlite "SELECT * FROM Post WHERE status = 'draft' ORDER BY createdAt"
      """)

  @OptionGroup var file: FileArgument
  @Argument(help: "The statement in SQL; - for the standard input.")
  var sql: String
  @OptionGroup var options: OutputOptions

  func run() throws {
    let output = options.output()
    let sql = try StatementArgument.sql(sql)
    let (steps, indexes) = try file.read { connection in
      // This call comes first, because it compiles the statement without EXPLAIN. If the statement
      // has a mistake, the error therefore contains the user's own text.
      let indexes = try connection.suggestedIndexes(for: sql)
      let steps = try connection.rows("EXPLAIN QUERY PLAN \(sql)").map { row in
        PlanStep(id: try row.get(at: 0), parent: try row.get(at: 1), detail: try row.get(at: 3))
      }
      return (steps, indexes)
    }
    guard output.format == .table else {
      return try output.rows(
        ["kind", "id", "parent", "text"],
        steps.map {
          [.text("step"), .integer(Int64($0.id)), .integer(Int64($0.parent)), .text($0.detail)]
        } + indexes.map { [.text("missing index"), .null, .null, .text($0.sql)] })
    }
    for line in PlanStep.tree(steps) { output.line(line) }
    if !indexes.isEmpty {
      output.line("missing \(indexes.count == 1 ? "index" : "indexes"):", .bold)
      for index in indexes { output.line("  \(index.sql)", .green) }
    }
  }
}

/// A step of SQLite's query plan.
struct PlanStep {
  let id: Int
  let parent: Int
  let detail: String

  /// Returns the steps as the lines of a tree.
  static func tree(_ steps: [PlanStep]) -> [String] {
    var lines: [String] = []
    func add(childrenOf parent: Int, _ indent: String) {
      let children = steps.filter { $0.parent == parent }
      for (index, step) in children.enumerated() {
        let isLast = index == children.count - 1
        lines.append(indent + (isLast ? "└─ " : "├─ ") + step.detail)
        add(childrenOf: step.id, indent + (isLast ? "   " : "│  "))
      }
    }
    add(childrenOf: 0, "")
    return lines
  }
}

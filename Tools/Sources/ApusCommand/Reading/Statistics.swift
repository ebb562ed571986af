import Apus
import ArgumentParser
import CommandInterface
import ToolOutput

struct Statistics: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Shows the size of the file, and of each table and index in it.",
    discussion: """
      Reads all pages. Sizes are in bytes; `unused` is the free room inside the pages of a table or \
      index. JSON has two results, `file` and `trees`; CSV has the trees.

      EXAMPLES:
        apus stats blog.sqlite
        apus stats blog.sqlite --json | jq '.trees[0]'
      """)

  @OptionGroup var file: FileArgument
  @OptionGroup var options: TableOptions

  func run() throws {
    let statistics = try file.read { try FileStatistics(of: $0) }
    let output = options.open()
    switch output.format {
    case .json:
      try output.object([
        ("file", statistics.factNames, [statistics.facts.map(\.value)]),
        ("trees", FileStatistics.treeColumns, statistics.trees ?? []),
      ])
    case .csv:
      guard let trees = statistics.trees else { throw FileStatistics.missing }
      try output.rows(FileStatistics.treeColumns, trees)
    case .table:
      try output.rows(
        ["of the file", "value"], statistics.facts.map { [.text($0.name), $0.value] })
      if let trees = statistics.trees {
        try output.rows(FileStatistics.treeColumns, trees)
      } else {
        output.line("\(FileStatistics.missing)", .dim)
      }
    }
  }
}

/// The sizes of a file and of the tables and indexes in it.
struct FileStatistics {
  static let missing = ReadableError(
    "sizes by table are missing: this SQLite was built without SQLITE_ENABLE_DBSTAT_VTAB")
  static let treeColumns = ["name", "kind", "table", "bytes", "pages", "entries", "unused"]

  private static let vacuumModes: [Int64: String] = [0: "none", 1: "full", 2: "incremental"]

  private(set) var facts: [(name: String, value: DatabaseValue)] = []
  /// A row for each table and index, the largest first; nil if SQLite was built without `dbstat`.
  let trees: [[DatabaseValue]]?

  var factNames: [String] { facts.map { $0.name.replacing(" ", with: "_") } }

  init(of connection: Connection) throws {
    func pragma(_ name: String) throws -> DatabaseValue {
      try connection.row("PRAGMA \(unsafe: name)")?[0] ?? .null
    }
    func integer(_ name: String) throws -> Int64 {
      if case .integer(let value) = try pragma(name) { value } else { 0 }
    }
    let size = try integer("page_size")
    let count = try integer("page_count")
    let free = try integer("freelist_count")
    facts = [
      ("bytes", .integer(size * count)), ("page size", .integer(size)),
      ("pages", .integer(count)), ("free pages", .integer(free)),
      ("journal mode", try pragma("journal_mode")), ("encoding", try pragma("encoding")),
      ("auto vacuum", .text(Self.vacuumModes[try integer("auto_vacuum")] ?? "unknown")),
      ("schema version", try pragma("schema_version")),
      ("user version", try pragma("user_version")),
      ("application id", try pragma("application_id")),
    ]
    guard try connection.row("SELECT 1 FROM pragma_module_list WHERE name = 'dbstat'") != nil else {
      trees = nil
      return
    }
    // The inner pages of an index have entries too, and these are counted. The inner pages of a
    // table have no payload: they only refer to other pages.
    trees = try connection.rows(
      """
      SELECT stat.name, coalesce(schema.type, 'table'), coalesce(schema.tbl_name, stat.name),
        sum(pgsize), count(*), sum(ncell) FILTER (WHERE pagetype = 'leaf' OR payload > 0),
        sum(unused)
      FROM dbstat AS stat LEFT JOIN sqlite_schema AS schema USING (name)
      GROUP BY stat.name ORDER BY 4 DESC, 1
      """
    ).map(\.values)
  }
}

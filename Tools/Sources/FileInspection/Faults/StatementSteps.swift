import Apus
import ToolOutput

/// An estimate of how many steps of SQLite's virtual machine a statement takes that reads whole
/// tables, for a line that shows how far it has come.
///
/// EXPLAIN shows the statement's program. Each loop over a table is walked through once: the way of a
/// row in which nothing is wrong. The steps of that way, times the rows of the table, are the estimate.
/// - SeeAlso: <https://www.sqlite.org/opcode.html>
struct StatementSteps {
  /// The number of steps; 0 if it is not known.
  private(set) var count = 0
  /// The number of rows that are read.
  private(set) var rowCount = 0

  /// Creates the estimate for a statement; an unknown one if the file is too damaged for it.
  ///
  /// - Parameter progress: rows are counted only if this line is seen.
  init(of sql: SQL, in connection: Connection, _ progress: ProgressLine) {
    guard progress.isVisible else { return }
    try? estimate(sql, in: connection)
  }

  private mutating func estimate(_ sql: SQL, in connection: Connection) throws {
    let program = try connection.rows("EXPLAIN \(sql)").map { row in
      Instruction(
        name: try row.get(String.self, at: 1), cursor: try row.get(Int.self, at: 2),
        target: try row.get(Int.self, at: 3))
    }
    let tables = try connection.rows(
      "SELECT rootpage, tbl_name FROM sqlite_schema WHERE rootpage > 0"
    ).map { (try $0.get(Int.self, at: 0), try $0.get(String.self, at: 1)) }
    let names = Dictionary(tables) { first, _ in first }
    var counts: [String: Int] = [:]
    var roots: [Int: Int] = [:]
    var starts: Set<Int> = []
    for (place, instruction) in program.enumerated() {
      switch instruction.name {
      case "OpenRead": roots[instruction.cursor] = instruction.target
      case "Rewind": starts.insert(place + 1)
      case "Next" where starts.contains(instruction.target):
        guard let name = roots[instruction.cursor].flatMap({ names[$0] }) else { continue }
        let rows = try counts[name] ?? connection.rowCount(of: name)
        counts[name] = rows
        rowCount += rows
        count += rows * Self.length(of: instruction.target...place, in: program)
      default: break
      }
    }
  }

  /// Creates an estimate from the steps of a row.
  init(perRow steps: Int, rowCount: Int) {
    count = steps * rowCount
    self.rowCount = rowCount
  }

  private struct Instruction {
    let name: String
    let cursor: Int
    let target: Int
  }

  /// Returns the number of instructions of a loop that run for a row in which nothing is wrong: jumps go
  /// over what reports a fault.
  private static func length(of loop: ClosedRange<Int>, in program: [Instruction]) -> Int {
    var (place, length) = (loop.lowerBound, 0)
    while place < loop.upperBound {
      length += 1
      let next = program[place]
      let isTaken = jumps.contains(next.name) && place < next.target
      place = isTaken ? min(next.target, loop.upperBound) : place + 1
    }
    return length + 1
  }

  private static let jumps: Set<String> = [
    "Eq", "Found", "Ge", "Goto", "Gt", "IdxGT", "If", "IfNot", "IfPos", "IsType", "Le", "Lt", "Ne",
    "NotNull",
  ]
}

extension Connection {
  fileprivate func rowCount(of table: String) throws -> Int {
    try row("SELECT count(*) FROM \(identifier: table)")?.get(Int.self, at: 0) ?? 0
  }

  /// Returns an estimate for the check of a full-text index.
  func steps(ofSearchIndex name: String, _ progress: ProgressLine) -> StatementSteps {
    // SQLite's tables of an index without sizes have other names.
    let rows = progress.isVisible ? try? rowCount(of: "\(name)_docsize") : nil
    return StatementSteps(perRow: 13, rowCount: rows ?? 0)
  }

  /// Runs a statement, and shows how far it has come.
  func following<Result>(
    _ steps: StatementSteps, _ verb: String, _ progress: ProgressLine,
    _ body: () throws -> Result
  ) throws -> Result {
    guard progress.isVisible else { return try body() }
    progress.begin(verb)
    let shown = ShownSteps(steps, progress)
    let listener = try onProgress(every: ShownSteps.interval) { shown.advance() }
    defer { try? remove(listener) }
    return try body()
  }
}

/// `@unchecked Sendable`: the thread that runs the statement is the only one that calls it.
private final class ShownSteps: @unchecked Sendable {
  static let interval = 4_000
  private let steps: StatementSteps
  private let line: ProgressLine
  private var done = 0

  init(_ steps: StatementSteps, _ line: ProgressLine) {
    self.steps = steps
    self.line = line
  }

  func advance() {
    guard steps.count > 0 else { return }
    done += Self.interval
    // The estimate may be too low; all rows are read when the statement has ended.
    let share = min(0.99, Double(done) / Double(steps.count))
    line.update(rows: (Int(share * Double(steps.rowCount)), of: steps.rowCount))
  }
}

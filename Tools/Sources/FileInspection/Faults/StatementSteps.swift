import Apus
import ToolOutput

/// An estimate of the steps of SQLite's virtual machine for a statement that reads whole tables. A
/// progress line needs it to show how far the statement has come.
///
/// EXPLAIN shows the statement's program. In each loop over a table, the instructions that run for
/// a row without a fault are counted, and their number is multiplied by the number of rows. The sum
/// over all loops is the estimate.
/// - SeeAlso: <https://www.sqlite.org/opcode.html>
struct StatementSteps {
  /// The number of steps; 0 if it is not known.
  private(set) var count = 0
  /// The number of rows that are read.
  private(set) var rowCount = 0

  /// Creates the estimate for a statement. If the file is too damaged to make an estimate, `count`
  /// may stay 0.
  ///
  /// - Parameter progress: rows are counted only if this line is visible.
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

  /// Creates an estimate from the number of steps for each row, and the number of rows.
  init(perRow steps: Int, rowCount: Int) {
    count = steps * rowCount
    self.rowCount = rowCount
  }

  private struct Instruction {
    let name: String
    let cursor: Int
    let target: Int
  }

  /// Returns the number of instructions of a loop that run for a row without a fault. Each forward
  /// jump counts as taken, because such jumps skip the instructions that report a fault.
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
    // If the index does not store the sizes of its texts, it has no table `…_docsize`. The number
    // of its rows is then not known.
    let rows = progress.isVisible ? try? rowCount(of: "\(name)_docsize") : nil
    return StatementSteps(perRow: 13, rowCount: rows ?? 0)
  }

  /// Runs a closure, which runs a statement. Meanwhile, shows how far the statement has come.
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

/// `@unchecked Sendable`: only the thread that runs the statement calls `advance()`.
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
    // The estimate may be too low, so at most 99 % are shown before the statement has ended.
    let share = min(0.99, Double(done) / Double(steps.count))
    line.update(rows: (Int(share * Double(steps.rowCount)), of: steps.rowCount))
  }
}

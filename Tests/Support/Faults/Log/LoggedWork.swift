import Apus
import ApusHistory
import Foundation

/// A program with a change log: it writes, undoes, redoes, and applies the transactions of another
/// database. Each step is one entry of the log.
///
/// Every transaction moves amounts from rows to other rows, so that the sum of all amounts is zero
/// after whole transactions only.
final class LoggedWork {
  struct Amount: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var value: Int
    @Column var note: String

    static var schema: Schema<Amount> { Logged() }
  }

  let db: Database
  private let history: ApusHistory.History
  private let other: Database
  private let otherIDs: ClosedRange<Int>
  private var random: SeededGenerator

  /// - Parameter number: chooses the keys of the other database, which no earlier one may have.
  init(
    path: String, number: Int, configuration: Configuration, random: SeededGenerator
  ) throws {
    db = try Database(path: path, models: [Amount.self], configuration: configuration)
    history = try ApusHistory.History(of: [Amount.self], inLogOf: db, groupsByLabel: false)
    other = try Database.inMemory(models: [Amount.self])
    otherIDs = (number + 1) * 1_000...(number + 1) * 1_000 + 9
    self.random = random
  }

  func step() throws {
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1:
      if try !invert({ $0.undoable }, { try history.undo($0) }) { try write() }
    case 2:
      if try !invert({ $0.redoable }, { try history.redo($0) }) { try write() }
    case 3, 4: try apply()
    default: try write()
    }
  }

  private func write() throws {
    try db.write(label: "own") { try move($0, among: 1...12) }
  }

  /// Undoes or redoes the next step; returns false without one.
  ///
  /// Only the next one: what has its former value already stays as it is when another step is
  /// undone, so that the sum of the amounts would not stay zero.
  private func invert(
    _ steps: (HistorySteps) -> [HistoryStep], _ invert: (HistoryStep) throws -> HistoryOutcome?
  ) throws -> Bool {
    guard let step = steps(try history.steps()).last else { return false }
    return try invert(step) != nil
  }

  private func apply() throws {
    try other.write(label: "other") { try move($0, among: otherIDs) }
    let position = try db.log.appliedPosition(of: other.log.identity)
    let applied = try db.log.apply(other.log.batch(after: position))
    try require(applied.count == 1, "\(applied.count) transactions were applied instead of one")
  }

  /// Moves an amount from one row to another, by statements of several kinds.
  private func move(_ tx: Connection, among ids: ClosedRange<Int>) throws {
    let from = Int.random(in: ids, using: &random)
    let others = ids.filter { $0 != from }
    let to = others.randomElement(using: &random) ?? from
    let amount = Int.random(in: 1...3, using: &random)
    let note = "note \(Int.random(in: 0..<1_000_000, using: &random))"
    if Bool.random(using: &random) {
      try? tx.savepoint { tx in
        try tx.execute("DELETE FROM Amount WHERE id <> \(from)")
        throw Violation("undone")
      }
    }
    for (id, difference) in [(from, -amount), (to, amount)] {
      let value = try tx.find(Amount.self, id)?.value ?? 0
      switch (value + difference, Int.random(in: 0..<3, using: &random)) {
      case (0, 0...1): try tx.execute("DELETE FROM Amount WHERE id = \(id)")
      case (let sum, 1):
        try tx.execute("INSERT OR REPLACE INTO Amount VALUES (\(id), \(sum), \(note))")
      case (let sum, _): try tx.save(Amount(id: id, value: sum, note: note))
      }
    }
  }
}

extension LoggedWork {
  /// Whether the process with this number is a program that knows nothing of the log.
  static func isPlain(_ number: Int) -> Bool { number % 4 == 3 }

  /// The work of the process that is killed. It reports how many entries the log has.
  static func child(path: String, number: Int) throws {
    guard !isPlain(number) else { return try plainChild(path: path) }
    let work = try LoggedWork(
      path: path, number: number, configuration: .ofTrials(),
      random: SeededGenerator(seed: 0, number: number))
    let count = try work.db.row("SELECT count(*) FROM apus_log_entry")?.get(Int.self, at: 0) ?? 0
    for step in 1... {
      try work.step()
      ChildRun.say("did 0 \(count + step)")
    }
  }

  /// A program that knows nothing of the log. The first of its two rows counts its transactions.
  private static func plainChild(path: String) throws {
    let connection = try PlainConnection(path: path)
    try connection.execute(
      "INSERT OR IGNORE INTO Amount VALUES (\(plainID), 0, ''), (\(plainID + 1), 0, '')")
    guard case .integer(let count)? = try connection.rows(plainCount).first?.first else { return }
    for step in 1... {
      try connection.execute(
        """
        BEGIN IMMEDIATE;
        UPDATE Amount SET value = value + 1 WHERE id = \(plainID);
        UPDATE Amount SET value = value - 1 WHERE id = \(plainID + 1);
        COMMIT
        """)
      ChildRun.say("did 1 \(Int(count) + step)")
    }
  }

  static let plainID = 500
  static let plainCount = "SELECT value FROM Amount WHERE id = \(plainID)"
}

import CFaults
import Foundation
import Synchronization

/// R6: bits flip, pages vanish, and files end early.
enum CorruptFiles: Trial {
  static let name = "R6"
  static let title = "corrupt files"
  static let unit = "files"
  static let quick = 2_000
  static let full = 100_000
  static let partSize = 250

  static func run(_ numbers: Range<Int>, seed: UInt64, tally: inout Tally) async throws {
    let originals = try Originals()
    for number in numbers {
      Progress.show(number)
      var random = SeededGenerator(seed: seed, number: number)
      let damaged = try Folder(isWatched: false)
      try originals.copy(to: damaged, withLog: Bool.random(using: &random))
      let damage = try Damage.draw(for: damaged, using: &random)
      let label = "R6 \(number) seed \(seed): \(damage)"
      do {
        try compare(damaged, &tally)
        try await DamagedUse.use(damaged, &tally)
      } catch {
        tally.fail(label, error)
      }
      tally.count(unit)
    }
  }

  private static let queries = [
    "SELECT * FROM Account", "SELECT * FROM Entry ORDER BY id DESC",
    "SELECT * FROM Account WHERE name > 'account 3' ORDER BY name",
    "SELECT accountID, count(*), sum(amount) FROM Entry GROUP BY accountID",
    "SELECT * FROM Account JOIN Entry ON accountID = Account.id WHERE Account.id < 20",
    "SELECT integrity_check = 'ok' FROM pragma_integrity_check(1)", "SELECT * FROM sqlite_schema",
  ]

  /// Requires that the library throws a typed error, or gives the same answer as the C interface.
  private static func compare(_ damaged: Folder, _ tally: inout Tally) throws {
    let (first, second) = (try Folder(isWatched: false), try Folder(isWatched: false))
    try first.copy(Scenario.file, from: damaged)
    try second.copy(Scenario.file, from: damaged)
    let plain = PlainAnswers(path: first.file(Scenario.file), queries)
    let steps = StepLimit()
    let db: OnTrial.Database
    do {
      db = try OnTrial.open(second.file(Scenario.file), limit: steps)
    } catch {
      try require(OnTrial.isTyped(error), "opening threw \(type(of: error)): \(error)")
      return tally.count("refused")
    }
    for (query, plain) in zip(queries, plain.answers) {
      steps.begin()
      do {
        let rows = try OnTrial.rows(of: query, in: db)
        var digest = Digest()
        for row in rows { for value in row { digest.add(value) } }
        guard try isAnswer(digest.value, of: plain, to: query, damaged, &tally) else {
          throw Violation(
            "\(query) returned \(difference(of: rows, query, damaged))",
            kind: "a different answer")
        }
        tally.count("equal answers")
      } catch let violation as Violation {
        throw violation
      } catch {
        try require(
          OnTrial.isTyped(error), "\(query) threw \(type(of: error)): \(error)",
          kind: "an undocumented error")
        try require(
          !steps.isExceeded || plain.isExceeded, "\(query) does not end",
          kind: "a query that does not end")
        tally.count("errors")
      }
    }
    try? OnTrial.close(db)
  }

  /// Returns whether the C interface gives these rows. If a damaged page makes SQLite read the
  /// memory after it, answers vary, so both sides are asked again.
  private static func isAnswer(
    _ digest: UInt64, of plain: PlainAnswers.Answer, to query: String, _ damaged: Folder,
    _ tally: inout Tally
  ) throws -> Bool {
    if plain == .rows(digest) { return true }
    for _ in 0..<30 {
      let folder = try Folder(isWatched: false)
      try folder.copy(Scenario.file, from: damaged)
      let path = folder.file(Scenario.file)
      guard
        PlainAnswers(path: path, [query]).answers.first != plain
          || self.digest(of: query, path) != digest
      else { continue }
      tally.count("answers that vary")
      return true
    }
    return false
  }

  /// Returns the digest of the rows that the library gives; nil if it throws.
  private static func digest(of query: String, _ path: String) -> UInt64? {
    guard let db = try? OnTrial.open(path, limit: StepLimit()) else { return nil }
    defer { try? OnTrial.close(db) }
    guard let rows = try? OnTrial.rows(of: query, in: db) else { return nil }
    var digest = Digest()
    for row in rows { for value in row { digest.add(value) } }
    return digest.value
  }

  /// Describes the first difference between the rows and those of the C interface, for the report.
  private static func difference(
    of rows: [[PlainValue]], _ query: String, _ damaged: Folder
  ) -> String {
    guard let folder = try? Folder(isWatched: false),
      (try? folder.copy(Scenario.file, from: damaged)) != nil,
      let plain = try? PlainConnection(path: folder.file(Scenario.file)).rows(query)
    else { return "\(rows.count) rows, but the C interface failed" }
    for (row, other) in zip(rows, plain) where row != other {
      for (value, other) in zip(row, other) where value != other {
        return "\(value), but the C interface \(other)"
      }
    }
    return "\(rows.count) rows, but the C interface \(plain.count)"
  }

  static func judge(_ tally: Tally) -> [String] {
    ["equal answers", "errors", "refused"].filter { tally.counts[$0, default: 0] == 0 }
      .map { "there were no \($0)" }
  }
}

/// A limit for the number of virtual machine steps that a statement may take.
final class StepLimit: Sendable {
  static let interval = 4_000
  static let maximum = 2_000
  private let taken = Atomic(0)

  struct Exceeded: Error {}

  func begin() { taken.store(0, ordering: .relaxed) }

  func take() throws {
    if taken.wrappingAdd(1, ordering: .relaxed).newValue > Self.maximum { throw Exceeded() }
  }

  var isExceeded: Bool { taken.load(ordering: .relaxed) > Self.maximum }
}

/// The answers of the C interface to queries.
struct PlainAnswers {
  enum Answer: Equatable {
    case rows(UInt64)
    case failed(Int32, isExceeded: Bool)

    var isExceeded: Bool { if case .failed(_, true) = self { true } else { false } }
  }

  private(set) var answers: [Answer] = []

  init(path: String, _ queries: [String]) {
    guard let connection = try? PlainConnection(path: path) else {
      answers = queries.map { _ in .failed(SQLITE_CANTOPEN, isExceeded: false) }
      return
    }
    // The file is opened in the way of the library.
    for sql in ["PRAGMA journal_mode = WAL", "PRAGMA foreign_keys = ON"] {
      try? connection.execute(sql)
    }
    for sql in OnTrial.openingSQL(path) { try? connection.execute(sql) }
    for query in queries {
      var digest = Digest()
      do {
        sqlite3_progress_handler(
          connection.handle, Int32(StepLimit.interval * StepLimit.maximum), { _ in 1 }, nil)
        try connection.forEach(query) { digest.add($0) }
        answers.append(.rows(digest.value))
      } catch let error as PlainError {
        answers.append(.failed(error.code, isExceeded: error.code == SQLITE_INTERRUPT))
      } catch {
        answers.append(.failed(SQLITE_ERROR, isExceeded: false))
      }
    }
  }
}

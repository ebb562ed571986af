import Apus
import Foundation
import Synchronization

/// R9: text that looks like SQL is used as a value, pattern, path and name.
enum Injection: Trial {
  static let name = "R9"
  static let title = "injection"
  static let unit = "texts"
  static let quick = 1_500
  static let full = 20_000
  static let partSize = 1_500

  struct Note: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var text: String
    @Column var json: JSON<[String: String]>
  }

  static func run(_ numbers: Range<Int>, seed: UInt64, tally: inout Tally) async throws {
    try tryTexts(numbers, seed: seed, tally: &tally)
  }

  private static func tryTexts(_ numbers: Range<Int>, seed: UInt64, tally: inout Tally) throws {
    let db = try Database.inMemory(models: [Note.self])
    try db.execute("CREATE TABLE Witness (id INTEGER PRIMARY KEY); INSERT INTO Witness VALUES (1)")
    // The table of bound arrays is declared to SQLite when it is first read.
    _ = try db.fetch(Note.where { $0.$text.isIn(["x"]) })
    let log = AuthorizerLog()
    try db.onAuthorize { log.note($0) }
    for number in numbers {
      var random = SeededGenerator(seed: seed, number: number)
      let text = HostileText.draw(number, using: &random)
      do {
        try log.permitting(["Note"]) { try asValue(text, number, db) }
        try asName(text, db, log, &tally)
        try require(
          try db.rows("SELECT id FROM Witness").map(\.values) == [[1]], "the witness changed")
      } catch {
        tally.fail("R9 \(number) seed \(seed): \(text.debugDescription): \(error)")
      }
      tally.count(unit)
    }
    tally.count("actions authorized", log.count)
    try require(log.count > numbers.count, "the authorizer was not called")
  }

  private static func asValue(_ text: String, _ number: Int, _ db: Database) throws {
    let note = Note(id: number, text: text, json: JSON([text: text]))
    try db.save(note)
    try require(try db.find(Note.self, number) == note, "a different note was read")
    try require(
      try db.fetch(Note.where { $0.$text == text }).contains(note),
      "the note is not found by its text")
    try require(
      try db.fetch(Note.where { $0.$text.isIn([text, "x"]) }).contains(note),
      "the note is not found by a list that contains its text")
    let row = try db.row("SELECT \(text), id FROM Note WHERE text = \(text) AND id = \(number)")
    try require(row?[0] == .text(text), "raw SQL returned \(String(describing: row))")
    // Patterns and paths may match anything, but must read nothing else.
    _ = try db.fetch(Note.where { $0.$text.like(text) || $0.$text.glob(text) })
    _ = try db.fetch(Note.where { $0.$text.like(text, escape: "\\") })
    let value = try? db.fetch(
      Note.where { $0.$id == number }.select { $0.$json.value(at: .key(text), as: String.self) })
    try require(value == nil || value == [text], "the path returned \(String(describing: value))")
    try db.run(Note.update { $0.$text = text + "'" }.where { $0.$text == text })
    try db.run(Note.delete().where { $0.$id == number })
  }

  /// Requires that a name is taken literally or refused.
  private static func asName(
    _ text: String, _ db: Database, _ log: AuthorizerLog, _ tally: inout Tally
  ) throws {
    guard !["note", "witness"].contains(text.lowercased()) else { return }
    do {
      try log.permitting([text, "sqlite_master", "sqlite_schema"]) {
        try db.execute("CREATE TABLE \(identifier: text) (\(identifier: text) INTEGER)")
        try db.execute("INSERT INTO \(identifier: text) (\(identifier: text)) VALUES (\(7))")
        let rows = try db.rows("SELECT \(identifier: text) FROM \(identifier: text)")
        try require(rows.map(\.values) == [[7]] && rows[0].columnNames == [text], "\(rows)")
      }
      try db.execute("DROP TABLE \(identifier: text)")
      tally.count("names taken")
    } catch let error where OnTrial.isTyped(error) {
      tally.count("names refused")
      try require(
        text.isEmpty || text.contains("\0") || text.lowercased().hasPrefix("sqlite_"),
        "the name was refused: \(error)")
    }
  }
}

/// The actions that statements asked permission for, compared with the tables that they may use.
final class AuthorizerLog: Sendable {
  private struct State {
    var permitted: Set<String>?
    var offences: [String] = []
    var count = 0
  }

  private let state = Mutex(State())

  var count: Int { state.withLock { $0.count } }

  func note(_ action: AuthorizerAction) -> AuthorizerDecision {
    let table: String?
    var isMeant = true
    switch action.kind {
    case .read(let name, _), .insert(let name), .delete(let name), .update(let name, _),
      .createTable(let name):
      table = name
    case .select, .function, .transaction, .savepoint, .recursive: table = nil
    default:
      table = nil
      isMeant = false
    }
    state.withLock { state in
      state.count += 1
      guard let permitted = state.permitted else { return }
      // `isIn` reads the table of bound arrays.
      if let table, !permitted.contains(table), table != "apus_array" { isMeant = false }
      if !isMeant { state.offences.append("\(action.kind)") }
    }
    return .allow
  }

  /// Runs a closure whose statements may use only the given tables.
  func permitting(_ tables: Set<String>, _ body: () throws -> Void) throws {
    state.withLock { state in
      state.permitted = tables
      state.offences = []
    }
    defer { state.withLock { $0.permitted = nil } }
    try body()
    let offences = state.withLock { $0.offences }
    try require(offences.isEmpty, "a statement tried to \(offences)")
  }
}

enum HostileText {
  private static let pieces = [
    "\"", "'", "`", "[", "]", ";", "--", "/*", "*/", "\\", "\0", "\n", "?", "?1", ":a", "@b", "$c",
    "DROP TABLE Witness", "'; DROP TABLE Witness; --", "\"); DELETE FROM Witness; --",
    "1=1", " OR 1=1 --", " UNION SELECT id FROM Witness", "sqlite_schema", "ATTACH 'x' AS y",
    "\"\u{301}", "'\u{301}", "%", "_", "é", "e\u{301}", "🐦", "\u{202E}", "\u{FEFF}", "\u{FF07}",
    "SELECT", "value", "text", "Note", "rowid", "NULL", "true", "count(*)", ")", "(", ",", " ",
    "x'00'", "$.a", "$[#-1]", "[*]", "load_extension('x')", "writefile('/x', 'y')", "\u{2028}",
    "\r", "\t", "PRAGMA writable_schema=ON", "||", "''", "\"\"", "char(39)", "0x27",
  ]

  static func draw(_ number: Int, using random: inout SeededGenerator) -> String {
    if number < pieces.count { return pieces[number] }
    return (0...Int.random(in: 1...6, using: &random))
      .compactMap { _ in pieces.randomElement(using: &random) }.joined()
  }
}

import Apus
import Foundation

/// A trial that opens one table of another program with one model.
struct ForeignMigration: CustomStringConvertible {
  private let column: ForeignColumn
  private let type: ForeignType
  /// The values of the rows, in SQL; the first one is under trial.
  private let values: [String]
  private let isRenamed: Bool
  private let encoding: String
  private let deletes: Bool
  private let plants: Bool
  private let draw: UInt64

  init(number: Int, pair: Int, seed: UInt64) {
    let columns = ForeignColumn.all
    column = columns[pair % columns.count]
    type = ForeignType.all[pair / columns.count % ForeignType.all.count]
    // Each pair begins at a value of its own, and goes through all values.
    var ofPair = SeededGenerator(seed: seed, number: pair)
    let first = Int.random(in: 0..<ForeignValues.all.count, using: &ofPair)
    let step = number / (columns.count * ForeignType.all.count)
    // The step 37 has no common divisor with the number of values, so that all are met.
    let tried = ForeignValues.all[(first + step * 37) % ForeignValues.all.count]
    var random = SeededGenerator(seed: seed, number: number)
    let others =
      Int.random(in: 0..<3, using: &random) == 0 ? Int.random(in: 1...3, using: &random) : 0
    values =
      [tried] + (0..<others).map { _ in ForeignValues.all.randomElement(using: &random) ?? "NULL" }
    isRenamed = Bool.random(using: &random)
    let encodings = ["UTF-8", "UTF-8", "UTF-8", "UTF-8", "UTF-8", "UTF-16le", "UTF-16be"]
    encoding = encodings.randomElement(using: &random) ?? "UTF-8"
    deletes = Int.random(in: 0..<8, using: &random) == 0
    plants = Int.random(in: 0..<4, using: &random) == 0
    draw = random.next()
  }

  var description: String {
    "\(column) \(values.joined(separator: ", ")) (\(encoding)) as \(type.name)"
      + (isRenamed ? ", renamed" : "") + (deletes ? ", deleting" : "")
  }

  func run(_ tally: inout Tally) throws {
    let folder = try Folder(isWatched: false)
    let path = folder.file("foreign.sqlite")
    guard try create(path) else { return tally.count("values that the column does not accept") }
    let plain = try PlainConnection(path: path)
    let before = try ForeignTable(plain)
    let db: Database
    do {
      db = try Database(
        path: path, models: [isRenamed ? type.renamedModel : type.model],
        configuration: Self.configuration,
        migration: MigrationOptions(invalidValues: deletes ? .deleted : .refused))
    } catch let error as MigrationError {
      try require(!error.plan.refusals.isEmpty, "the migration failed while it ran: \(error)")
      try require(
        try ForeignTable(plain) == before, "the migration was refused, but the file changed")
      return tally.count("refused")
    }
    defer { try? db.close() }
    let comparison = Comparison(
      before: before, after: try ForeignTable(plain), type: type, isRenamed: isRenamed,
      deletes: deletes)
    let findings = comparison.findings(in: db, &tally)
    try require(findings.isEmpty, findings.joined(separator: "; "))
    if plants { try plant(comparison, plain, db, &tally) }
  }

  private static let configuration: Configuration = {
    var configuration = Configuration()
    configuration.synchronous = .off
    configuration.maximumReaders = 1
    return configuration
  }()

  /// Creates the table. Returns false if SQLite refuses the value under trial.
  private func create(_ path: String) throws -> Bool {
    let plain = try PlainConnection(creating: path)
    try plain.execute(
      """
      PRAGMA encoding = '\(encoding)'; PRAGMA synchronous = OFF;
      CREATE TABLE "Foreign Row" (id INTEGER PRIMARY KEY NOT NULL, value \(column.type),
        other TEXT NOT NULL DEFAULT '7')\(column.isStrict ? " STRICT" : "")
      """)
    for (index, value) in values.enumerated() {
      do {
        try plain.execute("INSERT INTO \"Foreign Row\" (id, value) VALUES (\(index + 1), \(value))")
      } catch is PlainError {
        if index == 0 { return false }
      }
    }
    return true
  }

  // MARK: Planted losses

  /// Loses something on purpose, which the comparison must find.
  private func plant(
    _ comparison: Comparison, _ plain: PlainConnection, _ db: Database, _ tally: inout Tally
  ) throws {
    let name = isRenamed ? "renamed" : "value"
    let wasNull = comparison.after.values[1]?.isNull ?? true
    let losses =
      wasNull
      ? ["UPDATE \"Foreign Row\" SET \(name) = 1 WHERE id = 1"]
      : [
        "UPDATE \"Foreign Row\" SET \(name) = NULL WHERE id = 1",
        // If the migration may delete rows, a deleted row is no finding.
        "DELETE FROM \"Foreign Row\" WHERE id = 1 AND \(deletes ? 0 : 1)",
        "UPDATE \"Foreign Row\" SET \(name) = \(name) || 'x' WHERE id = 1 AND typeof(\(name)) = 'text'",
        "UPDATE \"Foreign Row\" SET \(name) = '9' || \(name) "
          + "WHERE id = 1 AND typeof(\(name)) = 'text'",
        "UPDATE \"Foreign Row\" SET \(name) = substr(\(name), 2) "
          + "WHERE id = 1 AND typeof(\(name)) = 'blob' AND length(\(name)) > 0",
        "UPDATE \"Foreign Row\" SET \(name) = \(name) + 12345678 "
          + "WHERE id = 1 AND typeof(\(name)) IN ('integer', 'real') AND abs(\(name)) < 1e12",
      ]
    var random = SeededGenerator(seed: draw)
    for loss in losses.shuffled(using: &random) where !comparison.isDeleted(1) {
      // The column may not accept the value, and the condition may match no row.
      guard (try? plain.execute(loss)) != nil, try plain.rows("SELECT changes()") == [[.integer(1)]]
      else { continue }
      tally.count("planted losses")
      var planted = comparison
      planted.after = try ForeignTable(plain)
      var ignored = Tally()
      let findings = planted.findings(in: db, &ignored)
      try require(!findings.isEmpty, "a planted loss was not found: \(loss)")
      return tally.count("planted losses found")
    }
  }
}

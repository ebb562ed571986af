import QueryDSL
import SQLCore
import TestRun

/// Random schemas of tables that refer to each other, and random changes of their rows: small ranges
/// of keys and values, so that ties and conflicts are common.
struct JoinWrites {
  var random: SeededGenerator
  /// False if a post refers to its parent ON DELETE SET NULL. Then an UPDATE OR REPLACE that replaces
  /// the parent of the updated post leaves the index of the parents damaged (SQLite 3.40.1).
  var replacesPostKeys = true

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &random)
  }
  mutating func chance(_ percent: Int) -> Bool { number(1...100) <= percent }
  mutating func pick<T>(_ items: [T]) -> T { items[number(0...(items.count - 1))] }

  mutating func transaction() -> [String] {
    var statements = (0..<number(1...4)).map { _ in statement() }
    if chance(20) {
      statements.insert("SAVEPOINT s", at: number(0...statements.count))
      statements.append(pick(["ROLLBACK TO s", "RELEASE s"]))
    }
    if chance(2) {
      statements.append(
        pick([
          "CREATE INDEX stars ON JoinPost (stars)",
          "ALTER TABLE JoinTeam ADD COLUMN note TEXT",
          "ALTER TABLE JoinPost ADD COLUMN note ANY DEFAULT 7",
          "ALTER TABLE JoinPost DROP COLUMN note",
          // Without its index, a query would no longer be maintained, and have another order.
          "DROP INDEX stars; CREATE INDEX stars ON JoinPost (stars DESC)",
          "DROP INDEX authors; CREATE INDEX authors ON JoinPost (author, stars)",
          "CREATE INDEX IF NOT EXISTS authors ON JoinPost (author)",
          "CREATE INDEX IF NOT EXISTS teams ON JoinWriter (team)",
          "DROP TABLE JoinTeam; CREATE TABLE JoinTeam (id INTEGER PRIMARY KEY, title TEXT)",
        ]))
    }
    return statements
  }

  private mutating func name() -> String { pick(["'a'", "'A'", "'b'", "'b '", "'c'", "'d'"]) }
  private mutating func title() -> String { pick(["'a'", "'A'", "'b'", "'B'", "'é'", "''"]) }
  private mutating func score() -> String {
    pick(["NULL", "0", "1", "1.0", "-1.0", "1.5", "-2.25"])
  }
  private mutating func post() -> Int { number(1...14) }
  private mutating func team() -> String { pick(["NULL", "1", "2", "3", "4"]) }
  private mutating func tag() -> String { pick(["'x'", "'X'", "'a'", "'A'", "'b'", "'c'"]) }

  mutating func statement() -> String {
    switch number(1...22) {
    case 1...3:
      return "INSERT OR REPLACE INTO JoinPost (id, author, parent, title, stars) VALUES "
        + "(\(post()), \(pick(["NULL", name()])), \(pick(["NULL", "\(post())"])), \(title()), "
        + "\(number(0...4)))"
    case 4...5:
      return "INSERT OR REPLACE INTO JoinWriter (name, team, score) VALUES "
        + "(\(name()), \(team()), \(score()))"
    case 6...7:
      return "INSERT OR REPLACE INTO JoinTeam (id, title) VALUES (\(number(1...4)), "
        + "\(pick(["NULL", title()])))"
    case 8...9:
      return "INSERT OR REPLACE INTO JoinMark (post, tag, weight) VALUES "
        + "(\(post()), \(tag()), \(number(-1...2)))"
    case 10: return "UPDATE JoinPost SET author = \(name()) WHERE id = \(post())"
    case 11: return "UPDATE JoinPost SET stars = \(number(0...4)) WHERE id <= \(post())"
    case 12:
      return "UPDATE JoinPost SET parent = \(post()), title = \(title()) WHERE id = \(post())"
    case 13: return "UPDATE JoinWriter SET team = \(team()) WHERE name = \(name())"
    case 14: return "UPDATE JoinWriter SET score = \(score()) WHERE name >= \(name())"
    case 15: return "UPDATE JoinTeam SET title = \(title()) WHERE id = \(number(1...4))"
    case 16:
      return "UPDATE OR \(replacesPostKeys ? "REPLACE" : "ABORT") JoinPost SET id = \(post()) "
        + "WHERE id = \(post())"
    case 17: return "UPDATE OR REPLACE JoinWriter SET name = \(name()) WHERE name = \(name())"
    case 18:
      return "UPDATE OR REPLACE JoinTeam SET id = \(number(1...4)) WHERE id = \(number(1...4))"
    case 19: return "DELETE FROM JoinPost WHERE id BETWEEN \(post()) AND \(post())"
    case 20: return "DELETE FROM JoinWriter WHERE name = \(name())"
    case 21: return "DELETE FROM JoinTeam WHERE id = \(number(1...4))"
    default:
      return pick([
        "DELETE FROM JoinMark WHERE tag = \(tag())",
        "UPDATE OR REPLACE JoinMark SET tag = \(tag()), weight = weight + 1 WHERE post = \(post())",
        "UPDATE JoinMark SET post = \(post()) WHERE post = \(post())",
      ])
    }
  }
}

extension JoinWrites {
  /// Commits changes through another connection to the file or by another process, and then one of
  /// this database, by which the other commit is noticed.
  mutating func changeElsewhere(_ db: Database) throws {
    guard let path = db.realPath else { return }
    if chance(20) {
      let process = try OtherProcess.run(["step", path, "1", statement()])
      process.waitUntilExit()
    } else {
      let other = try Connection(path: path)
      for _ in 0..<2 { try? other.execute(SQL(unsafe: statement())) }
    }
    try db.execute(SQL(unsafe: "INSERT OR REPLACE INTO JoinTeam (id, title) VALUES (9, 'x')"))
    try db.execute("DELETE FROM JoinTeam WHERE id = 9")
  }

  /// Changes rows by models and typed statements.
  mutating func writeModels(in db: Database) async throws {
    let (id, key) = (Int64(number(1...14)), Int64(number(1...4)))
    try await db.write { connection in
      if var post = try connection.find(JoinPost.self, id) {
        post.stars += 1
        post.parent = key
        _ = try? connection.update(post)
      }
      _ = try? connection.insert(JoinTeam(id: key, title: "b"))
      _ = try? connection.run(JoinMark.update { $0.$weight += 1 }.where { $0.$post == id })
      _ = try? connection.run(JoinWriter.delete().where { $0.$team == key && $0.$score == 0 })
    }
  }
}

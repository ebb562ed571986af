import QueryDSL
import SQLCore

/// Random schemas of four tables that refer to each other, and random changes of their rows: small
/// ranges of keys and values, so that ties and conflicts are common.
struct JoinWrites {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  fileprivate mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &random)
  }
  mutating func chance(_ percent: Int) -> Bool { number(1...100) <= percent }
  private mutating func pick<T>(_ items: [T]) -> T { items[number(0...(items.count - 1))] }

  /// Returns the statements that create the tables, with collations, keys, indexes and triggers that
  /// are drawn.
  mutating func schema() -> String {
    let name = pick(["", "COLLATE NOCASE", "COLLATE RTRIM"])
    var indexes = [
      "CREATE INDEX authors ON JoinPost (author)", "CREATE INDEX parents ON JoinPost (parent)",
      "CREATE INDEX teams ON JoinWriter (team)",
    ]
    if chance(20) { indexes.remove(at: number(0...2)) }
    let action = pick(["CASCADE", "SET NULL", "NO ACTION"])
    var statements = [
      """
      CREATE TABLE JoinTeam (id INTEGER PRIMARY KEY, title TEXT \(pick(["", name])))\
      \(pick(["", "", " WITHOUT ROWID"]))
      """,
      """
      CREATE TABLE JoinWriter (name TEXT NOT NULL PRIMARY KEY \(name), team INTEGER,
        score \(pick(["REAL", "ANY"])))\(pick(["", " WITHOUT ROWID"]))
      """,
      """
      CREATE TABLE JoinPost (id INTEGER PRIMARY KEY, author TEXT \(chance(90) ? name : ""),
        parent INTEGER \(chance(50) ? "REFERENCES JoinPost ON DELETE \(action)" : ""),
        title TEXT NOT NULL \(pick(["", "COLLATE NOCASE"])), stars INTEGER NOT NULL)
      """,
      """
      CREATE TABLE JoinMark (post INTEGER NOT NULL
        \(chance(50) ? "REFERENCES JoinPost ON DELETE CASCADE ON UPDATE CASCADE" : ""),
        tag TEXT NOT NULL \(pick(["", "COLLATE NOCASE"])), weight INTEGER NOT NULL,
        PRIMARY KEY (post, tag))\(pick(["", " WITHOUT ROWID"]))
      """,
    ]
    if chance(30) {
      statements.append(
        """
        CREATE TRIGGER renamed AFTER UPDATE OF name ON JoinWriter BEGIN
          UPDATE JoinPost SET author = new.name WHERE author = old.name;
        END
        """)
    }
    if chance(30) {
      statements.append(
        """
        CREATE TRIGGER starred AFTER UPDATE OF stars ON JoinPost WHEN new.stars = 3 BEGIN
          INSERT OR REPLACE INTO JoinMark VALUES (new.id, 'x', new.stars);
        END
        """)
    }
    return (statements + indexes).joined(separator: ";\n")
  }

  mutating func transaction() -> [String] {
    var statements = (0..<number(1...4)).map { _ in statement() }
    if chance(20) {
      statements.insert("SAVEPOINT s", at: number(0...statements.count))
      statements.append(pick(["ROLLBACK TO s", "RELEASE s"]))
    }
    if chance(2) {
      statements.append(
        pick([
          "CREATE INDEX stars ON JoinPost (stars)", "DROP INDEX stars",
          "ALTER TABLE JoinTeam ADD COLUMN note TEXT",
          // Without its index, a query would no longer be maintained, and have another order.
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
  private mutating func score() -> String { pick(["NULL", "0", "1", "1.5", "-2.25"]) }
  private mutating func post() -> Int { number(1...14) }
  private mutating func team() -> String { pick(["NULL", "1", "2", "3", "4"]) }
  private mutating func tag() -> String { pick(["'x'", "'X'", "'y'", "'a'"]) }

  mutating func statement() -> String {
    switch number(1...22) {
    case 1...3:
      return "INSERT OR REPLACE INTO JoinPost VALUES (\(post()), \(pick(["NULL", name()])), "
        + "\(pick(["NULL", "\(post())"])), \(title()), \(number(0...4)))"
    case 4...5:
      return "INSERT OR REPLACE INTO JoinWriter VALUES (\(name()), \(team()), \(score()))"
    case 6...7:
      return "INSERT OR REPLACE INTO JoinTeam (id, title) VALUES (\(number(1...4)), "
        + "\(pick(["NULL", title()])))"
    case 8...9:
      return "INSERT OR REPLACE INTO JoinMark VALUES (\(post()), \(tag()), \(number(-1...2)))"
    case 10: return "UPDATE JoinPost SET author = \(name()) WHERE id = \(post())"
    case 11: return "UPDATE JoinPost SET stars = \(number(0...4)) WHERE id <= \(post())"
    case 12:
      return "UPDATE JoinPost SET parent = \(post()), title = \(title()) WHERE id = \(post())"
    case 13: return "UPDATE JoinWriter SET team = \(team()) WHERE name = \(name())"
    case 14: return "UPDATE JoinWriter SET score = \(score()) WHERE name >= \(name())"
    case 15: return "UPDATE JoinTeam SET title = \(title()) WHERE id = \(number(1...4))"
    case 16: return "UPDATE OR REPLACE JoinPost SET id = \(post()) WHERE id = \(post())"
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

/// Random schemas for `JoinPost` and the other models: types, collations, keys, NULL, the order of
/// the columns, further columns and tables, indexes, foreign keys and triggers are drawn.
extension JoinWrites {
  /// Returns the statements that create the tables.
  mutating func schema() -> String {
    let name = pick(["", "COLLATE NOCASE", "COLLATE RTRIM"])
    let tables = [team(name), writer(name), post(name), mark()]
    return (tables + indexes() + triggers() + others()).joined(separator: ";\n")
  }

  /// Returns the statement of a table whose columns are in random order, with some that no model
  /// has among them.
  private mutating func table(
    _ name: String, _ columns: [String], constraint: String = "", isStrict: Bool, options: [String]
  ) -> String {
    var columns = columns.shuffled(using: &random)
    if chance(25) { columns.insert("spare \(pick(["TEXT", "ANY"])) DEFAULT 'x'", at: 0) }
    if chance(15) {
      columns.append("derived TEXT GENERATED ALWAYS AS ('y') \(pick(["VIRTUAL", "STORED"]))")
    }
    if !constraint.isEmpty { columns.append(constraint) }
    let options = (isStrict ? ["STRICT"] : []) + options.filter { !$0.isEmpty }
    return "CREATE TABLE \(name) (\(columns.joined(separator: ", "))) "
      + options.joined(separator: ", ")
  }

  private mutating func integer(_ isStrict: Bool) -> String {
    chance(60) ? "INTEGER" : pick(isStrict ? ["INT"] : ["INT", "BIGINT", "NUMERIC"])
  }

  private mutating func text(_ isStrict: Bool) -> String {
    chance(70) ? "TEXT" : pick(isStrict ? ["ANY"] : ["VARCHAR(20)", "CLOB"])
  }

  /// Returns the definition of a key that is the rowid, or another unique number.
  private mutating func key(_ isStrict: Bool) -> String {
    if chance(70) { return "id INTEGER PRIMARY KEY\(chance(20) ? " AUTOINCREMENT" : "")" }
    return "id \(pick(isStrict ? ["INT"] : ["INT", "BIGINT"])) NOT NULL PRIMARY KEY"
  }

  private mutating func withoutRowID(_ columns: [String]) -> String {
    columns.contains { $0.hasSuffix("AUTOINCREMENT") } ? "" : pick(["", "", "WITHOUT ROWID"])
  }

  private mutating func team(_ name: String) -> String {
    let isStrict = chance(25)
    let columns = [key(isStrict), "title \(text(isStrict)) \(pick(["", name]))"]
    return table("JoinTeam", columns, isStrict: isStrict, options: [withoutRowID(columns)])
  }

  private mutating func writer(_ name: String) -> String {
    let isStrict = chance(25)
    let reference = chance(15) ? " REFERENCES JoinTeam ON DELETE SET NULL ON UPDATE CASCADE" : ""
    let score = pick(["REAL", "ANY", isStrict ? "ANY" : ""])
    let columns = [
      "name \(text(isStrict)) NOT NULL PRIMARY KEY \(name)",
      "team \(integer(isStrict))\(reference)", "score \(score)",
    ]
    return table("JoinWriter", columns, isStrict: isStrict, options: [withoutRowID(columns)])
  }

  private mutating func post(_ name: String) -> String {
    let isStrict = chance(25)
    let action = pick(["CASCADE", "SET NULL", "NO ACTION"])
    let parent = chance(50) ? " REFERENCES JoinPost ON DELETE \(action)" : ""
    replacesPostKeys = parent.isEmpty || action != "SET NULL"
    let author = chance(15) ? " REFERENCES JoinWriter ON DELETE SET NULL ON UPDATE CASCADE" : ""
    let columns = [
      key(isStrict), "author \(text(isStrict)) \(chance(90) ? name : "")\(author)",
      "parent \(integer(isStrict))\(parent)",
      "title \(text(isStrict)) NOT NULL \(pick(["", "COLLATE NOCASE"]))",
      "stars \(integer(isStrict)) NOT NULL\(chance(20) ? " CHECK (stars < 9)" : "")",
    ]
    return table("JoinPost", columns, isStrict: isStrict, options: [withoutRowID(columns)])
  }

  private mutating func mark() -> String {
    let isStrict = chance(25)
    let post = chance(50) ? " REFERENCES JoinPost ON DELETE CASCADE ON UPDATE CASCADE" : ""
    let columns = [
      "post \(integer(isStrict)) NOT NULL\(post)",
      "tag \(text(isStrict)) NOT NULL \(pick(["", "COLLATE NOCASE"]))",
      "weight \(integer(isStrict)) NOT NULL",
    ]
    return table(
      "JoinMark", columns, constraint: "PRIMARY KEY (post, tag)", isStrict: isStrict,
      options: [pick(["", "WITHOUT ROWID"])])
  }

  private mutating func indexes() -> [String] {
    let direction = pick(["", "", " DESC"])
    var indexes = [
      "CREATE INDEX authors ON JoinPost (author\(direction))",
      "CREATE INDEX parents ON JoinPost (parent)", "CREATE INDEX teams ON JoinWriter (team)",
      "CREATE INDEX tags ON JoinMark (tag)",
    ]
    if chance(20) { indexes.remove(at: number(0...3)) }
    if chance(50) { indexes.append("CREATE INDEX stars ON JoinPost (stars)") }
    if chance(50) { indexes.append("CREATE INDEX folded ON JoinPost (lower(author))") }
    // With it, OR REPLACE deletes rows that have other keys.
    if chance(15) {
      indexes.append("CREATE UNIQUE INDEX titles ON JoinPost (title, stars, author)")
    }
    return indexes
  }

  private mutating func triggers() -> [String] {
    var triggers: [String] = []
    if chance(30) {
      triggers.append(
        """
        CREATE TRIGGER renamed AFTER UPDATE OF name ON JoinWriter BEGIN
          UPDATE JoinPost SET author = new.name WHERE author = old.name;
        END
        """)
    }
    if chance(30) {
      triggers.append(
        """
        CREATE TRIGGER starred AFTER UPDATE OF stars ON JoinPost WHEN new.stars = 3 BEGIN
          INSERT OR REPLACE INTO JoinMark (post, tag, weight) VALUES (new.id, 'x', new.stars);
        END
        """)
    }
    return triggers
  }

  /// Returns the statements of further tables, which triggers write to and read from.
  private mutating func others() -> [String] {
    (0..<number(0...2)).flatMap { index in
      [
        "CREATE TABLE Log\(index) (id INTEGER PRIMARY KEY, team INTEGER)",
        """
        CREATE TRIGGER logged\(index) AFTER INSERT ON JoinTeam BEGIN
          INSERT INTO Log\(index) (team) VALUES (new.id);
          UPDATE JoinWriter SET score = (SELECT count(*) % 4 FROM Log\(index)) WHERE team = new.id;
          DELETE FROM Log\(index) WHERE id % 8 = 0;
        END
        """,
      ]
    }
  }
}

import Apus

/// A table of another program, and models that do not fit: the plan offers lines to paste.
struct OfferedLineSample: Sendable {
  let title: String
  /// The statements that the other program ran.
  let sql: String
  /// The models; the line is pasted into the first that it concerns.
  let models: [any Model.Type]
  /// The models with which the file was opened before, one program after another.
  var history: [any Model.Type] = []
  /// How many lines the plan offers at least.
  var lineCount = 1

  init(
    _ title: String, _ sql: String, _ models: any Model.Type...,
    history: [any Model.Type] = [], lineCount: Int = 1
  ) {
    self.title = title
    self.sql = sql
    self.models = models
    self.history = history
    self.lineCount = lineCount
  }

  /// A column `d` of a type, with its values.
  private init(
    column: String, _ values: String..., model: any Model.Type, lineCount: Int = 1
  ) {
    let rows = values.map { "; INSERT INTO Note (d) VALUES (\($0))" }.joined()
    self.init(
      "\(column) with \(values.joined(separator: ", ")) as \(model)",
      "CREATE TABLE Note (id INTEGER PRIMARY KEY NOT NULL, d \(column))\(rows)", model,
      lineCount: lineCount)
  }

  private typealias M = OfferedModels

  static let all = values + names + additions + keys + constraints + removals + declarations

  // MARK: Values of another type or form

  static let values = [
    OfferedLineSample(
      column: "REAL NOT NULL", "1700000000.5", model: M.NoteDate.self, lineCount: 2),
    OfferedLineSample(column: "REAL", "1700000000.5", "NULL", model: M.NoteOptionalDate.self),
    OfferedLineSample(column: "REAL NOT NULL", "750000000.5", model: M.NoteDate.self),
    OfferedLineSample(column: "REAL NOT NULL", "2455000.5", model: M.NoteDate.self),
    OfferedLineSample(column: "INTEGER NOT NULL", "1700000000", model: M.NoteDate.self),
    OfferedLineSample(column: "INTEGER", "1700000000123", model: M.NoteOptionalDate.self),
    OfferedLineSample(column: "INTEGER", "1700000000", "NULL", model: M.NoteDate.self),
    OfferedLineSample(column: "INTEGER NOT NULL", "1700000000", model: M.NoteSpelledDate.self),
    OfferedLineSample(column: "TEXT NOT NULL", "'2009-01-01 00:00:00.000'", model: M.NoteDate.self),
    OfferedLineSample(column: "DATETIME", "'2009-01-01 00:00:00'", model: M.NoteOptionalDate.self),
    OfferedLineSample(
      column: "TEXT NOT NULL", "'2009-01-01T00:00:00+02:00'", model: M.NoteDate.self),
    OfferedLineSample(
      column: "TEXT NOT NULL", "'2009-01-01 00:00:00'", model: M.NoteSpelledDate.self),
    OfferedLineSample(column: "TEXT NOT NULL", "'2009-01-01'", model: M.NoteDate.self),
    OfferedLineSample(
      column: "TEXT NOT NULL", "'2009-01-01T00:00Z'", "'2009-01-01T00:00:30Z'",
      model: M.NoteSpelledDate.self),
    OfferedLineSample(
      column: "TEXT", "'2009-01-01T00:00:00.000000Z'", "NULL", model: M.NoteSpelledDate.self),
    OfferedLineSample(column: "TEXT", "'2009-01-01 00:00:00'", "NULL", model: M.NoteDate.self),
    OfferedLineSample(column: "TEXT NOT NULL", "'1700000000'", model: M.NoteDate.self),
    OfferedLineSample(column: "TEXT", "'1700000000'", "NULL", model: M.NoteOptionalDate.self),
    OfferedLineSample(column: "TEXT", "'soon'", model: M.NoteOptionalDate.self, lineCount: 2),
    OfferedLineSample(column: "TEXT", "NULL", model: M.NoteDate.self),
    OfferedLineSample(
      column: "TEXT NOT NULL", "'6BA7B810-9DAD-11D1-80B4-00C04FD430C8'", model: M.NoteUUID.self),
    OfferedLineSample(column: "REAL", "2.5", model: M.NoteOptionalUUID.self),
    OfferedLineSample(column: "BLOB", "x'01'", model: M.NoteOptionalUUID.self),
    OfferedLineSample(column: "TEXT NOT NULL", "' 5'", model: M.NoteInt.self),
    OfferedLineSample(column: "TEXT NOT NULL", "'05'", model: M.NoteInt.self),
    OfferedLineSample(column: "TEXT", "'5.0'", model: M.NoteOptionalInt.self),
    OfferedLineSample(column: "TEXT", "'05'", model: M.NoteSmallInt.self),
    OfferedLineSample(column: "TEXT", "'many'", model: M.NoteSmallInt.self, lineCount: 2),
    OfferedLineSample(column: "TEXT NOT NULL", "'1.50'", model: M.NoteDouble.self),
    OfferedLineSample(column: "TEXT", "'1.50'", model: M.NoteFloat.self),
    OfferedLineSample(column: "TEXT", "'true'", "'0'", model: M.NoteBool.self),
    OfferedLineSample(column: "TEXT", "NULL", model: M.NoteString.self, lineCount: 2),
    OfferedLineSample(column: "BLOB", "NULL", model: M.NoteBytes.self, lineCount: 2),
    OfferedLineSample(column: "REAL NOT NULL", "1.5", model: M.NoteInt.self, lineCount: 2),
    OfferedLineSample(column: "INTEGER", "9007199254740993", model: M.NoteDouble.self),
    OfferedLineSample(column: "BLOB", "x'FF'", model: M.NoteOptionalString.self, lineCount: 2),
    OfferedLineSample(column: "NUMERIC", "'a'", "'b'", model: M.NoteInt.self, lineCount: 2),
    OfferedLineSample(column: "", "'a'", "1", "x'FF'", model: M.NoteInt.self),
    OfferedLineSample(column: "TEXT", "NULL", model: M.NoteTemper.self),
    OfferedLineSample(column: "BLOB NOT NULL", "CAST('x' AS BLOB)", model: M.NoteTemper.self),
    OfferedLineSample(column: "TEXT NOT NULL", "'x'", model: M.NoteGrade.self, lineCount: 2),
    OfferedLineSample(column: "TEXT", "NULL", model: M.NoteInner.self),
    OfferedLineSample(column: "TEXT", "NULL", model: M.NoteTags.self),
  ]

  // MARK: Names

  private static func column(
    _ name: String, _ model: any Model.Type = M.Bare.self, type: String = "TEXT NOT NULL"
  ) -> OfferedLineSample {
    let quoted = "\"" + name.replacing("\"", with: "\"\"") + "\""
    return OfferedLineSample(
      "a column \(name) that \(model) does not declare",
      """
      CREATE TABLE Note (id INTEGER PRIMARY KEY NOT NULL, d INTEGER, \(quoted) \(type));
      INSERT INTO Note (\(quoted)) VALUES (1), (2)
      """, model, lineCount: 2)
  }

  static let names =
    [
      "class", "default", "self", "Self", "Type", "Protocol", "init", "_", "__", "$", "$0", "_d",
      "my text", "say \"x\"", "back\\slash", "\\(id)", "1st", "naïve", "🙂", "d e", "D2",
      "line\nbreak", "schema", "tableName", "hashValue", "async", "some", "any", "Int", "a.b", "'",
      "inout", "#if", "@x", "//", "/*", "*/", "`", "``", "weak", "get", "willSet", "columns",
    ].map { column($0) } + [
      OfferedLineSample(
        "two columns of nearly one name, which Note does not declare",
        """
        CREATE TABLE Note (
          id INTEGER PRIMARY KEY NOT NULL, "a b" TEXT NOT NULL, "a-b" TEXT NOT NULL,
          aB BLOB NOT NULL, _a TEXT NOT NULL, a TEXT NOT NULL);
        INSERT INTO Note VALUES (1, '', '', x'', '', '')
        """, M.Bare.self, lineCount: 10),
      OfferedLineSample(
        "a column id that is not the key",
        """
        CREATE TABLE Note (code TEXT PRIMARY KEY NOT NULL, id DATETIME NOT NULL);
        INSERT INTO Note VALUES ('a', 'b')
        """,
        M.BareKeyless.self),
      column("userName", M.Snake.self), column("user_name", M.Snake.self),
      column("say \"X\"", M.Snake.self),
      OfferedLineSample(
        "a new property called as a word of Swift",
        "CREATE TABLE Note (id INTEGER PRIMARY KEY NOT NULL); INSERT INTO Note VALUES (1)",
        M.NoteWord.self),
      OfferedLineSample(
        "a new property with a space in its name",
        "CREATE TABLE Note (id INTEGER PRIMARY KEY NOT NULL); INSERT INTO Note VALUES (1)",
        M.NoteWords.self),
      OfferedLineSample(
        "a property with a space in its name, of another type",
        """
        CREATE TABLE Note (id INTEGER PRIMARY KEY NOT NULL, "its weight" TEXT);
        INSERT INTO Note VALUES (1, 'heavy')
        """, M.NoteWords.self, lineCount: 2),
      OfferedLineSample(
        "a column with quotation marks in its name, of another type",
        #"""
        CREATE TABLE Note (id INTEGER PRIMARY KEY NOT NULL, "say ""\weight"" x" TEXT);
        INSERT INTO Note VALUES (1, 'heavy')
        """#, M.NoteNamed.self, lineCount: 2),
      OfferedLineSample(
        "a table with quotation marks in its name",
        """
        CREATE TABLE "Not""e" (id INTEGER PRIMARY KEY NOT NULL, d TEXT);
        INSERT INTO "Not""e" VALUES (1, 'x'); ALTER TABLE "Not""e" RENAME TO Note
        """, M.NoteInt.self, lineCount: 2),
    ]
}

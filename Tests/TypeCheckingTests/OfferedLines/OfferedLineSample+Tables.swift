import Apus

extension OfferedLineSample {
  private typealias M = OfferedModels

  private static let note = "CREATE TABLE Note (id INTEGER PRIMARY KEY NOT NULL"

  // MARK: New columns

  static let additions = [
    OfferedLineSample(
      "new columns without a value", "\(note)); INSERT INTO Note VALUES (1)", M.Filled.self,
      lineCount: 9),
    OfferedLineSample(
      "a new column that refers to a table", "\(note)); INSERT INTO Note VALUES (1)",
      M.Referring.self, M.Parent.self),
    OfferedLineSample(
      "a new column whose default refers to nothing", "\(note)); INSERT INTO Note VALUES (1)",
      M.ReferringByDefault.self, M.Parent.self),
  ]

  // MARK: Keys

  static let keys = [
    OfferedLineSample(
      "a key that would have the same value in all rows",
      "\(note), number INTEGER); INSERT INTO Note VALUES (1, 1), (2, 2)", M.ByCode.self),
    OfferedLineSample(
      "a key that occurs twice",
      "\(note), code TEXT, number INTEGER); INSERT INTO Note VALUES (1, 'a', 1), (2, 'a', 2)",
      M.ByCode.self),
    OfferedLineSample(
      "a key that occurs twice, without a rowid",
      """
      \(note), code TEXT NOT NULL, number INTEGER) WITHOUT ROWID;
      INSERT INTO Note VALUES (1, 'a', 1), (2, 'a', 2)
      """, M.ByCode.self),
    OfferedLineSample(
      "a new key whose values cannot be made up", "\(note)); INSERT INTO Note VALUES (1), (2)",
      M.ByTemper.self, lineCount: 2),
    OfferedLineSample(
      "a new key in a table of one row", "\(note)); INSERT INTO Note VALUES (1)", M.ByTemper.self,
      lineCount: 2),
    OfferedLineSample(
      "a key of another type",
      "CREATE TABLE Note (id TEXT PRIMARY KEY); INSERT INTO Note VALUES ('a'), ('b')",
      M.ByNumber.self, lineCount: 2),
    OfferedLineSample(
      "a key of numbers as text",
      "CREATE TABLE Note (id TEXT PRIMARY KEY); INSERT INTO Note VALUES ('01'), ('2')",
      M.ByNumber.self),
    OfferedLineSample(
      "a key that others refer to, of a property",
      """
      CREATE TABLE Note (number INTEGER PRIMARY KEY, code TEXT NOT NULL);
      CREATE TABLE Other (id INTEGER PRIMARY KEY, noteID REFERENCES Note (number))
      """, M.ByCode.self),
    OfferedLineSample(
      "a key that others refer to without its columns",
      """
      CREATE TABLE Note (number INTEGER PRIMARY KEY, code TEXT NOT NULL);
      CREATE TABLE Other (id INTEGER PRIMARY KEY, noteID REFERENCES Note)
      """, M.ByCode.self),
    OfferedLineSample(
      "a key that others refer to, of no property",
      """
      CREATE TABLE Note ("old ""key"" x" INTEGER PRIMARY KEY, code TEXT NOT NULL, number INTEGER);
      CREATE TABLE Other (id INTEGER PRIMARY KEY, noteID REFERENCES Note ("old ""key"" x"))
      """, M.ByCode.self),
    OfferedLineSample(
      "AUTOINCREMENT without a rowid",
      "CREATE TABLE Note (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL)", M.WithoutRow.self),
  ]

  // MARK: Constraints and indexes

  static let constraints = [
    OfferedLineSample(
      "values that come twice",
      "\(note), url TEXT NOT NULL); INSERT INTO Note VALUES (1, 'a'), (2, 'a')", M.UniqueUrl.self),
    OfferedLineSample(
      "values that are the same under a collation",
      "\(note), \"default\" TEXT NOT NULL); INSERT INTO Note VALUES (1, 'a'), (2, 'A')",
      M.UniqueWords.self),
    OfferedLineSample(
      "unique values that are the same under a new collation",
      "\(note), code TEXT UNIQUE NOT NULL); INSERT INTO Note VALUES (1, 'a'), (2, 'A')",
      M.CollatedCode.self),
    OfferedLineSample(
      "keys that are the same under a new collation",
      "CREATE TABLE Note (code TEXT PRIMARY KEY NOT NULL); INSERT INTO Note VALUES ('a'), ('A')",
      M.CollatedKey.self),
    OfferedLineSample(
      "unique texts that are one number",
      """
      \(note), size TEXT UNIQUE NOT NULL); INSERT INTO Note VALUES (1, '1'), (2, '1.0')
      """, M.SizeText.self),
    OfferedLineSample(
      "texts of a unique index that are one number",
      """
      \(note), size TEXT NOT NULL); CREATE UNIQUE INDEX "by ""size"" x" ON Note (size);
      INSERT INTO Note VALUES (1, '1'), (2, '1.0')
      """, M.SizeText.self),
    OfferedLineSample(
      "a check that the new values do not fulfil",
      """
      \(note), size TEXT NOT NULL CHECK (typeof(size) = 'text' AND size <> 'a"\\b'));
      INSERT INTO Note VALUES (1, '1')
      """, M.SizeText.self),
    OfferedLineSample(
      "a declared check that rows do not fulfil",
      "\(note), size INTEGER NOT NULL); INSERT INTO Note VALUES (1, 1)", M.Checked.self),
    OfferedLineSample(
      "a foreign key to nothing",
      "\(note), parentID INTEGER NOT NULL); INSERT INTO Note VALUES (1, 1)", M.Referring.self,
      M.Parent.self),
    OfferedLineSample(
      "the name of an index", "CREATE TABLE Note_on_size (x); \(note), size INTEGER)",
      M.Indexed.self),
    OfferedLineSample(
      "the name of an index, and the next",
      "CREATE TABLE Note_on_size (x); CREATE TABLE Note_on_size_2 (x); \(note), size INTEGER)",
      M.Indexed.self),
    OfferedLineSample(
      "the name of an index of some rows",
      "CREATE TABLE Note_on_size_d64aefb9 (x); \(note), size INTEGER)", M.IndexedPart.self),
    OfferedLineSample(
      "a calculated column that was written",
      """
      \(note), size INTEGER NOT NULL, "the ""double"" x" INTEGER NOT NULL);
      INSERT INTO Note VALUES (1, 1, 1)
      """, M.Calculated.self),
    OfferedLineSample(
      "a calculated column that was written, and a column by the next name",
      """
      \(note), size INTEGER NOT NULL, "the ""double"" x" INTEGER NOT NULL,
        "the ""double"" xCalculated" INTEGER);
      INSERT INTO Note VALUES (1, 1, 1, 1)
      """, M.Calculated.self),
    OfferedLineSample(
      "what no model declares",
      """
      CREATE TABLE Parent (id INTEGER PRIMARY KEY NOT NULL);
      \(note), size INTEGER DEFAULT 7 CHECK (size <> 3), code TEXT UNIQUE, "my ""text"" x" TEXT,
        parentID INTEGER REFERENCES Parent, url TEXT NOT NULL COLLATE NOCASE,
        CONSTRAINT "a ""check"" x" CHECK (size > 0), FOREIGN KEY (size) REFERENCES Parent);
      INSERT INTO Note (size, url) VALUES (NULL, 'a');
      CREATE INDEX "by ""text"" x" ON Note ("my ""text"" x");
      CREATE TRIGGER "a \\trigger" AFTER INSERT ON Note BEGIN SELECT 1; END;
      """, M.Indexed.self, lineCount: 9),
    OfferedLineSample(
      "a collation that no model declares",
      "CREATE TABLE Note (code TEXT PRIMARY KEY NOT NULL COLLATE NOCASE, number INT)",
      M.ByCode.self),
  ]

  // MARK: What goes

  private static let old = "\(note), old TEXT); INSERT INTO Note VALUES (1, 'x'); "

  static let removals = [
    OfferedLineSample(
      "what names a column that goes",
      """
      \(note), old TEXT UNIQUE CHECK (old <> 'a"b'), "new ""old"" x" TEXT AS (old || 'x'));
      INSERT INTO Note VALUES (1, 'x');
      CREATE INDEX "by ""old"" x" ON Note (old);
      CREATE VIEW "a ""view"" x" AS SELECT old FROM Note;
      CREATE TRIGGER "a \\trigger" AFTER INSERT ON Note BEGIN SELECT new.old; END
      """, M.Dropping.self, lineCount: 6),
    OfferedLineSample(
      "a foreign key that names a column that goes",
      """
      CREATE TABLE Parent (id INTEGER PRIMARY KEY NOT NULL, old TEXT UNIQUE);
      CREATE TABLE Child (id INTEGER PRIMARY KEY NOT NULL, old TEXT REFERENCES Parent (old))
      """, M.Child.self, M.ParentDropping.self),
    OfferedLineSample(
      "what names a table that goes",
      """
      CREATE TABLE Old (id INTEGER PRIMARY KEY);
      CREATE TABLE Child (id INTEGER PRIMARY KEY NOT NULL, "my ""old"" x" INTEGER REFERENCES Old);
      CREATE VIEW "a ""view"" x" AS SELECT id FROM Old;
      CREATE TRIGGER "a \\trigger" AFTER INSERT ON Child BEGIN DELETE FROM Old; END
      """, M.Ending.self, lineCount: 3),
    OfferedLineSample(
      "a table that is declared and dropped", "\(note)); INSERT INTO Note VALUES (1)", M.Gone.self),
    OfferedLineSample(
      "a view by the name of a model", "CREATE TABLE T (id); CREATE VIEW Note AS SELECT id FROM T",
      M.Bare.self),
    OfferedLineSample(
      "a virtual table by the name of a model", "CREATE VIRTUAL TABLE Note USING fts5(text)",
      M.Bare.self),
    OfferedLineSample(
      "a virtual table by the name of a model, and a table by the next name",
      "CREATE VIRTUAL TABLE Note USING fts5(text); CREATE TABLE Note2 (id TEXT, x NOT NULL)",
      M.Bare.self),
    OfferedLineSample(
      "a table by the name of a view",
      "CREATE TABLE Sizes (id INTEGER PRIMARY KEY, size INTEGER); INSERT INTO Sizes VALUES (1, 2)",
      M.Sizes.self, M.Bare.self, lineCount: 2),
    OfferedLineSample(
      "a view over a view over a column that goes",
      "\(old) CREATE VIEW \"the \"\"first\"\"\" AS SELECT * FROM Note; "
        + "CREATE VIEW second AS SELECT old FROM \"the \"\"first\"\"\"", M.Dropping.self),
  ]

  // MARK: What models and programs say

  static let declarations = [
    OfferedLineSample(
      "a conversion that may or may not have run",
      "UPDATE Note SET done = 1", M.Numbered.self,
      history: [M.NoteDone.self, M.Flagged.self]),
    OfferedLineSample(
      "a table that a newer program declared differently", "UPDATE Post SET views = '12 or so'",
      M.FirstPost.self, history: [M.FirstPost.self, M.SecondPost.self]),
    OfferedLineSample(
      "a table to which a newer program added", "INSERT INTO Post VALUES (1, 'a')",
      M.WideFirst.self, history: [M.WideFirst.self, M.WideSecond.self]),
    OfferedLineSample(
      "facets of two keys", "SELECT 1", M.ProfileByName.self, M.Profile.self),
    OfferedLineSample(
      "a facet that others cannot fill", "SELECT 1", M.ProfileMoody.self, M.Profile.self),
    OfferedLineSample("facets of two types", "SELECT 1", M.ProfileNumbered.self, M.Profile.self),
    OfferedLineSample(
      "facets that differ in an optional", "SELECT 1", M.ProfileMailed.self, M.Profile.self),
    OfferedLineSample("an FTS5 table that does not exist", "SELECT 1", M.Searched.self),
    OfferedLineSample(
      "an ordinary table in the place of an FTS5 table", "\(note), title TEXT)", M.Searched.self),
    OfferedLineSample(
      "an FTS5 table with other columns", "CREATE VIRTUAL TABLE Note USING fts5(text)",
      M.Searched.self),
  ]
}

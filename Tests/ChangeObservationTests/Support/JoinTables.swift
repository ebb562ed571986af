import SQLCore

/// The tables of `JoinPost` and the others in their usual form.
enum JoinTables {
  static let creation = """
    CREATE TABLE JoinTeam (id INTEGER PRIMARY KEY, title TEXT);
    CREATE TABLE JoinWriter (name TEXT PRIMARY KEY NOT NULL, team INTEGER, score REAL);
    CREATE TABLE JoinPost (id INTEGER PRIMARY KEY, author TEXT, parent INTEGER,
      title TEXT NOT NULL, stars INTEGER NOT NULL);
    CREATE TABLE JoinMark (post INTEGER NOT NULL REFERENCES JoinPost ON DELETE CASCADE,
      tag TEXT NOT NULL, weight INTEGER NOT NULL, PRIMARY KEY (post, tag));
    """
}

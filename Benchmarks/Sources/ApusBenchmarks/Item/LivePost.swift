import Apus

struct LivePost: Model {
  @PrimaryKey var id: Int64
  @Column var author: Int64
  @Column var feed: Int64
  @Column var list: Int64
  @Column var flag: Int64
  @Column var title: String
  @Column var score: Int64
}

struct LiveAuthor: Model {
  @PrimaryKey var id: Int64
  @Column var name: String
  @Column var karma: Int64
}

struct LiveList: Model {
  @PrimaryKey var id: Int64
  @Column var name: String
}

extension LivePost {
  static let countUp = #"UPDATE "LivePost" SET "score" = "score" + 1 WHERE "id" = ?"#

  /// Returns the SQL that creates the tables and inserts `rows` posts. Each author has ten posts,
  /// each list has a hundred posts, and the posts belong to a hundred feeds.
  static func schema(rows: Int) -> String {
    """
    CREATE TABLE LiveAuthor (
      id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, karma INTEGER NOT NULL) STRICT;
    CREATE TABLE LiveList (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL) STRICT;
    CREATE TABLE LivePost (
      id INTEGER PRIMARY KEY NOT NULL, author INTEGER NOT NULL, feed INTEGER NOT NULL,
      list INTEGER NOT NULL, flag INTEGER NOT NULL, title TEXT NOT NULL, score INTEGER NOT NULL)
      STRICT;
    CREATE INDEX LivePost_author ON LivePost (author);
    CREATE INDEX LivePost_feed ON LivePost (feed);
    CREATE INDEX LivePost_list ON LivePost (list);
    INSERT INTO LivePost
      WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
      SELECT i, i % \(rows / 10) + 1, i % 100, i % \(rows / 100) + 1, i % 2, 'the title of ' || i, 0
      FROM n;
    INSERT INTO LiveAuthor SELECT DISTINCT author, 'the author ' || author, 0 FROM LivePost;
    INSERT INTO LiveList SELECT DISTINCT list, 'the list ' || list FROM LivePost;
    """
  }
}

import Apus

// The models of a feed reader: entries of feeds, the feeds that a user follows, and the entries
// that a user has read.

struct FeedUser: Model {
  @PrimaryKey var id: Int64
  @Column var name: String
  @Column var karma: Int64
}

struct FeedEntry: Model {
  @PrimaryKey var id: Int64
  @Column var feed: Int64
  @Column var title: String
}

struct Follow: Model {
  struct ID: Hashable, Sendable {
    var user: Int64
    var feed: Int64
  }
  @PrimaryKey var user: Int64
  @PrimaryKey var feed: Int64
  var id: ID { ID(user: user, feed: feed) }
}

struct ReadMark: Model {
  struct ID: Hashable, Sendable {
    var user: Int64
    var entry: Int64
  }
  @PrimaryKey var user: Int64
  @PrimaryKey var entry: Int64
  var id: ID { ID(user: user, entry: entry) }
}

/// The SQL that creates the tables of the feed reader with their rows, and queries on these tables.
enum LiveFeed {
  static let feeds = 200
  static let entriesOfFeed = 20

  /// Returns the SQL that creates the tables. Each user follows feed 1 and up to four other feeds,
  /// and has read ten entries of feed 1.
  static func schema(users: Int) -> String {
    """
    CREATE TABLE FeedUser (
      id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, karma INTEGER NOT NULL) STRICT;
    CREATE TABLE FeedEntry (
      id INTEGER PRIMARY KEY NOT NULL, feed INTEGER NOT NULL, title TEXT NOT NULL) STRICT;
    CREATE TABLE Follow (
      user INTEGER NOT NULL, feed INTEGER NOT NULL, PRIMARY KEY (user, feed)) STRICT, WITHOUT ROWID;
    CREATE TABLE ReadMark (
      user INTEGER NOT NULL, entry INTEGER NOT NULL, PRIMARY KEY (user, entry))
      STRICT, WITHOUT ROWID;
    CREATE INDEX FeedEntry_feed ON FeedEntry (feed);
    CREATE INDEX Follow_feed ON Follow (feed);
    CREATE INDEX ReadMark_entry ON ReadMark (entry);
    INSERT INTO FeedUser
      WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(users))
      SELECT i, 'the user ' || i, 0 FROM n;
    INSERT INTO FeedEntry
      WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(feeds * entriesOfFeed))
      SELECT i, (i - 1) / \(entriesOfFeed) + 1, 'the title of ' || i FROM n;
    INSERT OR IGNORE INTO Follow
      WITH n (i) AS (VALUES (0), (1), (2), (3), (4))
      SELECT id, CASE i WHEN 0 THEN 1 ELSE (id * 4 + i) % \(feeds) + 1 END FROM FeedUser, n;
    INSERT INTO ReadMark
      WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10)
      SELECT id, i FROM FeedUser, n;
    """
  }

  /// Returns a query that counts the unread entries of each feed that a user follows. The next
  /// three functions return queries that count the same entries, but are written in other ways.
  static func counted(of user: Int64) -> some Fetchable<(Int64, Int)> {
    Follow.where { $0.$user == user }.select { follow in
      (
        follow.$feed,
        FeedEntry.where { entry in
          entry.$feed == follow.$feed
            && !ReadMark.where { $0.$user == user && $0.$entry == entry.$id }.exists()
        }.select { $0.count() }.subquery().nonOptional()
      )
    }
  }

  static func joined(of user: Int64) -> some Fetchable<(Int64, Int)> {
    Query {
      (follow: Columns<Follow>, entry: Columns<FeedEntry>, mark: OptionalColumns<ReadMark>) in
      From(follow)
      Join(entry, on: entry.$feed == follow.$feed)
      LeftJoin(mark, on: mark.$entry == entry.$id && mark.$user == user)
      Where(follow.$user == user && mark.$user == nil)
      GroupBy(follow.$feed)
      Select(follow.$feed, entry.count())
    }
  }

  static func existing(of user: Int64) -> some Fetchable<(Int64, Int)> {
    Query { (follow: Columns<Follow>, entry: Columns<FeedEntry>) in
      From(follow)
      Join(entry, on: entry.$feed == follow.$feed)
      Where(
        follow.$user == user
          && !ReadMark.where { $0.$user == user && $0.$entry == entry.$id }.exists())
      GroupBy(follow.$feed)
      Select(follow.$feed, entry.count())
    }
  }

  static func listed(of user: Int64) -> some Fetchable<(Int64, Int)> {
    Query { (follow: Columns<Follow>, entry: Columns<FeedEntry>) in
      From(follow)
      Join(entry, on: entry.$feed == follow.$feed)
      Where(
        follow.$user == user
          && !entry.$id.isIn(ReadMark.where { $0.$user == user }.select(\.$entry)))
      GroupBy(follow.$feed)
      Select(follow.$feed, entry.count())
    }
  }

  /// Returns a query for the titles of the entries that a user has read, joined into one text. A
  /// live result of this query is not maintained: after a change, the query runs again.
  static func titles(of user: Int64) -> some Fetchable<String?> {
    Query { (mark: Columns<ReadMark>, entry: Columns<FeedEntry>) in
      From(mark)
      Join(entry, on: entry.$id == mark.$entry)
      Where(mark.$user == user)
      Select(entry.$title.groupConcat(", "))
    }
  }
}

import QueryDSL
import SQLCore

/// The tables of the change log. Their names and columns are a documented format: triggers of every
/// program write them, and other programs may read them.
enum LogTables {
  /// The table with one row, which has the format, the identity of the database, and the number of
  /// the last purged entry.
  static let log = ExistingSchema.logTable
  /// The table with a row for each transaction.
  static let entry = "apus_log_entry"
  /// The table with a row for each change of a row in a logged table, in order.
  static let change = "apus_log_change"
  /// The table of the shapes. A shape lists the columns of a logged table in the order in which its
  /// changes store their values.
  static let shape = "apus_log_shape"
  /// The table of the named readers of the log.
  static let cursor = "apus_log_cursor"

  /// The table of the databases from which transactions were applied. It is created by the first
  /// such transaction.
  static let origin = "apus_log_origin"
  /// The table of the changes from other databases that cannot be applied yet. It is created by the
  /// first such change.
  static let waiting = "apus_log_waiting"
  /// The table of the epochs of other databases. For each epoch, it has the number of the last
  /// transaction that was applied from this epoch.
  static let applied = "apus_log_applied"

  /// The table of the epochs of the log, each with the number of its first entry. It is created by
  /// the first write of a program that knows epochs.
  static let epoch = "apus_log_epoch"

  static let all = [log, entry, change, shape, cursor]

  /// Returns whether a table belongs to the log itself. Its rows are never logged, and a batch must
  /// not change them.
  static func isOwn(_ table: String) -> Bool {
    (all + [origin, waiting, applied, epoch]).contains { $0.isSame(as: table) }
  }

  /// The format of the tables. In format 1, the entries got their numbers by AUTOINCREMENT, and
  /// there was an index on their times. Each of these two made every transaction write one more
  /// page.
  static let format = 2

  /// The columns of `apus_log_change` that come before `old1`, `new1` and so on.
  static let changeColumns = ["id", "entry", "shape", "kind"]

  /// The statements that create the tables if they do not exist.
  ///
  /// The values of a change are in columns without a type, which store every value unchanged.
  static let creation = [
    """
    CREATE TABLE IF NOT EXISTS "\(log)" (
      "id" INTEGER PRIMARY KEY NOT NULL CHECK ("id" = 1),
      "format" INTEGER NOT NULL,
      "identity" TEXT NOT NULL,
      "purged" INTEGER NOT NULL DEFAULT 0,
      "schemaVersion" INTEGER
    ) STRICT
    """,
    """
    INSERT OR IGNORE INTO "\(log)" ("id", "format", "identity") \
    VALUES (1, \(format), lower(hex(randomblob(16))))
    """,
    """
    CREATE TABLE IF NOT EXISTS "\(entry)" (
      "sequence" INTEGER PRIMARY KEY NOT NULL,
      "time" INTEGER NOT NULL,
      "firstChange" INTEGER NOT NULL,
      "isOpen" INTEGER NOT NULL DEFAULT 1,
      "schemaVersion" INTEGER,
      "label" TEXT,
      "author" TEXT,
      "origin" TEXT,
      "originSequence" INTEGER,
      "undoes" INTEGER,
      "gap" TEXT,
      "originEpoch" INTEGER,
      "latest" INTEGER
    ) STRICT
    """,
    """
    CREATE TABLE IF NOT EXISTS "\(change)" (
      "id" INTEGER PRIMARY KEY NOT NULL,
      "entry" INTEGER NOT NULL,
      "shape" INTEGER NOT NULL,
      "kind" TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS "\(shape)" (
      "id" INTEGER PRIMARY KEY NOT NULL,
      "table" TEXT NOT NULL,
      "columns" TEXT NOT NULL,
      "key" TEXT NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE IF NOT EXISTS "\(cursor)" (
      "name" TEXT PRIMARY KEY NOT NULL,
      "sequence" INTEGER NOT NULL
    ) STRICT
    """,
  ]

  /// The statements that create the tables of the databases from which transactions were applied.
  ///
  /// The first table has one row for each database, with these columns:
  ///
  /// - `position` is the position in the database's log up to which its transactions were applied.
  /// - `relayed` is the same position, but for batches that also have relayed transactions: those
  ///   that the database itself received from other databases.
  /// - `sequence` is the number of the last applied transaction of epoch 0.
  ///
  /// The second table has the number of the last applied transaction of each other epoch.
  static let originCreation = [
    """
    CREATE TABLE IF NOT EXISTS "\(origin)" (
      "database" TEXT PRIMARY KEY NOT NULL,
      "position" INTEGER NOT NULL DEFAULT 0,
      "relayed" INTEGER NOT NULL DEFAULT 0,
      "sequence" INTEGER NOT NULL DEFAULT 0,
      "positionEpoch" INTEGER NOT NULL DEFAULT 0,
      "relayedEpoch" INTEGER NOT NULL DEFAULT 0
    ) STRICT
    """,
    """
    CREATE TABLE IF NOT EXISTS "\(applied)" (
      "database" TEXT NOT NULL,
      "epoch" INTEGER NOT NULL,
      "sequence" INTEGER NOT NULL,
      PRIMARY KEY ("database", "epoch")
    ) STRICT
    """,
  ]

  /// The statements that create the table of the waiting changes. A change that no longer waits
  /// stays in the table until its entry is purged, because the entry is sent to other databases
  /// with all its changes.
  static let waitingCreation = [
    """
    CREATE TABLE IF NOT EXISTS "\(waiting)" (
      "id" INTEGER PRIMARY KEY NOT NULL,
      "entry" INTEGER NOT NULL,
      "origin" TEXT NOT NULL,
      "originSequence" INTEGER NOT NULL,
      "originEpoch" INTEGER NOT NULL,
      "time" INTEGER NOT NULL,
      "label" TEXT,
      "author" TEXT,
      "table" TEXT NOT NULL,
      "key" TEXT NOT NULL,
      "kind" TEXT NOT NULL,
      "change" TEXT NOT NULL,
      "awaits" TEXT NOT NULL,
      "rule" TEXT,
      "isDone" INTEGER NOT NULL DEFAULT 0
    ) STRICT
    """,
    """
    CREATE INDEX IF NOT EXISTS "\(waiting)_entry" ON "\(waiting)" ("entry")
    """,
    """
    CREATE INDEX IF NOT EXISTS "\(waiting)_awaits" ON "\(waiting)" ("awaits") WHERE NOT "isDone"
    """,
    """
    CREATE INDEX IF NOT EXISTS "\(waiting)_row" ON "\(waiting)" ("table", "key") WHERE NOT "isDone"
    """,
  ]

  /// The statements that add the columns with epochs to `apus_log_origin`. They are needed if an
  /// older version of the library created the table.
  static let originWidening = ["positionEpoch", "relayedEpoch"].map {
    "ALTER TABLE \"\(origin)\" ADD COLUMN \"\($0)\" INTEGER NOT NULL DEFAULT 0"
  }

  /// The statements that create the table of the epochs. Entries that an older version of the
  /// library wrote belong to the epoch 0.
  static let epochCreation = [
    """
    CREATE TABLE IF NOT EXISTS "\(epoch)" (
      "first" INTEGER PRIMARY KEY NOT NULL,
      "epoch" INTEGER NOT NULL UNIQUE
    ) STRICT
    """,
    """
    INSERT OR IGNORE INTO "\(epoch)" ("first", "epoch") SELECT 1, 0 WHERE 0 < \
    (SELECT max(coalesce((SELECT max("sequence") FROM "\(entry)"), 0), "purged") FROM "\(log)")
    """,
  ]

  /// The statement that adds the column `originEpoch` to the table of entries. It is needed if an
  /// older version of the library created the table.
  static let entryWidening = "ALTER TABLE \"\(entry)\" ADD COLUMN \"originEpoch\" INTEGER"

  // MARK: The format 1

  /// The index on the times of the entries, which triggers of format 1 use.
  static let timeIndex = "\(entry)_time"

  /// The expression with which triggers of format 1 find the time of a new entry.
  static let formerTime = "(SELECT max(\"time\") FROM \"\(entry)\")"

  /// The statements that add the column `latest` to the entries of format 1.
  static let latestWidening = [
    "ALTER TABLE \"\(entry)\" ADD COLUMN \"latest\" INTEGER",
    """
    UPDATE "\(entry)" SET "latest" = n."latest" FROM (SELECT "sequence", max("time") OVER \
    (ORDER BY "sequence") AS "latest" FROM "\(entry)") AS n \
    WHERE n."sequence" = "\(entry)"."sequence" AND n."latest" > "\(entry)"."time"
    """,
  ]

  /// Returns the statements that convert the entries of format 1 to the present format. The table
  /// is not renamed, because the triggers of all logged tables contain its name.
  ///
  /// If all entries were purged, an entry with the number of the last purged entry is added, so
  /// that no other transaction gets the number.
  static func conversion(from columns: [String]) -> [String] {
    let former = "\(entry)_1"
    let kept = columns.filter { !$0.isSame(as: "latest") }
      .map { Identifier($0).quoted }.joined(separator: ", ")
    let table = creation.filter { $0.contains("\"\(entry)\" (") }
    return ["CREATE TABLE \"\(former)\" AS SELECT * FROM \"\(entry)\"", "DROP TABLE \"\(entry)\""]
      + table + [
        """
        INSERT INTO "\(entry)" (\(kept), "latest") SELECT \(kept), \
        nullif(max("time") OVER (ORDER BY "sequence"), "time") FROM "\(former)"
        """,
        """
        INSERT INTO "\(entry)" ("sequence", "time", "firstChange", "isOpen") \
        SELECT "purged", \(limitedNow), \(nextChange), 0 FROM "\(log)" \
        WHERE "purged" > coalesce(\(newest), 0)
        """,
        "DROP TABLE \"\(former)\"",
        "UPDATE \"\(log)\" SET \"format\" = \(format)",
      ]
  }

  /// Returns the two columns of `apus_log_change` that have the old and the new value of a logged
  /// column, such as `old1` and `new1`. `index` is the position of the logged column in the shape.
  static func valueColumns(_ index: Int) -> (old: String, new: String) {
    ("old\(index + 1)", "new\(index + 1)")
  }

  /// Returns the statements that add columns to the table of changes, so that it has room for the
  /// values of a table with `count` columns.
  static func widening(from existing: Int, to count: Int) -> [String] {
    guard existing < count else { return [] }
    return (existing..<count).flatMap { index in
      let names = valueColumns(index)
      return [names.old, names.new].map { "ALTER TABLE \"\(change)\" ADD COLUMN \"\($0)\"" }
    }
  }

  // MARK: Entries

  /// The SQL for the number of the newest entry.
  static let newest = "(SELECT max(\"sequence\") FROM \"\(entry)\")"

  /// The SQL for the time of a new entry: the microseconds since 1970, in whole milliseconds. If an
  /// earlier entry has the same or a later time, the new time is one microsecond after that entry's
  /// time. So a transaction is newer than all transactions that it may have seen, even if another
  /// database's clock is ahead.
  ///
  /// An entry from another database keeps its original time, which may be earlier than the times of
  /// the entries before it. The column `latest` of such an entry has the latest time so far.
  ///
  /// `latestLimiting` prevents an overflow of the sum. The expression itself has no bound, because it
  /// is part of the triggers, and a bound would need new triggers in each existing file.
  private static let now =
    "max(CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000, "
    + "coalesce((SELECT coalesce(e.\"latest\", e.\"time\") FROM \"\(entry)\" AS e "
    + "ORDER BY e.\"sequence\" DESC LIMIT 1) + 1, 0))"

  /// The SQL of `now` with an upper limit for the time. The library uses it in statements that may
  /// run before `latestLimiting` has run.
  private static let limitedNow = "min(\(now), \(Int64.max / 2))"

  /// The SQL for the number of the next entry. The number is greater than the numbers of all purged
  /// entries, even if a program of format 1 has deleted the newest entry.
  private static let next =
    "max(coalesce(\(newest), 0), (SELECT \"purged\" FROM \"\(log)\")) + 1"

  /// The SQL for the number that the first change of the next entry gets.
  private static let nextChange = "coalesce((SELECT max(\"id\") FROM \"\(change)\"), 0) + 1"

  /// The SQL that is true if the newest entry is open.
  private static let isOpen =
    "(SELECT \"isOpen\" FROM \"\(entry)\" ORDER BY \"sequence\" DESC LIMIT 1)"

  /// The statement that begins an entry, unless an entry is open. If an entry is open, the new row
  /// has the number of the open entry, so ON CONFLICT leaves the row out. In this case, the CASE
  /// around the time avoids the calculation of the time. Around the other values, a CASE would cost
  /// more than it saves.
  ///
  /// `INSERT … SELECT … WHERE` would have the same effect. But that statement reads the table that
  /// it writes, so SQLite creates a temporary B-tree each time, which took up to half of the time
  /// of a short write. In a trigger, an upsert keeps its own ON CONFLICT rule, whatever the
  /// conflict clause of the statement that fires the trigger.
  static let opening =
    "INSERT INTO \"\(entry)\" (\"sequence\", \"time\", \"firstChange\", \"schemaVersion\") VALUES ("
    + "coalesce((SELECT CASE WHEN \"isOpen\" THEN \"sequence\" END FROM \"\(entry)\" "
    + "ORDER BY \"sequence\" DESC LIMIT 1), \(next)), CASE WHEN \(isOpen) THEN 0 ELSE \(now) END, "
    + "\(nextChange), (SELECT \"schemaVersion\" FROM \"\(log)\")) "
    + "ON CONFLICT (\"sequence\") DO NOTHING"

  /// The statement that makes the log writable again if the time of its newest entry is so late
  /// that the next time may not be an integer. A former version of the library wrote such a time if
  /// a transaction of another database had it.
  static let latestLimiting =
    "UPDATE \"\(entry)\" SET \"latest\" = \(LogTransaction.times.upperBound) "
    + "WHERE \"sequence\" = \(newest) AND coalesce(\"latest\", \"time\") > \(Int64.max / 2)"

  /// The statement that ends the open entry, if there is one.
  static let closing =
    "UPDATE \"\(entry)\" SET \"isOpen\" = 0 WHERE \"sequence\" = \(newest) AND \"isOpen\""

  /// Returns the statement that adds an entry with a `gap`. The entry says that the log lacks
  /// earlier changes of the table.
  static func gap(in table: String) -> String {
    "INSERT INTO \"\(entry)\" (\"sequence\", \"time\", \"firstChange\", \"schemaVersion\", \"isOpen\", \"gap\") "
      + "VALUES (\(next), \(limitedNow), \(nextChange), "
      + "(SELECT \"schemaVersion\" FROM \"\(log)\"), 0, \(DatabaseValue.text(table)))"
  }
}

import QueryDSL
import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The missing object that a change waits for. The table `apus_log_waiting` stores it as JSON.
struct AwaitedPart: Hashable, Codable {
  enum Kind: String, Codable { case table, column, parent, row }

  let kind: Kind
  /// The table of the change.
  let table: String
  /// For the kind `column`, the missing column. For `parent`, the columns of the foreign key. For
  /// `table` and `row`, the columns of the primary key.
  var columns: [String] = []
  /// For the kind `parent`, the referenced table and its referenced columns.
  var parent: String?
  var parentColumns: [String] = []
  /// For the kind `parent`, the values of `parentColumns`. For `row`, the values of the key.
  /// Otherwise empty.
  var values: [CodedValue] = []

  var reason: LogWaiting.Reason {
    switch kind {
    case .table: .table(table)
    case .column: .column(columns.first ?? "", table: table)
    case .parent: .parent(parent ?? "", table: table)
    case .row: .row(table: table)
    }
  }
}

/// A change from another database that waits, because it cannot be applied yet.
struct WaitingChange {
  let id: Int64
  let entry: Int64
  let transaction: LogTransaction
  let rule: ConflictPolicy.Rule?
}

extension Connection {
  /// Returns how many changes wait for each kind of missing object.
  func logWaiting() throws -> LogWaiting {
    try withWaiting(LogWaiting(reasons: [:])) {
      var reasons: [LogWaiting.Reason: Int] = [:]
      for (part, count) in try awaitedParts() { reasons[part.reason, default: 0] += count }
      return LogWaiting(reasons: reasons)
    }
  }

  /// Returns whether any change waits.
  func hasWaitingChanges() throws -> Bool {
    try withWaiting(false) {
      try row(#"SELECT 1 FROM "apus_log_waiting" WHERE NOT "isDone" LIMIT 1"#) != nil
    }
  }

  /// Returns the objects that changes wait for, with the number of changes for each object.
  func awaitedParts() throws -> [(part: AwaitedPart, count: Int)] {
    let decoder = JSONDecoder()
    return try rows(
      """
      SELECT "awaits", count(*) FROM "apus_log_waiting" WHERE NOT "isDone" \
      GROUP BY "awaits" ORDER BY min("id")
      """
    ).map { row in
      let text = try row.get(String.self, at: 0)
      return (try decoder.decode(AwaitedPart.self, from: Data(text.utf8)), try row.get(at: 1))
    }
  }

  /// Runs a closure that reads the table of the waiting changes. Returns `missing` if the table
  /// does not exist, because no change has ever waited.
  func withWaiting<Result>(_ missing: Result, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch LogError.noLog {
      return missing
    } catch let error as DatabaseError
      where error.message.hasPrefix("no such table: \(LogTables.waiting)")
    {
      return missing
    }
  }

  // MARK: Writing

  /// Stores a change until the object that it waits for exists. If two changes set the same missing
  /// column of a row, only one of them waits. With the rule `.newer`, this is the change with the
  /// newer time. Otherwise, it is the change that arrived later.
  func keep(
    _ change: AnyLogChange, of transaction: LogTransaction, entry: Int64?, for part: AwaitedPart,
    _ rule: ConflictPolicy.Rule?
  ) throws {
    for sql in LogTables.waitingCreation { try execute(SQL(unsafe: sql)) }
    let origin = transaction.origin
    let (table, key, awaits) = (change.table.lowercasedASCII, change.keyText, try part.text)
    var isDone = false
    if part.kind == .column, change.kind == .updated {
      let others: SQL = """
        NOT "isDone" AND "table" = \(table) AND "key" = \(key) AND "awaits" = \(awaits) \
        AND "kind" = 'update'
        """
      let stamp: SQL = """
        (\(transaction.time), \(origin.database), \(origin.sequence), \(origin.position.epoch))
        """
      if rule == .newer {
        isDone =
          try row(
            """
            SELECT 1 FROM "apus_log_waiting" WHERE \(others) \
            AND ("time", "origin", "originSequence", "originEpoch") > \(stamp)
            """) != nil
      }
      if !isDone { try execute(#"UPDATE "apus_log_waiting" SET "isDone" = 1 WHERE \#(others)"#) }
    }
    try execute(
      """
      INSERT INTO "apus_log_waiting" ("entry", "origin", "originSequence", "originEpoch", "time", \
      "label", "author", "table", "key", "kind", "change", "awaits", "rule", "isDone") \
      VALUES (coalesce(\(entry), \(unsafe: LogTables.newest)), \(origin.database), \
      \(origin.sequence), \(origin.position.epoch), \(transaction.time), \(transaction.label), \
      \(transaction.author), \(table), \(key), \(change.kind.name), \(try change.waitingText), \
      \(awaits), \(rule?.rawValue), \(isDone))
      """)
  }

  /// Marks the waiting changes of a row as no longer waiting, because the row was deleted.
  func endWaiting(ofRowOf change: AnyLogChange) throws {
    try execute(
      """
      UPDATE "apus_log_waiting" SET "isDone" = 1 WHERE NOT "isDone" \
      AND "table" = \(change.table.lowercasedASCII) AND "key" = \(change.keyText)
      """)
  }

  func endWaiting(_ ids: [Int64]) throws {
    for id in ids {
      try execute(#"UPDATE "apus_log_waiting" SET "isDone" = 1 WHERE "id" = \#(id)"#)
    }
  }

  /// Returns whether a waiting change inserts the row with the given key.
  func insertionWaits(table: String, key: String) throws -> Bool {
    try row(
      """
      SELECT 1 FROM "apus_log_waiting" WHERE NOT "isDone" AND "table" = \(table.lowercasedASCII) \
      AND "key" = \(key) AND "kind" = 'insert' LIMIT 1
      """) != nil
  }

  /// Returns the changes that still wait for an object, in the order of their arrival.
  func waitingChanges(for part: AwaitedPart) throws -> [WaitingChange] {
    try waitingChanges(#"NOT "isDone" AND "awaits" = \#(part.text)"#)
  }

  /// Returns the changes that are stored for some entries, by the numbers of the entries. Changes
  /// that no longer wait are included.
  func waitingChanges(from first: Int64, through last: Int64) throws -> [Int64: [AnyLogChange]] {
    try withWaiting([:]) {
      let changes = try waitingChanges(#""entry" BETWEEN \#(first) AND \#(last)"#)
      return Dictionary(grouping: changes, by: \.entry).mapValues {
        $0.flatMap(\.transaction.changes)
      }
    }
  }

  private func waitingChanges(_ condition: SQL) throws -> [WaitingChange] {
    let decoder = JSONDecoder()
    return try rows(
      """
      SELECT "id", "entry", "origin", "originSequence", "originEpoch", "time", "label", "author", \
      "change", "rule" FROM "apus_log_waiting" WHERE \(condition) ORDER BY "id"
      """
    ).map { row in
      let text = try row.get(String.self, at: 8)
      let coded = try decoder.decode(LogTransaction.CodedChange.self, from: Data(text.utf8))
      let position = LogPosition(try row.get(at: 3), in: try row.get(at: 4))
      return WaitingChange(
        id: try row.get(at: 0), entry: try row.get(at: 1),
        transaction: LogTransaction(
          origin: LogEntry.Origin(database: try row.get(at: 2), position: position),
          time: try row.get(at: 5), label: try row.get(at: 6), author: try row.get(at: 7),
          changes: [try coded.change(at: [])]),
        rule: try row.get(String?.self, at: 9).flatMap(ConflictPolicy.Rule.init))
    }
  }

  // MARK: Purging

  /// Returns the number of the last entry that no waiting change needs, so that a purge may delete
  /// the entries up to it. Returns nil if the waiting changes need no entries. A waiting change
  /// needs all entries that are not older than the change, because it is compared with them when it
  /// is applied.
  func lastEntryBeforeWaiting() throws -> Int64? {
    try withWaiting(nil) {
      let time = try row(#"SELECT min("time") FROM "apus_log_waiting" WHERE NOT "isDone""#)?
        .get(Int64?.self, at: 0)
      return try time.flatMap {
        try firstLogEntry(since: min($0, LogTransaction.times.upperBound))
      }.map { $0 - 1 }
    }
  }

  /// Deletes the changes that no longer wait and whose entries were purged.
  func purgeWaiting(upTo end: Int64) throws {
    try withWaiting(()) {
      try execute(#"DELETE FROM "apus_log_waiting" WHERE "entry" <= \#(end) AND "isDone""#)
    }
  }
}

extension AwaitedPart {
  var text: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }
}

extension AnyLogChange {
  /// The key of the changed row as one text, such as `1, 'a'`, by which the row is looked up.
  var keyText: String { keyValues.map(\.description).joined(separator: ", ") }

  fileprivate var waitingText: String {
    get throws {
      String(
        decoding: try JSONEncoder().encode(LogTransaction.CodedChange(self)), as: UTF8.self)
    }
  }
}

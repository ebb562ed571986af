import Dispatch
import GRDB

extension Peer {
  /// Inserts all items with one statement, and returns the key of the last row.
  func insertByStatement(_ items: [PlainItem]) throws -> Int {
    try pool.write { db in
      let statement = try db.cachedStatement(sql: insertSQL)
      for item in items {
        statement.setUncheckedArguments(item.arguments)
        try statement.execute()
      }
      return Int(db.lastInsertedRowID)
    }
  }

  func insertRecords(_ items: [CodableItem]) throws -> Int {
    try pool.write { db in
      for item in items { try item.insert(db) }
      return Int(db.lastInsertedRowID)
    }
  }

  func countUpByStatement(_ items: [PlainItem], by step: Int64) throws -> Int {
    try pool.write { db in
      let statement = try db.cachedStatement(
        sql: #"UPDATE "Item" SET "count" = ? WHERE "id" = ?"#)
      var changed = 0
      for item in items {
        statement.setUncheckedArguments([item.count + step, item.id])
        try statement.execute()
        changed += db.changesCount
      }
      return changed
    }
  }

  /// Updates records by `updateChanges`, which writes only changed columns, as a model does.
  func countUpRecords(_ items: [CodableItem], by step: Int64) throws -> Int {
    try pool.write { db in
      var changed = 0
      for item in items {
        var new = item
        new.count += step
        if try new.updateChanges(db, from: item) { changed += db.changesCount }
      }
      return changed
    }
  }

  /// Inserts items from several tasks at the same time. Each item is inserted in a write of its
  /// own.
  func insertByTasks(_ items: [PlainItem], tasks: Int) async throws -> Int {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for part in items.split(into: tasks) {
        group.addTask { [pool] in
          for item in part {
            try await pool.write { db in
              let statement = try db.cachedStatement(sql: insertSQL)
              statement.setUncheckedArguments(item.arguments)
              try statement.execute()
            }
          }
        }
      }
      try await group.waitForAll()
    }
    return items.count
  }

  /// Runs a closure with an observer of all changes of the table. The observer gets the keys of the
  /// changed rows, but not their values. To get the values, GRDB would need SQLite's pre-update
  /// hook, which is available only in a build of GRDB with its own SQLite.
  func observing<Result>(_ body: () throws -> Result) throws -> Result {
    let observer = RowObserver()
    pool.add(transactionObserver: observer, extent: .databaseLifetime)
    defer { pool.remove(transactionObserver: observer) }
    return try body()
  }
}

private final class RowObserver: TransactionObserver {
  private var rowIDs: [Int64] = []

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
    eventKind.tableName == "Item"
  }

  func databaseDidChange(with event: DatabaseEvent) { rowIDs.append(event.rowID) }
  func databaseDidCommit(_ db: Database) { rowIDs.removeAll(keepingCapacity: true) }
  func databaseDidRollback(_ db: Database) { rowIDs.removeAll(keepingCapacity: true) }
}

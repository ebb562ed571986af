import Foundation
import GRDB

extension Peer {
  func fetchByStatement() throws -> Int {
    try pool.read { try PlainItem.fetchAll($0.cachedStatement(sql: selectSQL)).count }
  }

  func fetchRecords() throws -> Int {
    try pool.read { try CodableItem.fetchAll($0).count }
  }

  func findByStatement(_ keys: [Int64]) throws -> Int {
    try pool.read { db in
      let statement = try db.cachedStatement(sql: selectSQL + #" WHERE "id" = ?"#)
      var sum = 0
      for key in keys {
        statement.setUncheckedArguments([key])
        if let item = try PlainItem.fetchOne(statement) { sum += Int(item.count) }
      }
      return sum
    }
  }

  func findRecords(_ keys: [Int64]) throws -> Int {
    try pool.read { db in
      var sum = 0
      for key in keys {
        if let item = try CodableItem.fetchOne(db, key: key) { sum += Int(item.count) }
      }
      return sum
    }
  }

  /// Finds the row of each key. Each find is a separate read of the pool.
  func findInReads(_ keys: [Int64]) async throws -> Int {
    var sum = 0
    for key in keys {
      sum += try await pool.read { db in
        let statement = try db.cachedStatement(sql: selectSQL + #" WHERE "id" = ?"#)
        statement.setUncheckedArguments([key])
        return Int(try PlainItem.fetchOne(statement)?.count ?? 0)
      }
    }
    return sum
  }

  func findRecordsInReads(_ keys: [Int64]) async throws -> Int {
    var sum = 0
    for key in keys {
      sum += try await pool.read { Int(try CodableItem.fetchOne($0, key: key)?.count ?? 0) }
    }
    return sum
  }

  func findInSynchronousReads(_ keys: [Int64]) throws -> Int {
    var sum = 0
    for key in keys {
      sum += try pool.read { db in
        let statement = try db.cachedStatement(sql: selectSQL + #" WHERE "id" = ?"#)
        statement.setUncheckedArguments([key])
        return Int(try PlainItem.fetchOne(statement)?.count ?? 0)
      }
    }
    return sum
  }

  /// For each key, builds a new request with GRDB's query interface, and fetches its rows as
  /// `Record`s.
  func runRequests<Record: FetchableRecord & TableRecord>(
    _ keys: [Int64], _ count: (Record) -> Int64
  ) throws -> Int {
    try pool.read { db in
      var sum = 0
      for key in keys {
        let request = Record.filter(Column("id") >= key && Column("flag") == true)
          .order(Column("id")).limit(1)
        for item in try request.fetchAll(db) { sum += Int(count(item)) }
      }
      return sum
    }
  }

  func iterate(_ sql: String, _ argument: Int64) throws -> Int {
    try pool.read { db in
      var sum = 0
      let cursor = try PlainItem.fetchCursor(db, sql: sql, arguments: [argument])
      while let item = try cursor.next() { sum += item.title.utf8.count + Int(item.count) }
      return sum
    }
  }

  func iterateRecords(_ sql: String, _ argument: Int64) throws -> Int {
    try pool.read { db in
      var sum = 0
      let cursor = try CodableItem.fetchCursor(db, sql: sql, arguments: [argument])
      while let item = try cursor.next() { sum += item.title.utf8.count + Int(item.count) }
      return sum
    }
  }

  /// Fetches the rows of a joined query as tuples, read by index.
  func fetchTuples(_ sql: String) throws -> Int {
    try pool.read { db in
      var tuples: [(Int64, String, String?)] = []
      let rows = try Row.fetchCursor(db.cachedStatement(sql: sql))
      while let row = try rows.next() { tuples.append((row[0], row[1], row[2])) }
      return tuples.reduce(0) { $0 + $1.1.utf8.count }
    }
  }

  func fetchJoinedRecords(_ sql: String) throws -> Int {
    struct Joined: Codable, FetchableRecord {
      var id: Int64
      var title: String
      var name: String?
    }
    return try pool.read { db in
      try Joined.fetchAll(db, sql: sql).reduce(0) { $0 + $1.title.utf8.count }
    }
  }
}

// MARK: Beside a writer

extension Peer {
  func findTitles(_ keys: [Int64]) async throws -> Int {
    var titles = 0
    for key in keys {
      titles += try await pool.read { db in
        let statement = try db.cachedStatement(sql: selectSQL + #" WHERE "id" = ?"#)
        statement.setUncheckedArguments([key])
        return try PlainItem.fetchOne(statement)?.title.utf8.count ?? 0
      }
    }
    return titles
  }

  func countUp(_ key: Int64) async throws {
    try await pool.write { db in
      let statement = try db.cachedStatement(
        sql: #"UPDATE "Item" SET "count" = "count" + 1 WHERE "id" = ?"#)
      statement.setUncheckedArguments([key])
      try statement.execute()
    }
  }
}

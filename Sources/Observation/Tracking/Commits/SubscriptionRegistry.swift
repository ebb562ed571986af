import SQLCore

/// The subscriptions to a database, indexed by their tables, columns and rows. The cost of finding
/// the subscriptions that a commit affects does not depend on the number of subscriptions.
struct SubscriptionRegistry {
  private var subscriptions: [UInt64: Subscription] = [:]
  private var tables: [QualifiedTableName: Watchers] = [:]
  private var ofEverything: Set<UInt64> = []
  /// The subscriptions that receive every change of the schema.
  private var ofSchema: Set<UInt64> = []
  /// The id of the next subscription.
  private(set) var nextID: UInt64 = 0
  /// The number of tables, rows and subscriptions that were examined so far to find affected
  /// subscriptions. The number grows with what the commits touch. It does not grow with the number
  /// of subscriptions that a commit does not affect.
  private(set) var lookupCount = 0
  /// A number that grows with each change of the tables and columns to record.
  private(set) var version = 0

  private struct Watchers {
    var ofAllRows: Set<UInt64> = []
    var ofRow: [RowKey: Set<UInt64>] = [:]
    var ofValues = RouteIndex()
    /// For each column name in lower case, the number of subscriptions that watch the column.
    /// `allColumnsCount` is the number of subscriptions that watch all columns.
    var columnCounts: [String: Int] = [:]
    var allColumnsCount = 0
    var count = 0
  }

  var isEmpty: Bool { subscriptions.isEmpty }

  // MARK: Adding and removing

  mutating func add(_ subscription: Subscription) -> UInt64 {
    defer { nextID += 1 }
    subscriptions[nextID] = subscription
    if subscription.watchesSchema {
      ofSchema.insert(nextID)
      version += 1
    }
    if let interests = subscription.tables {
      for (table, interest) in interests { add(nextID, to: table, interest) }
    } else {
      ofEverything.insert(nextID)
      version += 1
    }
    return nextID
  }

  private mutating func add(
    _ id: UInt64, to table: QualifiedTableName, _ interest: Subscription.Interest
  ) {
    var isNew = false
    // Changes the value in place, because a copy of many subscriptions would cost too much.
    func update(_ watchers: inout Watchers) {
      isNew = watchers.count == 0
      watchers.count += 1
      if let keys = interest.keys {
        for key in keys { watchers.ofRow[key, default: []].insert(id) }
      } else if let routes = interest.routes {
        for route in routes { watchers.ofValues.insert(id, at: route) }
      } else {
        watchers.ofAllRows.insert(id)
      }
      guard let columns = interest.columns else {
        isNew = isNew || watchers.allColumnsCount == 0
        watchers.allColumnsCount += 1
        return
      }
      for column in columns {
        let count = watchers.columnCounts[column, default: 0]
        isNew = isNew || count == 0
        watchers.columnCounts[column] = count + 1
      }
    }
    update(&tables[table, default: Watchers()])
    if isNew { version += 1 }
  }

  /// Removes a subscription and returns it. The caller releases it outside the lock.
  mutating func remove(_ id: UInt64) -> Subscription? {
    guard let subscription = subscriptions.removeValue(forKey: id) else { return nil }
    if ofSchema.remove(id) != nil { version += 1 }
    if let interests = subscription.tables {
      for (table, interest) in interests { remove(id, from: table, interest) }
    } else {
      ofEverything.remove(id)
      version += 1
    }
    return subscription
  }

  private mutating func remove(
    _ id: UInt64, from table: QualifiedTableName, _ interest: Subscription.Interest
  ) {
    var isLast = false
    func update(_ watchers: inout Watchers) {
      watchers.count -= 1
      isLast = watchers.count == 0
      for key in interest.keys ?? [] {
        guard let place = watchers.ofRow.index(forKey: key) else { continue }
        watchers.ofRow.values[place].remove(id)
        if watchers.ofRow.values[place].isEmpty { watchers.ofRow.remove(at: place) }
      }
      for route in interest.routes ?? [] { watchers.ofValues.remove(id, at: route) }
      watchers.ofAllRows.remove(id)
      guard let columns = interest.columns else {
        watchers.allColumnsCount -= 1
        isLast = isLast || watchers.allColumnsCount == 0
        return
      }
      for column in columns {
        guard let place = watchers.columnCounts.index(forKey: column) else { continue }
        watchers.columnCounts.values[place] -= 1
        guard watchers.columnCounts.values[place] == 0 else { continue }
        watchers.columnCounts.remove(at: place)
        isLast = true
      }
    }
    guard let place = tables.index(forKey: table) else { return }
    update(&tables.values[place])
    if tables.values[place].count == 0 { tables.remove(at: place) }
    if isLast { version += 1 }
  }

  /// The tables and columns to record; nil if there are no subscriptions.
  var wanted: WantedTables? {
    guard !isEmpty else { return nil }
    guard ofEverything.isEmpty else { return .all }
    return .some(
      tables.mapValues { $0.allColumnsCount > 0 ? nil : Set($0.columnCounts.keys) })
  }

  // MARK: Delivering

  /// Returns the subscriptions that have the id `start` or a later id.
  func added(since start: UInt64) -> [Subscription] {
    guard start < nextID else { return [] }
    return (start..<nextID).compactMap { subscriptions[$0] }
  }

  var all: [Subscription] { Array(subscriptions.values) }

  /// The subscriptions that a commit affects. The answers to `questions` lead to further
  /// subscriptions; see `RouteQuestion`.
  struct Concerned: Sendable {
    var ids: Set<UInt64> = []
    var questions: [RouteQuestion] = []
  }

  /// Returns the subscriptions that a commit affects.
  mutating func concerned(by commit: Commit) -> Concerned {
    var found = Concerned()
    func add(_ ids: Set<UInt64>) {
      lookupCount += ids.count
      found.ids.formUnion(ids)
    }
    for write in commit.writes {
      for (table, changes) in write.tables {
        add(ofEverything)
        lookupCount += 1
        if changes.events.contains(.schemaChanged) { add(ofSchema) }
        guard let watchers = tables[table] else { continue }
        add(watchers.ofAllRows)
        if !changes.events.isEmpty {
          for ids in watchers.ofRow.values { add(ids) }
          watchers.ofValues.forEach { found.ids.insert($0) }
          continue
        }
        if !watchers.ofRow.isEmpty {
          for row in changes.rows {
            lookupCount += 1
            if let ids = watchers.ofRow[changes.key(of: row)] { add(ids) }
          }
        }
        if !watchers.ofValues.isEmpty {
          // Changes the value in place, because the search stores the columns' positions in it.
          tables[table]?.ofValues.find(changes, of: table, &found, &lookupCount)
        }
      }
    }
    return found
  }

  /// Returns the subscriptions whose values are in the answer to a `RouteQuestion`. If `answer` is
  /// nil, returns all subscriptions of the question's pattern.
  func concerned(by question: RouteQuestion, _ answer: [[DatabaseValue]]?) -> Set<UInt64> {
    var ids: Set<UInt64> = []
    tables[question.table]?.ofValues.find(question.pattern, answer) { ids.insert($0) }
    return ids
  }

  /// Returns the subscriptions with the given ids. Leaves out subscriptions whose id is `end` or
  /// later: they were added during the access to the writer, and missed its beginning.
  func subscriptions(_ ids: Set<UInt64>, before end: UInt64) -> [Subscription] {
    ids.sorted().compactMap { $0 < end ? subscriptions[$0] : nil }
  }
}

/// The tables whose rows are recorded. Each table has the names of its recorded columns in lower
/// case; nil for all columns.
enum WantedTables {
  case all
  case some([QualifiedTableName: Set<String>?])

  func contains(_ table: QualifiedTableName) -> Bool {
    switch self {
    case .all: table.isObservable
    case .some(let tables): tables[table] != nil
    }
  }
}

import SQLCore

/// Those who watch, found by what a commit touched: what it costs to find them does not depend on
/// how many there are.
struct SubscriptionRegistry {
  private var subscriptions: [UInt64: Subscription] = [:]
  private var tables: [QualifiedTableName: Watchers] = [:]
  private var ofEverything: Set<UInt64> = []
  /// Those that are told of every change of the schema.
  private var ofSchema: Set<UInt64> = []
  /// The id of the next that comes.
  private(set) var nextID: UInt64 = 0
  /// How many tables, rows and watchers were looked at so far to find whom commits concern: it
  /// grows with what they touch, and not with what is watched.
  private(set) var lookupCount = 0
  /// Changes where what is to be recorded changes.
  private(set) var version = 0

  private struct Watchers {
    var ofAllRows: Set<UInt64> = []
    var ofRow: [RowKey: Set<UInt64>] = [:]
    /// How many want each column, folded, and how many want all.
    var columnCounts: [String: Int] = [:]
    var allColumnsCount = 0
    var count = 0
  }

  var isEmpty: Bool { subscriptions.isEmpty }

  // MARK: Coming and going

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
    // In place: a table may have many watchers.
    func update(_ watchers: inout Watchers) {
      isNew = watchers.count == 0
      watchers.count += 1
      if let keys = interest.keys {
        for key in keys { watchers.ofRow[key, default: []].insert(id) }
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

  /// Removes a subscription and returns it, so that what it holds is let go outside a lock.
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
        watchers.ofRow[key]?.remove(id)
        if watchers.ofRow[key]?.isEmpty == true { watchers.ofRow[key] = nil }
      }
      watchers.ofAllRows.remove(id)
      guard let columns = interest.columns else {
        watchers.allColumnsCount -= 1
        isLast = isLast || watchers.allColumnsCount == 0
        return
      }
      for column in columns {
        let count = watchers.columnCounts[column, default: 1] - 1
        watchers.columnCounts[column] = count == 0 ? nil : count
        isLast = isLast || count == 0
      }
    }
    guard tables[table] != nil else { return }
    update(&tables[table, default: Watchers()])
    if tables[table]?.count == 0 { tables[table] = nil }
    if isLast { version += 1 }
  }

  /// What is to be recorded; nil where nobody watches.
  var wanted: WantedTables? {
    guard !isEmpty else { return nil }
    guard ofEverything.isEmpty else { return .all }
    return .some(
      tables.mapValues { $0.allColumnsCount > 0 ? nil : Set($0.columnCounts.keys) })
  }

  // MARK: Telling

  /// Those who came since an id was the next.
  func added(since start: UInt64) -> [Subscription] {
    guard start < nextID else { return [] }
    return (start..<nextID).compactMap { subscriptions[$0] }
  }

  var all: [Subscription] { Array(subscriptions.values) }

  /// Those whom a commit concerns, of those with an id before `end`: who came later did not see all
  /// of the access.
  mutating func concerned(by commit: Commit, before end: UInt64) -> [Subscription] {
    var found: Set<UInt64> = []
    func add(_ ids: Set<UInt64>) {
      lookupCount += ids.count
      found.formUnion(ids)
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
        } else if !watchers.ofRow.isEmpty {
          for row in changes.rows {
            lookupCount += 1
            if let ids = watchers.ofRow[changes.key(of: row)] { add(ids) }
          }
        }
      }
    }
    return found.sorted().compactMap { $0 < end ? subscriptions[$0] : nil }
  }
}

/// The tables whose rows are recorded, with the columns, folded; nil for all.
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

import SQLCore

/// An index of the subscriptions to certain rows of a table. It finds the subscriptions for which a
/// changed row matters, by the values of the row.
///
/// To find the subscriptions that a changed row affects, the index makes up to two lookups for each
/// pattern, such as `userID = ?`: one with the row's values before the change, and one with those
/// after it. The number of subscriptions does not matter. Adding or removing a subscription takes
/// constant time. Subscriptions to ranges, such as `size > 3`, are in a tree, in which finding,
/// adding and removing take logarithmic time.
struct RouteIndex {
  private var patterns: [RowRoute.Pattern: Subscribers] = [:]

  /// The subscriptions whose routes have one pattern, such as `userID = ?`.
  fileprivate struct Subscribers {
    var ids: [[DatabaseValue]: IDSet] = [:]
    /// The subscriptions to ranges, such as `size > 3`. The keys are the values of the columns
    /// compared by `=`.
    var ranges: [[DatabaseValue]: RangeIndex] = [:]
    /// The positions of the pattern's columns among the values of a changed row. They are kept from
    /// the last change, and used again as long as the column names stay the same.
    var places: Places?
  }

  /// The ids of the subscriptions with the same route. Usually there is one.
  fileprivate enum IDSet {
    case one(UInt64)
    case many(Set<UInt64>)
  }

  /// The positions of a pattern's columns among the recorded values of a table's rows.
  fileprivate struct Places {
    enum Place {
      case key(Int)
      case value(Int)
    }

    let names: TableNames
    let compared: [(place: Place, collation: BuiltInCollation)]
    let read: [Int]
  }

  var isEmpty: Bool { patterns.isEmpty }

  mutating func insert(_ id: UInt64, at route: RowRoute) {
    patterns[route.pattern, default: Subscribers()].insert(id, at: route)
  }

  mutating func remove(_ id: UInt64, at route: RowRoute) {
    guard let place = patterns.index(forKey: route.pattern) else { return }
    patterns.values[place].remove(id, at: route)
    if patterns.values[place].isEmpty { patterns.remove(at: place) }
  }

  /// Calls a closure with each subscription. The closure may get the same subscription several
  /// times.
  func forEach(_ body: (UInt64) -> Void) {
    for subscribers in patterns.values { subscribers.forEach(body) }
  }

  /// Adds to `found` the subscriptions that the changed rows affect. The values of a row before and
  /// after its change lead to these subscriptions. If a pattern has a path to a joined table, the
  /// method may add a `RouteQuestion` instead, and the answer to the question leads to the
  /// subscriptions.
  mutating func find(
    _ changes: NettedTable, of table: QualifiedTableName,
    _ found: inout SubscriptionRegistry.Concerned, _ lookupCount: inout Int
  ) {
    // The loop iterates over the indices. If it iterated over the keys, the iteration would hold a
    // reference to the dictionary, and each change would copy the dictionary.
    var index = patterns.startIndex
    while index < patterns.endIndex {
      lookupCount += changes.rows.count
      let pattern = patterns[index].key
      patterns.values[index].find(changes, of: table, pattern, &found)
      patterns.formIndex(after: &index)
    }
  }

  /// Calls a closure with each subscription whose values are in the answer to a `RouteQuestion`. If
  /// `answer` is nil, calls the closure with all subscriptions of the pattern.
  func find(_ pattern: RowRoute.Pattern, _ answer: [[DatabaseValue]]?, _ body: (UInt64) -> Void) {
    guard let answer else {
      patterns[pattern]?.forEach(body)
      return
    }
    for row in answer {
      let values = zip(row, pattern.columns).compactMap { $0.routed($1.collation) }
      if values.count == pattern.columns.count { patterns[pattern]?.ids[values]?.forEach(body) }
    }
  }
}

/// A question that is answered by a statement after a commit. The question has values of changed
/// rows, and asks for the values of the related rows of a joined table. An example is: which users
/// follow these feeds?
struct RouteQuestion: Sendable {
  let table: QualifiedTableName
  let pattern: RowRoute.Pattern
  let values: [DatabaseValue]
}

extension RouteIndex.IDSet {
  fileprivate mutating func insert(_ id: UInt64) {
    switch self {
    case .one(let other): self = other == id ? self : .many([other, id])
    case .many(let ids) where ids.isEmpty: self = .one(id)
    case .many(var ids):
      self = .many([])
      ids.insert(id)
      self = .many(ids)
    }
  }

  /// Removes an id. Returns whether the set is now empty.
  fileprivate mutating func remove(_ id: UInt64) -> Bool {
    switch self {
    case .one(let other): return other == id
    case .many(var ids):
      self = .many([])
      ids.remove(id)
      self = .many(ids)
      return ids.isEmpty
    }
  }

  fileprivate func forEach(_ body: (UInt64) -> Void) {
    switch self {
    case .one(let id): body(id)
    case .many(let ids): ids.forEach(body)
    }
  }
}

extension RouteIndex.Subscribers {
  fileprivate var isEmpty: Bool { ids.isEmpty && ranges.isEmpty }

  fileprivate mutating func insert(_ id: UInt64, at route: RowRoute) {
    if let range = route.range {
      ranges[route.columnValues, default: RangeIndex()].insert(id, range)
    } else {
      ids[route.values, default: .many([])].insert(id)
    }
  }

  fileprivate mutating func remove(_ id: UInt64, at route: RowRoute) {
    guard let range = route.range else {
      if let place = ids.index(forKey: route.values), ids.values[place].remove(id) {
        ids.remove(at: place)
      }
      return
    }
    let values = route.columnValues
    ranges[values]?.remove(id, range)
    if ranges[values]?.isEmpty == true { ranges[values] = nil }
  }

  fileprivate func forEach(_ body: (UInt64) -> Void) {
    for ids in ids.values { ids.forEach(body) }
    for ranges in ranges.values { ranges.forEach(body) }
  }

  /// The least number of different routes of a pattern for which a statement finds the
  /// subscriptions to notify. If a pattern has fewer routes, all its subscriptions are notified,
  /// and no statement runs.
  private static let manySubscribers = 16
  /// The greatest number of values in a `RouteQuestion`. If a commit has more, all subscriptions
  /// are notified.
  private static let maximumValues = 1_000

  /// Returns the values of the changed rows in the column from which the pattern's path begins; nil
  /// if all subscriptions must be notified.
  private mutating func listed(
    in changes: NettedTable, _ pattern: RowRoute.Pattern
  ) -> Set<DatabaseValue>? {
    if places?.names !== changes.names { places = .init(pattern, in: changes.names) }
    guard let places else { return nil }
    var values: Set<DatabaseValue> = []
    for row in changes.rows where changes.differs(row, at: places.read) {
      for isOld in [true, false] {
        guard let found = places.values(of: row, isOld: isOld, in: changes) else { continue }
        guard let found, ids.count >= Self.manySubscribers, values.count < Self.maximumValues
        else { return nil }
        values.formUnion(found)
      }
    }
    return values
  }

  /// Adds the subscriptions that the changed rows affect, or the `RouteQuestion` whose answer leads
  /// to them.
  fileprivate mutating func find(
    _ changes: NettedTable, of table: QualifiedTableName, _ pattern: RowRoute.Pattern,
    _ found: inout SubscriptionRegistry.Concerned
  ) {
    guard pattern.path != nil else { return find(changes, pattern) { found.ids.insert($0) } }
    guard let values = listed(in: changes, pattern) else { return forEach { found.ids.insert($0) } }
    guard !values.isEmpty else { return }
    found.questions.append(RouteQuestion(table: table, pattern: pattern, values: Array(values)))
  }

  private mutating func find(
    _ changes: NettedTable, _ pattern: RowRoute.Pattern, _ body: (UInt64) -> Void
  ) {
    if places?.names !== changes.names { places = .init(pattern, in: changes.names) }
    // If a column is not recorded, it may have any value, so all subscriptions are notified.
    guard let places else { return forEach(body) }
    let range = pattern.content.range
    for row in changes.rows where changes.differs(row, at: places.read) {
      let before = places.values(of: row, isOld: true, in: changes)
      if case .some(let values) = before { find(values, range, body) }
      let after = places.values(of: row, isOld: false, in: changes)
      if after != before, case .some(let values) = after { find(values, range, body) }
    }
  }

  /// - Parameter values: the values of the row's compared columns; nil if the values are not known.
  private func find(
    _ values: [DatabaseValue]?, _ range: RowRoute.RangePattern?, _ body: (UInt64) -> Void
  ) {
    guard let values else { return forEach(body) }
    guard let range, let last = values.last else {
      ids[values]?.forEach(body)
      return
    }
    ranges[Array(values.dropLast())]?.find(last, range, body)
  }
}

extension RouteIndex.Places {
  /// Finds the pattern's columns among the recorded ones. Returns nil if a column is not recorded.
  fileprivate init?(_ pattern: RowRoute.Pattern, in names: TableNames) {
    let keys = names.keys.map(\.lowercasedASCII)
    var compared: [(place: Place, collation: BuiltInCollation)] = []
    // If the pattern has a path, only the column at which the path begins is needed. The statement
    // of the path compares stored values, so the collation of this column is BINARY here.
    let own = pattern.columns + [pattern.content.range?.column].compactMap(\.self)
    let columns = pattern.path.map { [.init(name: $0.column, collation: .binary)] } ?? own
    for column in columns {
      if let place = names.foldedColumns.firstIndex(of: column.name) {
        compared.append((.value(place), column.collation))
      } else if let place = keys.firstIndex(of: column.name) {
        compared.append((.key(place), column.collation))
      } else {
        return nil
      }
    }
    self.names = names
    self.compared = compared
    read = names.places(of: pattern.content.read)
  }

  /// Returns the values of the compared columns before or after a change. Returns nil if the row
  /// did not exist, or if a value is NULL, because NULL equals nothing. Returns `.some(nil)` if a
  /// value is not known.
  fileprivate func values(
    of row: NettedRow, isOld: Bool, in changes: NettedTable
  ) -> [DatabaseValue]?? {
    guard isOld ? row.old >= 0 : row.new >= 0 else { return nil }
    var values: [DatabaseValue] = []
    values.reserveCapacity(compared.count)
    var key: [DatabaseValue] = []
    for (place, collation) in compared {
      let value: DatabaseValue?
      switch place {
      case .value(let place):
        value = isOld ? changes.old(row, at: place) : changes.new(row, at: place)
      case .key(let place):
        if key.isEmpty { key = changes.key(of: row).values }
        value = place < key.count ? .some(key[place]) : .none
      }
      guard let value else { return .some(nil) }
      // Text that is invalid in its encoding may equal text that is stored with other bytes.
      if case .invalidText = value { return .some(nil) }
      guard let routed = value.routed(collation) else { return nil }
      values.append(routed)
    }
    return values
  }
}

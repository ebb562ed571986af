import SQLCore
import TestRun

/// The numbers 1, 2, 3 … without an end.
final class NaturalNumbers: VirtualTable {
  let schema = "CREATE TABLE x (value INTEGER)"
  func open() -> any VirtualTableCursor { Cursor() }

  private final class Cursor: VirtualTableCursor {
    private var number: Int64 = 1
    func filter(_ plan: IndexPlan.Choice, _ arguments: borrowing Arguments) { number = 1 }
    var isAtEnd: Bool { false }
    func next() { number += 1 }
    func column(_ index: Int) -> DatabaseValue { .integer(number) }
    var rowID: Int64 { number }
  }
}

/// A cursor over given numbers.
final class Numbers: VirtualTableCursor {
  let numbers: [Int64]
  var position = 0

  init(_ numbers: some Sequence<Int64>) { self.numbers = Array(numbers) }

  func filter(_ plan: IndexPlan.Choice, _ arguments: borrowing Arguments) { position = 0 }
  var isAtEnd: Bool { position >= numbers.count }
  func next() { position += 1 }
  func column(_ index: Int) -> DatabaseValue { .integer(numbers[position]) }
  var rowID: Int64 { Int64(position) }
}

/// The rows (a, 7) for a from 1 to 9, and a log of each request.
final class Logged: VirtualTable {
  let schema = "CREATE TABLE x (a INTEGER, b INTEGER)"
  private let log: Shared<[String]>

  init(_ log: Shared<[String]>) { self.log = log }

  func bestIndex(_ query: IndexQuery) -> IndexPlan? {
    var words: [String] = []
    var plan = IndexPlan(isOrdered: query.orderings.first?.isDescending ?? false)
    for (index, constraint) in query.constraints.enumerated() {
      switch constraint.comparison {
      case .limit: words.append("limit")
      case .offset: words.append("offset")
      default:
        let sign = constraint.comparison == .equal ? "=" : ">="
        let value = constraint.value.map { "\($0)" } ?? "nil"
        words.append("\(constraint.column) \(sign) \(value) \(constraint.collation)")
      }
      guard constraint.isUsable else { continue }
      if constraint.isList {
        plan.choice.text = "list"
        plan.arguments.append(.init(constraint: index, isChecked: true, isList: true))
      } else {
        plan.arguments.append(.init(constraint: index, isChecked: true))
      }
    }
    // SQLite offers LIMIT and OFFSET in either order, depending on its version.
    if words.firstIndex(of: "offset") ?? 0 < words.firstIndex(of: "limit") ?? 0 {
      plan.choice.text = "offset first"
    }
    plan.choice.number = plan.isOrdered ? 5 : 0
    let order = query.orderings.map { "\($0.column) \($0.isDescending ? "desc" : "asc")" }
    log.change {
      $0.append(
        words.joined(separator: ", ") + "; " + order.joined(separator: ", ")
          + "; used \(query.usedColumns)")
    }
    return plan
  }

  func open() -> any VirtualTableCursor { Cursor(log) }

  private final class Cursor: VirtualTableCursor {
    private let log: Shared<[String]>
    private var numbers: [Int64] = []

    init(_ log: Shared<[String]>) { self.log = log }

    func filter(_ plan: IndexPlan.Choice, _ arguments: borrowing Arguments) throws {
      if plan.text == "list" {
        let list = try arguments.list(at: 0)
        log.change { $0.append("list " + list.map(\.description).joined(separator: ", ")) }
        numbers = try list.map { try $0.read() }
        return
      }
      guard arguments.count == 4 else { throw CancellationError() }
      let first = try arguments.get(Int64.self, at: 0)
      var (limit, offset) = (try arguments.get(Int.self, at: 2), try arguments.get(Int.self, at: 3))
      if plan.text == "offset first" { swap(&limit, &offset) }
      log.change { $0.append("plan \(plan.number) from \(first) limit \(limit + offset)") }
      numbers = (first...9).reversed().dropFirst(offset).prefix(limit).map { $0 }
    }
    var isAtEnd: Bool { numbers.isEmpty }
    func next() { numbers.removeFirst() }
    func column(_ index: Int) -> DatabaseValue { index == 0 ? .integer(numbers[0]) : 7 }
    var rowID: Int64 { numbers[0] }
  }
}

/// The state of a shelf that all connections share.
final class Store: Sendable {
  let rows = Shared<[Int64: [DatabaseValue]]>([:])
  let events = Shared<[String]>([])
  let refusesCommits = Shared(false)
}

/// A writable table over a dictionary.
final class Shelf: WritableVirtualTable {
  let schema: String
  private let context: VirtualTableContext
  private let store: Store
  private var savepoints: [(number: Int, rows: [Int64: [DatabaseValue]])] = []
  private var before: [Int64: [DatabaseValue]] = [:]

  init(_ context: VirtualTableContext, _ store: Store) throws {
    self.context = context
    self.store = store
    let list = context.arguments.joined(separator: ", ")
    schema = "CREATE TABLE x (\(list))"
    store.events.change {
      $0.append(
        context.isNew
          ? "created \(context.database).\(context.name): \(list)"
          : "connected \(context.database).\(context.name)")
    }
  }

  func open() -> any VirtualTableCursor { Cursor(store.rows.current.sorted { $0.key < $1.key }) }
  func destroy() { store.events.change { $0.append("destroyed") } }
  func rename(to name: String) { store.events.change { $0.append("renamed to \(name)") } }

  private func values(_ row: borrowing Arguments) throws -> [DatabaseValue] {
    var values: [DatabaseValue] = []
    for index in 0..<row.count { values.append(try row[index]) }
    return values
  }

  func insert(_ row: borrowing Arguments, rowID: Int64?) throws -> Int64 {
    let id = rowID ?? (store.rows.current.keys.max() ?? 0) + 1
    guard store.rows.current[id] == nil else {
      let resolution = try context.conflictResolution
      throw DatabaseError(code: .constraint, message: "rowid \(id) is taken (\(resolution))")
    }
    let values = try values(row)
    store.rows.change { $0[id] = values }
    return id
  }

  func update(rowID: Int64, to newRowID: Int64, _ row: borrowing Arguments) throws {
    let values = try values(row)
    store.rows.change {
      $0[rowID] = nil
      $0[newRowID] = values
    }
  }

  func delete(rowID: Int64) { store.rows.change { $0[rowID] = nil } }

  func begin() { before = store.rows.current }
  func prepareToCommit() throws {
    if store.refusesCommits.current {
      throw DatabaseError(code: .constraint, message: "the shelf is full")
    }
  }
  func commit() { savepoints = [] }
  func rollback() {
    let rows = before
    store.rows.change { $0 = rows }
    savepoints = []
  }
  func savepoint(_ number: Int) { savepoints.append((number, store.rows.current)) }
  func release(_ number: Int) { savepoints.removeAll { $0.number >= number } }
  func rollback(to number: Int) {
    guard let savepoint = savepoints.first(where: { $0.number == number }) else { return }
    store.rows.change { $0 = savepoint.rows }
  }

  private final class Cursor: VirtualTableCursor {
    private let rows: [(key: Int64, value: [DatabaseValue])]
    private var position = 0
    init(_ rows: [(key: Int64, value: [DatabaseValue])]) { self.rows = rows }
    func filter(_ plan: IndexPlan.Choice, _ arguments: borrowing Arguments) { position = 0 }
    var isAtEnd: Bool { position >= rows.count }
    func next() { position += 1 }
    func column(_ index: Int) -> DatabaseValue { rows[position].value[index] }
    var rowID: Int64 { rows[position].key }
  }
}

/// A table that fails in one method.
final class Failing: VirtualTable {
  struct Failure: Error, CustomStringConvertible { let description: String }

  let schema = "CREATE TABLE x (value)"
  private let method: String

  init(_ method: String) throws {
    self.method = method
    try Failing.check(method, "make")
  }

  static func check(_ method: String, _ current: String) throws {
    if method == current { throw Failure(description: "\(method) failed") }
  }

  func bestIndex(_ query: IndexQuery) throws -> IndexPlan? {
    try Failing.check(method, "bestIndex")
    return IndexPlan()
  }

  func open() throws -> any VirtualTableCursor {
    try Failing.check(method, "open")
    return Cursor(method)
  }

  private final class Cursor: VirtualTableCursor {
    private let method: String
    private var isFirst = true
    init(_ method: String) { self.method = method }
    func filter(_ plan: IndexPlan.Choice, _ arguments: borrowing Arguments) throws {
      try Failing.check(method, "filter")
    }
    var isAtEnd: Bool { !isFirst }
    func next() throws {
      try Failing.check(method, "next")
      isFirst = false
    }
    func column(_ index: Int) throws -> DatabaseValue {
      try Failing.check(method, "column")
      return 1
    }
    var rowID: Int64 {
      get throws {
        try Failing.check(method, "rowID")
        return 1
      }
    }
  }
}

/// The rows of the table `source`, read with the virtual table's own statement.
final class Mirror: VirtualTable {
  let schema = "CREATE TABLE x (n INTEGER)"
  private let context: VirtualTableContext
  private let removes: Bool

  init(_ context: VirtualTableContext, removes: Bool) throws {
    self.context = context
    self.removes = removes
    guard try context.connection.tableExists("source") else { throw CancellationError() }
  }

  func bestIndex(_ query: IndexQuery) throws -> IndexPlan? {
    let count = try context.connection.row("SELECT count(*) FROM source")?.get(Int64.self, at: 0)
    return IndexPlan(rowCount: count ?? 0)
  }

  func open() throws -> any VirtualTableCursor {
    if removes { try context.connection.removeVirtualTable("mirror") }
    return Numbers(
      try context.connection.rows("SELECT n FROM source").map { try $0.get(Int64.self, at: 0) })
  }
}

/// A table that counts its live instances and cursors.
final class Counted: VirtualTable {
  let schema = "CREATE TABLE x (n)"
  private let alive: Shared<Int>

  init(_ alive: Shared<Int>) {
    self.alive = alive
    alive.change { $0 += 1 }
  }
  deinit { alive.change { $0 -= 1 } }

  func open() -> any VirtualTableCursor { Cursor(alive) }

  private final class Cursor: VirtualTableCursor {
    private let alive: Shared<Int>
    init(_ alive: Shared<Int>) {
      self.alive = alive
      alive.change { $0 += 1 }
    }
    deinit { alive.change { $0 -= 1 } }
    func filter(_ plan: IndexPlan.Choice, _ arguments: borrowing Arguments) {}
    var isAtEnd: Bool { false }
    func next() {}
    func column(_ index: Int) -> DatabaseValue { 1 }
    var rowID: Int64 { 1 }
  }
}

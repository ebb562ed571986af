import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

@Suite("Bools as conditions")
struct BoolSpecification {
  struct Task: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var isDone: Bool
    @Column var isFlagged: Bool
    @Column var isPinned: Bool?
    @Column var rating: Int

    static var schema: Schema<Task> { Index(\.$isDone) }
  }

  let db: Database

  init() throws {
    db = try Specification.database(models: [Task.self])
    try db.insert(
      (0..<4).map {
        Task(
          id: $0, isDone: $0 & 1 != 0, isFlagged: $0 & 2 != 0, isPinned: $0 == 0 ? nil : $0 < 3,
          rating: $0)
      })
  }

  /// Expects the condition, and the keys of the rows for which it holds.
  private func expect(
    _ condition: String, _ ids: [Int], sourceLocation: SourceLocation = #_sourceLocation,
    @PredicateBuilder _ predicates: (Columns<Task>) -> PredicateLines
  ) throws {
    let query = Task.where(predicates).select(\.$id)
    #expect(
      try query.sql.text == #"SELECT "id" FROM "Task" WHERE "# + condition,
      sourceLocation: sourceLocation)
    #expect(try db.fetch(query).sorted() == ids, sourceLocation: sourceLocation)
  }

  @Test("&&, || and ! take columns of Bools and conditions")
  func operators() throws {
    try expect(#""isDone" = 0"#, [0, 2]) { !$0.$isDone }
    try expect(#""isDone" = 1 AND "isFlagged" = 1"#, [3]) { $0.$isDone && $0.$isFlagged }
    try expect(#""isDone" = 1 OR "isFlagged" = 1"#, [1, 2, 3]) { $0.$isDone || $0.$isFlagged }
    try expect(#""isDone" = 0 AND "isFlagged" = 1 AND "rating" > ?"#, [2]) {
      !$0.$isDone && $0.$isFlagged && $0.$rating > 1
    }
    try expect(#""rating" > ? AND "isDone" = 1"#, [1, 3]) { $0.$rating > 0 && $0.$isDone }
    try expect(#"NOT ("isDone" = 1 OR "rating" = ?)"#, [2]) { !($0.$isDone || $0.$rating == 0) }
    let plan = try db.explain(Task.where { !$0.$isDone }).description
    #expect(Specification.usesEngine || plan.contains("USING"), "\(plan)")
  }

  @Test("a column of optional Bools is unknown for NULL, and so is its negation")
  func optionals() throws {
    try expect(#""isPinned" = 0"#, [3]) { !$0.$isPinned }
    try expect(#""isPinned" = 1 AND "isDone" = 1"#, [1]) { $0.$isPinned && $0.$isDone }
    try expect(#""isDone" = 1 OR "isPinned" = 0"#, [1, 3]) { $0.$isDone || !$0.$isPinned }
    try expect(#"NOT ("isPinned" = 1 AND "rating" > ?)"#, [3]) {
      !($0.$isPinned && $0.$rating > -1)
    }
    try expect(#""isPinned" IS NOT 1"#, [0, 3]) { $0.$isPinned != true }
  }

  @Test("true and false are conditions, also from a Swift value")
  func constants() throws {
    try expect("0", []) { _ in false }
    try expect("1", [0, 1, 2, 3]) { _ in true }
    for holds in [true, false] {
      let query = Task.where { _ in SQLPredicate(holds) }
      #expect(try db.count(query) == (holds ? 4 : 0))
    }
    try expect(#""rating" > ? AND 1"#, [2, 3]) { $0.$rating > 1 && SQLPredicate(true) }
    let all = false
    try expect(#""rating" > ? AND 0"#, []) {
      $0.$rating > 1
      if !all { false }
    }
    #expect(try db.fetch(Task.none) == [])
    #expect(try Task.none.select(\.$id).sql.text == #"SELECT "id" FROM "Task" WHERE 0"#)
    #expect(try db.fetch(Task.none.union(Task.where { $0.$id == 2 })).map(\.id) == [2])
    #expect(try db.run(Task.none.delete()) == 0)
    let one = Query { Select(Case(when: true, then: 1).else(2)) }
    #expect(try one.sql.text == "SELECT CASE WHEN 1 THEN ? ELSE ? END")
    #expect(try db.fetch(one) == [1])
  }

  @Test("iif takes expressions beside values and nil")
  func choices() throws {
    func expect<Value: ColumnValue & Equatable>(
      _ sql: String, _ values: [Value], sourceLocation: SourceLocation = #_sourceLocation,
      _ expression: (Columns<Task>) -> SQLExpression<Value>
    ) throws {
      let query = Task.order(by: \.$id).select(expression)
      #expect(
        try query.sql.text == "SELECT \(sql) FROM \"Task\" ORDER BY \"id\"",
        sourceLocation: sourceLocation)
      #expect(try db.fetch(query) == values, sourceLocation: sourceLocation)
    }
    try expect(#"CASE WHEN "isDone" = 1 THEN "rating" END"#, [nil, 1, nil, 3]) {
      iif($0.$isDone.isTrue, $0.$rating, nil)
    }
    try expect(#"iif("isDone" = 1, "rating", ?)"#, [0, 1, 0, 3]) {
      iif($0.$isDone.isTrue, $0.$rating, 0)
    }
    try expect(#"iif("isDone" = 1, ?, "rating")"#, [0, 9, 2, 9]) {
      iif($0.$isDone.isTrue, 9, $0.$rating)
    }
    try expect(#"iif("isDone" = 1, ?, ?)"#, [8, 9, 8, 9]) { iif($0.$isDone == true, 9, 8) }
  }
}

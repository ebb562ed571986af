import SQLCore
import TestRun
import Testing

@Suite("Aggregates and window functions in Swift")
struct AggregateTests {
  private let db: Database

  init() throws {
    db = try Database.temporary()
    try db.execute("CREATE TABLE number (n INTEGER)")
    for n in 0...9 { try db.execute("INSERT INTO number VALUES (\(n))") }
    try db.window("integer_sum", initial: 0) { (sum: inout Int, number: Int) in
      sum += number
    } inverse: { (sum: inout Int, number: Int) in
      sum -= number
    } result: {
      $0
    }
  }

  @Test("an aggregate and a window function sum the rows, again in each statement")
  func sum() throws {
    try db.aggregate("plain_sum", initial: 0) { (sum: inout Int, number: Int) in
      sum += number
    } result: {
      $0
    }
    for _ in 0..<2 {
      #expect(try db.row("SELECT integer_sum(n) FROM number")?[0] == 45)
      #expect(try db.row("SELECT plain_sum(n) FROM number")?[0] == 45)
    }
    #expect(try db.row("SELECT integer_sum(n), plain_sum(n + 1) FROM number")?.values == [45, 55])
    #expect(try db.row("SELECT integer_sum(n) FROM number WHERE n > 100")?[0] == 0)
    #expect(
      try db.row("SELECT plain_sum(n) FILTER (WHERE n % 2 = 0) FROM number")?[0] == 20)
  }

  @Test("two groups that are open at the same time have separate states")
  func groups() throws {
    // Two aggregates of one statement, and a statement inside another.
    #expect(
      try db.rows("SELECT n % 2, integer_sum(n) FROM number GROUP BY 1").map(\.values)
        == [[0, 20], [1, 25]])
    let row = try db.row(
      """
      SELECT integer_sum(n), integer_sum((SELECT integer_sum(m.n) FROM number m WHERE m.n <= number.n))
      FROM number
      """)
    #expect(row?.values == [45, 165])
  }

  @Test("a window function follows a moving frame")
  func window() throws {
    let rows = try db.rows(
      """
      SELECT integer_sum(n) OVER (ORDER BY n ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM number
      """)
    #expect(rows.map { $0[0] } == [1, 3, 6, 9, 12, 15, 18, 21, 24, 17])
  }

  @Test("a plain aggregate is refused as a window function")
  func notAWindow() throws {
    try db.aggregate("plain_sum", initial: 0) { (sum: inout Int, number: Int) in
      sum += number
    } result: {
      $0
    }
    let error = #expect(throws: DatabaseError.self) {
      try db.rows(
        "SELECT plain_sum(n) OVER (ORDER BY n ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM number"
      )
    }
    #expect(error?.message == "plain_sum() may not be used as a window function")
  }

  @Test("an untyped aggregate takes any number of arguments")
  func untyped() throws {
    try db.aggregate("longest", argumentCount: nil, initial: DatabaseValue.null) {
      (longest: inout DatabaseValue, arguments) in
      for index in 0..<arguments.count {
        guard case .text(let text) = try arguments[index] else { continue }
        if case .text(let known) = longest, known.count >= text.count { continue }
        longest = .text(text)
      }
    } result: {
      $0
    }
    let row = try db.row(
      "SELECT longest(), longest(value), longest(value, 'swiftlet') FROM json_each('[\"dog\",\"swift\",1]')"
    )
    #expect(row?.values == [nil, "swift", "swiftlet"])
  }

  @Test("an error of a step, an inverse step or the result is the statement's error")
  func throwing() throws {
    struct Broken: Error, CustomStringConvertible { let description: String }
    func add(_ name: String, _ part: String) throws {
      try db.window(name, initial: 0) { (sum: inout Int, number: Int) in
        if part == "step" { throw Broken(description: "step failed") }
      } inverse: { (sum: inout Int, number: Int) in
        if part == "inverse" { throw Broken(description: "inverse failed") }
      } result: {
        if part == "result" { throw Broken(description: "result failed") }
        return $0
      }
    }
    for part in ["step", "inverse", "result"] {
      try add("failing", part)
      let error = #expect(throws: DatabaseError.self) {
        try db.rows(
          "SELECT failing(n) OVER (ORDER BY n ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM number"
        )
      }
      #expect(error?.message == "\(part) failed")
    }
  }

  @Test("the state of a group is released, also if the statement fails or is abandoned")
  func released() throws {
    final class State: Sendable {
      let alive: Shared<Int>
      init(_ alive: Shared<Int>) {
        self.alive = alive
        alive.change { $0 += 1 }
      }
      deinit { alive.change { $0 -= 1 } }
    }
    let alive = Shared(0)
    try db.aggregate("counted", initial: State(alive)) { (state: inout State, number: Int?) in
      if number == nil { throw CancellationError() }
    } result: { _ in
      1
    }
    #expect(try db.rows("SELECT counted(n) FROM number GROUP BY n % 3").count == 3)
    #expect(alive.current == 0)
    #expect(throws: (any Error).self) {
      try db.rows("SELECT counted(nullif(n, 5)) FROM number")
    }
    #expect(alive.current == 0)
    #expect(try db.row("SELECT counted(n) FROM number GROUP BY n")?[0] == 1)
    #expect(alive.current == 0)
  }
}

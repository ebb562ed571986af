import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import QueryFixtures

/// Random conditions, compared with an evaluator of three-valued logic in Swift.
@Suite("Random predicates")
struct PredicateTreeTests {
  /// A row of three values; two of them may be NULL.
  struct Cell: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var a: Int
    @Column var b: Int?
    @Column var c: Int?
  }

  /// True, false, or nil for unknown.
  typealias Truth = Bool?

  /// A condition in two forms: for the DSL, and decided by Swift.
  struct Condition {
    let predicate: SQLPredicate
    let holds: (Cell) -> Truth
  }

  let db: Database
  let cells: [Cell]

  init() throws {
    db = try Database.inMemory(models: [Cell.self])
    let values: [Int?] = [nil, 0, 1, 2]
    var cells: [Cell] = []
    for a in 0...2 {
      for b in values {
        for c in values { cells.append(Cell(id: cells.count, a: a, b: b, c: c)) }
      }
    }
    self.cells = cells
    try db.insert(cells)
  }

  @Test("random trees of &&, ||, !, AllOf, AnyOf and NoneOf agree with three-valued logic")
  func trees() throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    try db.read { connection in
      for round in 0..<TestSize.count(small: 300, full: 2_000) {
        let depth = Int.random(in: 0...4, using: &random)
        let start = random
        let condition = Self.tree(depth: depth, Columns<Cell>(), &random)
        func predicate(_ columns: Columns<Cell>) -> SQLPredicate {
          var again = start
          return Self.tree(depth: depth, columns, &again).predicate
        }
        let query = Cell.where { predicate($0) }
        let found = try connection.fetch(query)
        let expected = cells.filter { condition.holds($0) == true }
        let text = try query.sql.text
        #expect(found == expected, "seed \(seed), round \(round): \(text)")
        let opposite = Cell.where { !predicate($0) }
        #expect(
          try connection.fetch(opposite) == cells.filter { condition.holds($0) == false },
          "seed \(seed), round \(round): NOT (\(text))")
      }
    }
  }

  static func tree(
    depth: Int, _ columns: Columns<Cell>, _ random: inout SeededGenerator
  ) -> Condition {
    guard depth > 0 else { return leaf(columns, &random) }
    func child() -> Condition { tree(depth: depth - 1, columns, &random) }
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      let (left, right) = (child(), child())
      return Condition(predicate: left.predicate && right.predicate) {
        and([left.holds($0), right.holds($0)])
      }
    case 1:
      let (left, right) = (child(), child())
      return Condition(predicate: left.predicate || right.predicate) {
        or([left.holds($0), right.holds($0)])
      }
    case 2:
      let operand = child()
      return Condition(predicate: !operand.predicate) { operand.holds($0).map { !$0 } }
    case 3:
      let lines = (0..<Int.random(in: 0...3, using: &random)).map { _ in child() }
      return Condition(predicate: AllOf { for line in lines { line.predicate } }) { cell in
        and(lines.map { $0.holds(cell) })
      }
    case 4:
      let lines = (0..<Int.random(in: 0...3, using: &random)).map { _ in child() }
      return Condition(predicate: AnyOf { for line in lines { line.predicate } }) { cell in
        or(lines.map { $0.holds(cell) })
      }
    default:
      let lines = (0..<Int.random(in: 0...3, using: &random)).map { _ in child() }
      return Condition(predicate: NoneOf { for line in lines { line.predicate } }) { cell in
        or(lines.map { $0.holds(cell) }).map { !$0 }
      }
    }
  }

  static func leaf(_ columns: Columns<Cell>, _ random: inout SeededGenerator) -> Condition {
    let value = Int.random(in: 0...2, using: &random)
    let other = Bool.random(using: &random) ? Int.random(in: 0...2, using: &random) : nil
    let list = (0..<Int.random(in: 0...3, using: &random)).map { _ in
      Bool.random(using: &random) ? Int.random(in: 0...2, using: &random) : nil
    }
    switch Int.random(in: 0..<14, using: &random) {
    case 0: return Condition(predicate: columns.$a == value) { $0.a == value }
    case 1: return Condition(predicate: columns.$a != value) { $0.a != value }
    case 2: return Condition(predicate: columns.$b == other) { $0.b == other }
    case 3: return Condition(predicate: columns.$b != other) { $0.b != other }
    case 4: return Condition(predicate: columns.$b == columns.$c) { $0.b == $0.c }
    case 5: return Condition(predicate: columns.$b != columns.$a.optional) { $0.b != $0.a }
    case 6: return Condition(predicate: columns.$b < other) { compare($0.b, other, <) }
    case 7: return Condition(predicate: columns.$b >= columns.$c) { compare($0.b, $0.c, >=) }
    case 8: return Condition(predicate: columns.$a > value) { $0.a > value }
    case 9: return Condition(predicate: columns.$a + 1 <= value) { $0.a + 1 <= value }
    case 10: return Condition(predicate: columns.$b.isIn(list)) { list.contains($0.b) }
    case 11:
      let values = list.compactMap { $0 }
      return Condition(predicate: columns.$a.isIn(values)) { values.contains($0.a) }
    case 12:
      return Condition(predicate: columns.$b.between(0, and: value)) { cell in
        cell.b.map { $0 >= 0 && $0 <= value }
      }
    default:
      return Condition(predicate: SQLPredicate(sql: "a = \(value) OR b = \(other)")) { cell in
        or([cell.a == value, compare(cell.b, other, ==)])
      }
    }
  }

  static func and(_ truths: [Truth]) -> Truth {
    truths.contains(false) ? false : truths.contains(nil) ? nil : true
  }

  static func or(_ truths: [Truth]) -> Truth {
    truths.contains(true) ? true : truths.contains(nil) ? nil : false
  }

  static func compare(_ left: Int?, _ right: Int?, _ sign: (Int, Int) -> Bool) -> Truth {
    guard let left, let right else { return nil }
    return sign(left, right)
  }
}

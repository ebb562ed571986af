import QueryDSL
import SQLCore
import SchemaMigration
import Testing

/// `==`, `!=`, `isIn` and their negations agree with Swift for every combination of an optional and
/// a value. For each row either a predicate or its negation holds.
@Suite("The NULL rule")
struct NullRuleTests {
  struct Pair: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var plain: Int
    @Column var one: Int?
    @Column var other: Int?
  }

  let db: Database
  let pairs: [Pair]
  static let values: [Int?] = [nil, 0, 1, 2]

  init() throws {
    db = try Database.inMemory(models: [Pair.self])
    var pairs: [Pair] = []
    for plain in 0...1 {
      for one in Self.values {
        for other in Self.values {
          pairs.append(Pair(id: pairs.count, plain: plain, one: one, other: other))
        }
      }
    }
    self.pairs = pairs
    try db.insert(pairs)
  }

  /// Expects the rows for which Swift's condition holds, and all other rows for the negation.
  private func expect(
    _ predicate: @escaping (Columns<Pair>) -> SQLPredicate, _ holds: (Pair) -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let rows = Set(try db.fetch(Pair.where { predicate($0) }.select(\.$id)))
    #expect(rows == Set(pairs.filter(holds).map(\.id)), sourceLocation: sourceLocation)
    let others = Set(try db.fetch(Pair.where { !predicate($0) }.select(\.$id)))
    #expect(others == Set(pairs.map(\.id)).subtracting(rows), sourceLocation: sourceLocation)
  }

  @Test("== and != agree with Swift for optional values, columns, expressions and subqueries")
  func optionals() throws {
    for value in Self.values {
      try expect({ $0.$one == value }) { $0.one == value }
      try expect({ $0.$one != value }) { $0.one != value }
      try expect({ $0.$one + 1 == value }) { pair in pair.one.map { $0 + 1 } == value }
      try expect({ $0.$one + 1 != value }) { pair in pair.one.map { $0 + 1 } != value }
      try expect({ $0.$plain.optional == value }) { $0.plain == value }
      try expect({ $0.$plain.optional != value }) { $0.plain != value }
      let query = Pair.where { $0.$one == value }.select(\.$one).subquery()
      try expect({ $0.$other == query }) { $0.other == value }
      try expect({ $0.$other != query }) { $0.other != value }
    }
    try expect({ $0.$one == $0.$other }) { $0.one == $0.other }
    try expect({ $0.$one != $0.$other }) { $0.one != $0.other }
    try expect({ $0.$one == $0.$plain.optional }) { $0.one == $0.plain }
    try expect({ $0.$one != $0.$plain.optional }) { $0.one != $0.plain }
  }

  @Test("comparing a column or an expression with nil agrees with Swift")
  func literal() throws {
    try expect({ $0.$one == nil }) { $0.one == nil }
    try expect({ $0.$one != nil }) { $0.one != nil }
    try expect({ $0.$one + 1 == nil }) { $0.one == nil }
    try expect({ $0.$one.coalesce($0.$other) != nil }) { $0.one != nil || $0.other != nil }
    try expect({ $0.$plain.optional == nil }) { _ in false }
    try expect({ $0.$plain.optional != nil }) { _ in true }
    try expect({ SQLExpression<Int?>(nil) == $0.$one }) { $0.one == nil }
    try expect({ SQLExpression<Int?>(nil) != $0.$one }) { $0.one != nil }
    try expect({ $0.$one.isIn([nil]) }) { $0.one == nil }
    try expect({ $0.$one.isIn([nil, 1]) }) { $0.one == nil || $0.one == 1 }
    try expect({ $0.$one.isIn([]) }) { _ in false }
    let nothing = Pair.where { $0.$one == 99 }.select(\.$one)
    try expect({ $0.$one.isIn(nothing) }) { _ in false }
    try expect({ $0.$one == nothing.subquery() }) { $0.one == nil }
  }

  @Test("== and != agree with Swift for values that are not optional")
  func plain() throws {
    for value in Self.values.compactMap(\.self) {
      try expect({ $0.$plain == value }) { $0.plain == value }
      try expect({ $0.$plain != value }) { $0.plain != value }
      try expect({ $0.$plain == $0.$id - value }) { $0.plain == $0.id - value }
      try expect({ $0.$plain != $0.$id - value }) { $0.plain != $0.id - value }
    }
  }

  @Test("isIn agrees with Swift for lists, ranges and queries, with and without optionals")
  func membership() throws {
    for bits in 0..<(1 << Self.values.count) {
      let list = Self.values.indices.filter { bits >> $0 & 1 == 1 }.map { Self.values[$0] }
      let plain = list.compactMap(\.self)
      try expect({ $0.$one.isIn(list) }) { list.contains($0.one) }
      try expect({ ($0.$one + 1).isIn(list) }) { pair in list.contains(pair.one.map { $0 + 1 }) }
      try expect({ $0.$plain.isIn(plain) }) { plain.contains($0.plain) }
      try expect({ $0.$plain.optional.isIn(list) }) { list.contains($0.plain) }
      try expect({ $0.$one.ifNull(2).isIn(plain) }) { plain.contains($0.one ?? 2) }
      try expect({ _ in SQLExpression<Int?>(1).isIn(list) }) { _ in list.contains(1) }
      try expect({ _ in SQLExpression<Int?>(nil).isIn(list) }) { _ in list.contains(nil) }
      let query = Pair.where { $0.$one.isIn(list) }
      try expect({ $0.$other.isIn(query.select(\.$one)) }) { list.contains($0.other) }
      try expect({ $0.$plain.optional.isIn(query.select(\.$one)) }) { list.contains($0.plain) }
      try expect({ ($0.$other + 0).isIn(query.select { $0.$one + 0 }) }) {
        list.contains($0.other)
      }
      try expect({ $0.$plain.isIn(query.select { $0.$one.ifNull(2) }) }) {
        plain.contains($0.plain)
      }
    }
    for low in 0...2 {
      for high in low...2 {
        try expect({ $0.$one.isIn(low...high) }) { $0.one.map((low...high).contains) ?? false }
        try expect({ $0.$one.isIn(low..<high) }) { $0.one.map((low..<high).contains) ?? false }
        try expect({ $0.$plain.isIn(low...high) }) { (low...high).contains($0.plain) }
        try expect({ $0.$plain.isIn(low..<high) }) { (low..<high).contains($0.plain) }
      }
    }
  }

  @Test("a comparison with nil has a statement of its own, and all values share one")
  func texts() throws {
    func text(_ value: Int?) throws -> String { try Pair.where { $0.$one == value }.sql.text }
    #expect(try text(1) == text(2))
    #expect(try text(nil).hasSuffix(#" WHERE "one" IS NULL"#))
    #expect(
      try Pair.where { $0.$one.isIn([nil]) }.sql.text == Pair.where { $0.$one.isIn([1]) }.sql.text)
    #expect(
      try Pair.where { $0.$one == nil }.query.statement.shape().bytes
        != Pair.where { $0.$one == 1 }.query.statement.shape().bytes)
  }
}

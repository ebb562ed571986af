import QueryDSL
import SQLCore
import Testing

/// Random queries over random rows: SQLite, through the DSL, and plain Swift over arrays agree.
@Suite("Differential test")
struct DifferentialTests {
  @Test("B12 G7 5 × 4,400 random queries give the rows of the reference", arguments: 0..<5)
  func random(part: Int) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var values = SampleValues(random: SeededGenerator(seed: seed))
    var database = try SampleDatabase()
    var texts: [[UInt8]: String] = [:]
    for round in 0..<220 {
      try database.refill(&values)
      for number in 0..<20 {
        var selects = RandomSelects(database: database, values: values)
        let query = Self.query(number, &selects)
        values = selects.values
        if let shape = query.shape, let text = query.text?.text {
          let known = texts.updateValue(text, forKey: shape)
          #expect(known == nil || known == text, "seed \(seed): one shape for two statements")
        }
        guard let disagreement = query.disagreement else { continue }
        let text = query.text.map { "\($0.text) \((try? $0.values) ?? [])" } ?? "no SQL"
        Issue.record("seed \(seed), round \(round), query \(number): \(text): \(disagreement)")
        return
      }
    }
    // Each SQL has one shape, or the statement cache would hold it more than once.
    #expect(Set(texts.values).count == texts.count, "seed \(seed)")
  }

  private static func query(_ number: Int, _ selects: inout RandomSelects) -> RandomQuery {
    switch number {
    case 0, 1, 2, 3: selects.single(Alpha.self)
    case 4, 5, 6: selects.single(Beta.self)
    case 7, 8: selects.join(Alpha.self, Beta.self)
    case 9: selects.join(Beta.self, Alpha.self)
    case 10: selects.join(Alpha.self, Alpha.self)
    case 11, 12: selects.groups(Alpha.self)
    case 13: selects.groups(Beta.self)
    case 14, 15: selects.compound(Alpha.self, Beta.self)
    case 16: selects.compound(Beta.self, Beta.self)
    case 17, 18: selects.windows(Alpha.self)
    default: selects.windows(Beta.self)
    }
  }
}

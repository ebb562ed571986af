import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Values in triggers")
struct TriggerValueSpecification {
  struct Sample: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var text: String
    @Column var data: Data
    @Column var real: Double
    @Column var number: Int64
    @Column var date: Date
    @Column var julian: Date
    @Column var price: Decimal
    @Column var code: UUID
    @Column var missing: String?
    static var schema: Schema<Sample> {
      Stored(\.$date, as: .iso8601)
      Stored(\.$julian, as: .julianDay)
      Stored(\.$code, as: .bytes)
    }

    static func random(_ id: Int) -> Sample {
      let texts = [
        "", "'", "''\"", "-- /* */", "END;", "\n\r\t\\", "é🦜\u{301}", "?1 :a $b @c", "\u{FEFF}",
        "'; DROP TABLE Sample; --",
      ]
      let reals: [Double] = [
        .infinity, -.infinity, 0.1, 0.1 + 0.2, 1 / 3, .greatestFiniteMagnitude,
        .leastNonzeroMagnitude, -.leastNormalMagnitude, 8_248_922.393817876, -2.26066311484813e-299,
        6_290_787_420.370049, 1e22, 1e23, 123_456_789_012_345_680, .pi * -1e150,
        Double(bitPattern: .random(in: 1..<0x7FF0_0000_0000_0000)),
      ]
      return Sample(
        id: id, text: texts[id % texts.count],
        data: Data((0..<id % 7).map { UInt8(truncatingIfNeeded: $0 * 37 + id) }),
        real: reals[id % reals.count],
        number: [.min, .max, -1, 0][id % 4],
        date: Date(timeIntervalSince1970: Double(id) * 86_400.125),
        julian: Date(timeIntervalSince1970: Double(id) * 1_000_000),
        price: Decimal(string: ["1.10", "-0.001", "12345678901234567890.5"][id % 3]) ?? 0,
        code: UUID(), missing: id % 2 == 0 ? nil : "x")
    }
  }

  static let samples = (1...160).map(Sample.random)

  struct Signal: Model {
    @PrimaryKey var id: Int
    static var schema: Schema<Signal> {
      Trigger("Signal_sample", after: .insert) { _ in
        for sample in samples { Sample.insert(sample) }
      }
    }
  }

  @Test("each value that a trigger writes is the value of the literal, to the last bit")
  func values() throws {
    let db = try Specification.database(models: [Sample.self, Signal.self])
    try db.insert(Signal(id: 1))
    let stored = try db.fetch(Sample.all.order(by: \.$id))
    try db.run(Sample.delete())
    let expected = try db.insert(Self.samples)
    #expect(stored == expected)
    #expect(stored.map(\.real.bitPattern) == expected.map(\.real.bitPattern))
    let types = try db.rows(
      "SELECT DISTINCT typeof(real), typeof(number), typeof(data) FROM Sample"
    ).map(\.values)
    #expect(types == [["real", "integer", "blob"]])
    #expect(try db.migrationPlan(for: [Sample.self, Signal.self]).steps.isEmpty)
  }

  @Test("a condition compares dates, decimals and lists in their stored forms")
  func conditions() throws {
    struct Price: Model {
      @PrimaryKey var id: Int
      @Column var amount: Decimal
      @Column var day: Date
      @Column var kind: String
      @Column var note: String?
      static var schema: Schema<Price> {
        Stored(\.$day, as: .iso8601Seconds)
        Trigger("Price_note", after: .insert) { new in
          Price.update { $0.$note = "cheap" }.where { $0.$id == new.$id }
        } when: { new in
          new.$amount < 10
          new.$day >= Date(timeIntervalSince1970: 86_400)
          new.$kind.isIn(["a", "it's"])
          new.$note == nil
        }
      }
    }
    let db = try Specification.database(models: [Price.self])
    let text = try db.fetch(String.self, "SELECT sql FROM sqlite_schema WHERE type = 'trigger'")
    #expect(
      text[0].contains(
        """
        WHEN NEW."amount" COLLATE "decimal" < '10' AND NEW."day" >= '1970-01-02T00:00:00Z' AND \
        NEW."kind" IN ('a', 'it''s') AND NEW."note" IS NULL
        """), "\(text[0])")
    func price(_ id: Int, _ amount: Decimal, _ day: Double, _ kind: String) -> Price {
      Price(
        id: id, amount: amount, day: Date(timeIntervalSince1970: day * 86_400), kind: kind)
    }
    try db.insert([
      price(1, 9, 1, "it's"), price(2, 9, 1, "b"), price(3, 9, 0, "a"), price(4, 10.5, 1, "a"),
    ])
    #expect(try db.fetch(Price.where { $0.$note == "cheap" }.select(\.$id)) == [1])
  }

  @Test("the smallest integer after a minus sign stays an integer")
  func signs() throws {
    struct Counter: Model, Equatable {
      @PrimaryKey var id: Int
      @Column var value: Int64
      static var schema: Schema<Counter> {
        Trigger("Counter_reset", after: .update) { old, new in
          Counter.update { $0.$value = old.$value - Int64.min }
            .where { $0.$id == new.$id && new.$value == -5 }
        }
      }
    }
    let db = try Specification.database(models: [Counter.self])
    try db.insert(Counter(id: 1, value: -1))
    try db.run(Counter.update { $0.$value = -5 })
    #expect(try db.fetch(Counter.all) == [Counter(id: 1, value: .max)])
  }
}

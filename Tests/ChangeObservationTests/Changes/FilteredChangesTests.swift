import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import ChangeObservation

private struct Sample: Model {
  @PrimaryKey var id: Int
  @Column var text: String
  @Column var other: String?
  @Column var number: Int
  @Column var real: Double?
  @Column var amount: Decimal
  @Column var date: Date
  @Column var flag: Bool
  @Column var tags: String
  @Column var data: Data?
  @Column var doubled: Int = 0

  static var schema: Schema<Sample> {
    Generated(\.$doubled) { $0.$number * 2 }
  }
}

/// Each predicate is tested on the recorded rows of a write, against the rows that SQLite fetches
/// from the table before and after it.
@Suite("Changes filtered by predicates", .needs(.preUpdateHook))
struct FilteredChangesTests {
  private typealias Predicate = (name: String, make: @Sendable (Columns<Sample>) -> SQLPredicate)

  private static let odd = SQLFunction<Bool, Int>("is_odd")
  private static let likeness = Collation("reversed")

  private static let predicates: [Predicate] = [
    ("equal", { $0.$text == "ab" }),
    ("is not", { $0.$other != "ab" }),
    ("is nil", { $0.$other == nil }),
    ("between", { $0.$number.between(2, and: 5) }),
    ("in", { $0.$number.isIn([1, 2, 9]) }),
    ("in, nullable", { $0.$other.isIn(["ab", nil]) }),
    ("columns", { $0.$number > $0.$id }),
    ("logic", { !($0.$number > 2 && $0.$flag == true) || $0.$text == "Ab" }),
    ("like", { $0.$text.like("a%") }),
    ("like with escape", { $0.$text.like("a!%", escape: "!") }),
    ("glob", { $0.$text.glob("[a-b]*") }),
    ("remainder", { $0.$number.remainder(3) == 1 }),
    ("bits", { $0.$number.bitAnd(6) == 4 || $0.$number.shiftedLeft(by: 1).bitNot() < -9 }),
    ("arithmetic", { $0.$number * 2 - 3 > $0.$id / 2 }),
    ("real", { $0.$real > 0.5 }),
    ("round", { $0.$real.round() == 1 }),
    ("mathematics", { $0.$real.sqrt() > 1 }),
    ("decimal", { $0.$amount == Decimal(string: "1.5") ?? 0 }),
    ("decimal, less", { $0.$amount < 10 }),
    ("decimal, sum", { $0.$amount + 1 >= Decimal(string: "2.5") ?? 0 }),
    ("decimal in", { $0.$amount.isIn([2, 10]) }),
    ("component", { $0.$date.component(.year) == 2_001 }),
    ("date text", { $0.$date.strftime("%m") == "01" }),
    (
      "modified date",
      { $0.$date.modified(by: .days(1), .startOfMonth) > Date(timeIntervalSinceReferenceDate: 0) }
    ),
    ("unix seconds", { $0.$date.unixSeconds() > 978_307_200 }),
    ("text functions", { $0.$text.upper().trim().concat("x").length() > 3 }),
    ("substr", { $0.$text.substr(1, 1) == "a" }),
    ("instr", { $0.$text.instr("b") > 0 }),
    ("replace", { $0.$text.replace("a", with: "c") == "cb" }),
    ("hex", { $0.$text.hex() == "6162" }),
    ("unicode", { $0.$text.unicode() == 97 }),
    ("ifnull", { $0.$other.ifNull("ab") == "ab" }),
    ("nullif", { $0.$text.nullIf("ab") == nil }),
    ("min", { $0.$text.min(with: "b") == "b" }),
    ("cast", { $0.$text.cast(to: Int.self) == 0 }),
    ("typeof", { $0.$real.typeof() == "null" }),
    ("collate", { $0.$text.collated(.noCase) == "AB" }),
    ("own collation", { $0.$text.collated(Self.likeness) < "b" }),
    ("iif", { iif($0.$flag == true, $0.$number, $0.$id) > 3 }),
    ("own function", { Self.odd($0.$number) == true }),
    ("fragment", { SQLPredicate(sql: "\($0.$number) IN (1, 3, 5) AND \($0.$text) >= \("ab")") }),
    ("JSON in a fragment", { SQLPredicate(sql: "json_extract(\($0.$tags), '$[0]') = 1") }),
    ("bytes", { $0.$data == Data([1, 2]) }),
  ]

  private func database() throws -> Database {
    let db = try Database.temporary(models: [Sample.self])
    try db.function("is_odd", .deterministic) { (number: Int) in number % 2 != 0 }
    try db.collation("reversed") { first, second in
      first < second ? .orderedDescending : first > second ? .orderedAscending : .orderedSame
    }
    return db
  }

  private func sample(_ id: Int, _ random: inout SeededGenerator) -> Sample {
    let texts = ["ab", "Ab", "a%", "b", "", "B ", "\u{0}", "é", "cb", "12"]
    let amounts = ["1.5", "1.50", "2", "10", "9.75", "-3"].compactMap { Decimal(string: $0) }
    return Sample(
      id: id, text: texts.randomElement(using: &random) ?? "",
      other: Bool.random(using: &random) ? nil : texts.randomElement(using: &random),
      number: Int.random(in: 0...9, using: &random),
      real: Bool.random(using: &random) ? nil : Double(Int.random(in: -4...8, using: &random)) / 2,
      amount: amounts.randomElement(using: &random) ?? 0,
      date: Date(
        timeIntervalSinceReferenceDate: Double(
          Int.random(in: -90_000_000...90_000_000, using: &random))),
      flag: Bool.random(using: &random),
      tags: ["[1]", "[2]", "[]"].randomElement(using: &random) ?? "[]",
      data: Bool.random(using: &random) ? nil : Data([1, UInt8.random(in: 1...3, using: &random)]))
  }

  /// Changes some rows and then all of them, so that each stream receives an element.
  private func change(_ db: Database, _ random: inout SeededGenerator) async throws {
    var samples: [(id: Int, new: Sample?)] = []
    for _ in 0..<6 {
      let id = Int.random(in: 1...12, using: &random)
      let isDeleted = Int.random(in: 0..<4, using: &random) == 0
      samples.append((id, isDeleted ? nil : sample(id, &random)))
    }
    try await db.write { [samples] tx in
      for (id, new) in samples {
        try tx.execute("DELETE FROM Sample WHERE id = \(id)")
        if let new { try tx.insert(new) }
      }
      try tx.execute("UPDATE Sample SET flag = NOT flag")
    }
  }

  /// Replaces all rows with three others.
  private func replace(in db: Database, seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let samples = (1...3).map { sample($0, &random) }
    try await db.write { tx in
      try tx.execute("DELETE FROM Sample")
      try tx.insert(samples)
    }
  }

  @Test("a filtered stream reports exactly the rows that SQLite selects before or after")
  func differential() async throws {
    let db = try database()
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    var streams = Self.predicates.map { predicate in
      db.changes(of: Sample.self) { predicate.make($0) }.makeAsyncIterator()
    }
    // All rows, to know which ones the write touched.
    var all = db.changes(of: Sample.self).makeAsyncIterator()
    func holding() throws -> [Set<Int>] {
      try Self.predicates.map { predicate in
        Set(try db.fetch(Sample.where { predicate.make($0) }.select(\.$id)))
      }
    }
    var before = try holding()
    for round in 0..<TestSize.count(small: 12, full: 500) {
      try await change(db, &random)
      let after = try holding()
      let touched = Set(try #require(await all.next()).rows.map { try $0.key })
      for (index, predicate) in Self.predicates.enumerated() {
        let expected = before[index].union(after[index]).intersection(touched)
        guard !expected.isEmpty else { continue }
        let reported = try #require(await streams[index].next())
        #expect(reported.unfilteredReason == nil, "\(predicate.name)")
        let rows = Set(try reported.rows.map { try $0.key })
        try #require(rows == expected, "seed \(seed), round \(round): \(predicate.name)")
      }
      before = after
    }
  }

  @Test("an element says why it is unfiltered if the predicate needs more than the row")
  func unfiltered() async throws {
    let db = try database()
    try db.function("drawn") { (number: Int) in number }
    let drawn = SQLFunction<Int, Int>("drawn")
    var seed: UInt64 = 0
    func expect(
      _ words: String, _ predicate: @escaping @Sendable (Columns<Sample>) -> SQLPredicate,
      sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
      let stream = db.changes(of: Sample.self) { predicate($0) }
      seed += 1
      try await replace(in: db, seed: seed)
      let reported = try #require(await stream.collect { _ in true }.first)
      #expect(!reported.isFiltered, sourceLocation: sourceLocation)
      #expect(
        reported.unfilteredReason?.contains(words) == true, "\(reported.unfilteredReason ?? "")",
        sourceLocation: sourceLocation)
      #expect(!reported.rows.isEmpty, sourceLocation: sourceLocation)
    }
    try await expect("other rows") { $0.$number.isIn(Sample.all.select(\.$number)) }
    try await expect("other rows") {
      SQLPredicate(sql: "\($0.$number) > (SELECT avg(number) FROM Sample)")
    }
    try await expect("doubled") { $0.$doubled > 4 }
    try await expect("the rowid") { $0.rowID > 0 }
    try await expect("the rowid") { SQLPredicate(sql: "\($0.$number) < 99 AND rowid > 0") }
    try await expect("drawn()") { drawn($0.$number) > 2 }
    try await expect("current time") { $0.$date < .currentTimestamp }
    try await expect("current time") { SQLPredicate(sql: "\($0.$date) < julianday('now')") }
    try await expect("malformed JSON") {
      SQLPredicate(sql: "json_extract(\($0.$text), '$[0]') = 1")
    }
  }
}

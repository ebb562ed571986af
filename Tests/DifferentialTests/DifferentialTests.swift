import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import QueryFixtures

/// Random queries over random rows of random models, run by SQLite through the DSL and computed in
/// plain Swift over arrays.
@Suite("Random queries compared with a reference")
struct DifferentialTests {
  @Test(
    "random queries return the rows of the reference",
    arguments: 0..<TestSize.count(small: 2, full: 5))
  func random(part: Int) async throws {
    let seed = TestSeed.draw()
    var values = SampleValues(random: SeededGenerator(seed: seed &+ UInt64(part)))
    var texts: [[UInt8]: String] = [:]
    var reached: Set<String> = []
    for round in 0..<TestSize.count(small: 4, full: 19) {
      // Leaves the thread to other tests.
      await Task.yield()
      // The types, keys and stored forms of the two models' columns are random.
      let models = (0..<2).map { _ in SampleModels.draw(&values) }
      let isTwice = ObjectIdentifier(models[0]) == ObjectIdentifier(models[1])
      var database = try SampleDatabase(
        models: (isTwice ? [models[0]] : models) + [SampleLists.self],
        isFile: round.isMultiple(of: 2))
      for number in 0..<300 {
        if number.isMultiple(of: 30) { try database.refill(&values) }
        var selects = RandomSelects(database: database, values: values)
        let query = selects.query(number: number)
        values = selects.values
        if let shape = query.shape, let text = query.text?.text {
          let known = texts.updateValue(text, forKey: shape)
          #expect(known == nil || known == text, "seed \(seed): one shape for two statements")
          for construct in Self.constructs where !reached.contains(construct) {
            if text.contains(construct) { reached.insert(construct) }
          }
        }
        guard let disagreement = query.disagreement else { continue }
        let text = query.text.map { "\($0.text) \((try? $0.values) ?? [])" } ?? "no SQL"
        let report = "seed \(seed), round \(round), query \(number): \(text): \(disagreement)"
        Issue.record("\(report.replacing("\0", with: "\\0"))")
        return
      }
    }
    // If one SQL text had two shapes, the statement cache would hold it twice.
    #expect(Set(texts.values).count == texts.count, "seed \(seed)")
    // Each promised construct is compared, so that a change of the generator cannot lose one. The
    // few queries of a small run do not reach all of them.
    guard TestSize.current != .small else { return }
    #expect(Self.constructs.subtracting(reached) == [], "seed \(seed)")
  }

  private static let constructs: Set<String> = [
    " JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " FULL JOIN ", " CROSS JOIN ", "SELECT DISTINCT ",
    "(SELECT count(*) FROM ", "EXISTS (", " IN (SELECT value FROM apus_array(?))",
    " IN (SELECT \"value\" FROM (", "FROM (SELECT ", "WITH \"", "WITH RECURSIVE ",
    " AS MATERIALIZED (", " AS NOT MATERIALIZED (", " UNION ", " UNION ALL ", " INTERSECT ",
    " EXCEPT ", " GROUP BY ", " HAVING ", "count(DISTINCT ", "sum(DISTINCT ", " FILTER (WHERE ",
    "avg(", "total(", " OVER (PARTITION BY ", " OVER (ORDER BY ", " OVER \"the \"\"total\"\" one\"",
    " WINDOW ", "ROWS BETWEEN ", "RANGE BETWEEN ", "GROUPS BETWEEN ", "UNBOUNDED PRECEDING",
    "? PRECEDING", "CURRENT ROW AND", "? FOLLOWING", "UNBOUNDED FOLLOWING",
    " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES", "row_number()", "dense_rank()",
    "percent_rank()", "cume_dist()", "ntile(?)", "first_value(", "last_value(", "nth_value(",
    "lag(", "lead(", "CASE WHEN ", " WHEN ? THEN ", "iif(", "CAST(", " COLLATE \"NOCASE\"",
    " COLLATE \"RTRIM\"", " NULLS FIRST", " NULLS LAST", " LIMIT ?", " LIMIT -1 OFFSET ?",
    " ORDER BY \"sort\"", " DESC", "coalesce(", "ifnull(", "nullif(", "max(", "min(",
    " LIKE ? ESCAPE ?", " GLOB ", " BETWEEN ", " IS NOT ", " IS ?", " IS NULL", " IS NOT NULL",
    " <> ", "NOT (", " AND ",
    " OR ", "json_extract(", " % ", " & ", " | ", " << ", " >> ", " || ", "substr(", "replace(",
    "instr(", "trim(", "hex(", "typeof(", "\"ifnull\"(",
    " AS BLOB)", "lower(", ") > (", ") IN (", "IS NOT NULL", " IS 1", " = 1",
    " JOIN \"json_each\"(", " LEFT JOIN \"json_each\"(", " JOIN \"generate_series\"(",
    " LEFT JOIN \"generate_series\"(", "json_object(", "json_array(", "json_group_array(",
    "json_set(", "json_insert(", "json_replace(", "json_remove(", "json_patch(", "apus_fold(",
    "apus_fold_ascii(", "group_concat(", "json_group_array(DISTINCT ",
    "FROM (SELECT \"apus_array\"",
    " || ' months'", "'start of month'",
  ]
}

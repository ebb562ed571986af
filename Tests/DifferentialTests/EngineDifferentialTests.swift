import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import QueryFixtures

/// The same random queries over the same rows, in a file and behind the engine that the environment
/// variable `APUS_ENGINE` names.
@Suite(
  "Random queries, in a file and behind an engine",
  .enabled(if: Specification.usesEngine, "APUS_ENGINE names no engine"))
struct EngineDifferentialTests {
  @Test("the rows are the same")
  func random() async throws {
    let seed = TestSeed.draw()
    var here = SampleValues(random: SeededGenerator(seed: seed))
    var there = here
    var compared = 0
    var refused: [String: Int] = [:]
    let goal = TestSize.count(small: 1_000, full: 10_000)
    while compared < goal {
      await Task.yield()
      let models = (0..<2).map { _ in SampleModels.draw(&here) }
      there = here
      let isTwice = ObjectIdentifier(models[0]) == ObjectIdentifier(models[1])
      let all = (isTwice ? [models[0]] : models) + [SampleLists.self]
      var file = try SampleDatabase(models: all, isFile: true)
      var engine = try SampleDatabase(elsewhere: all)
      for number in 0..<300 where compared < goal {
        if number.isMultiple(of: 30) {
          try file.refill(&here)
          try engine.refill(&there)
        }
        var selects = RandomSelects(database: file, values: here)
        let local = selects.query(number: number)
        here = selects.values
        selects = RandomSelects(database: engine, values: there)
        let remote = selects.query(number: number)
        there = selects.values
        let text = local.text?.text ?? "no SQL"
        #expect(text == remote.text?.text, "seed \(seed): the generators differ")
        if let name = Self.missingName(remote) {
          refused[name, default: 0] += 1
          continue
        }
        compared += 1
        guard let difference = Self.difference(local, remote) else { continue }
        Issue.record("seed \(seed), query \(compared): \(text): \(difference)")
        return
      }
    }
    let names = refused.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    print("compared \(compared) queries, seed \(seed); refused: \(names.joined(separator: ", "))")
    // Only what Apus defines itself is refused.
    let isOwn = refused.keys.allSatisfy {
      $0.hasPrefix("apus_") || ["decimal", "generate_series"].contains($0)
    }
    #expect(isOwn, "seed \(seed)")
  }

  /// Returns the name of the function, table function or collation that the engine lacks, if the
  /// query threw because of one.
  private static func missingName(_ query: RandomQuery) -> String? {
    for result in [query.found.map { _ in 0 }, query.counted ?? .success(0)] {
      guard case .failure(let error as DatabaseError) = result,
        let match = error.message.firstMatch(
          of: /no such (?:function|table|collation sequence): (\w+)/)
      else { continue }
      return String(match.1)
    }
    return nil
  }

  /// Returns how the results differ; nil if they are the same. Without a total order, rows may come
  /// in any order.
  private static func difference(_ local: RandomQuery, _ remote: RandomQuery) -> String? {
    func text(_ result: Result<Int, any Error>?) -> String { result.map { "\($0)" } ?? "" }
    if text(local.counted) != text(remote.counted) {
      return "\(text(remote.counted)) counted instead of \(text(local.counted))"
    }
    switch (local.found, remote.found) {
    case (.success(let one), .success(let other)):
      let isSame =
        local.isTotal
        ? one == other
        : one.map { "\($0)" }.sorted() == other.map { "\($0)" }.sorted()
      return isSame ? nil : "\(other) instead of \(one)"
    case (.failure(let one), .failure(let other)):
      return type(of: one) == type(of: other) ? nil : "\(other) instead of \(one)"
    default: return "\(remote.found) instead of \(local.found)"
    }
  }
}

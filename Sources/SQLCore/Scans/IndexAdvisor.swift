/// Finds the indexes that spare a statement a scan or a sort, by asking SQLite.
///
/// Candidates come from a `ConstraintProbe`. They are created in an empty copy of the schema, with
/// the statistics of the original, and SQLite's plan tells which it takes: the planner looks at
/// nothing else.
struct IndexAdvisor {
  /// The schema without rows.
  let copy: ConnectionCore
  private let probe: ConstraintProbe
  private let takenNames: Set<String>
  /// Those whose scans matter most.
  var largeTables: [String] = []

  init(_ schema: SchemaCopy, for core: ConnectionCore) throws {
    copy = try core.emptyTwin()
    schema.make(in: copy)
    probe = try ConstraintProbe(schema, columnsFrom: copy, twin: try core.emptyTwin())
    takenNames = Set(schema.objects.map(\.name.lowercasedASCII))
  }

  /// What a plan costs, as far as an index may spare it.
  private struct Cost: Comparable {
    let scansOfLarge: Int
    let scans: Int
    let sorts: Int

    static func < (left: Cost, right: Cost) -> Bool {
      (left.scansOfLarge, left.scans, left.sorts) < (right.scansOfLarge, right.scans, right.sorts)
    }
  }

  private struct Plan {
    let cost: Cost
    /// Which of the candidates it uses, by their numbers.
    let used: [Int]
  }

  /// Tried at most, so that a statement of a hundred conditions does not hold up its access.
  private static let maximumCandidates = 48

  /// The fewest indexes that spare most; none where none does.
  func indexes(for sql: String) -> [SuggestedIndex] {
    guard let base = plan(of: sql, with: [], from: []) else { return [] }
    let candidates = Array(probe.candidates(for: sql).prefix(Self.maximumCandidates))
    func tried(_ numbers: [Int]) -> Plan? { plan(of: sql, with: numbers, from: candidates) }
    var best: (numbers: [Int], cost: Cost)?
    func consider(_ numbers: [Int]) {
      // Only what is used where nothing else is created counts.
      guard !numbers.isEmpty, let plan = tried(numbers), plan.used == numbers,
        plan.cost < base.cost
      else { return }
      let isBetter =
        best.map { best in
          plan.cost < best.cost
            || plan.cost == best.cost && numbers.count < best.numbers.count
        } ?? true
      if isBetter { best = (numbers, plan.cost) }
    }
    consider(tried(Array(candidates.indices))?.used ?? [])
    // Each that is not needed goes.
    for number in best?.numbers ?? [] {
      consider((best?.numbers ?? []).filter { $0 != number })
    }
    for number in candidates.indices { consider([number]) }
    return best?.numbers.map { suggestion(candidates[$0]) } ?? []
  }

  private func plan(
    of sql: String, with numbers: [Int], from candidates: [IndexCandidate]
  ) -> Plan? {
    func name(_ number: Int) -> String { "apus_candidate_\(number)_" }
    for number in numbers {
      let candidate = candidates[number]
      let terms = candidate.terms.map(\.sql).joined(separator: ", ")
      try? copy.run(
        pragma: "CREATE INDEX \(name(number)) ON \(Identifier(candidate.table).quoted) (\(terms))")
    }
    defer { for number in numbers { try? copy.run(pragma: "DROP INDEX \(name(number))") } }
    guard let scans = try? copy.scannedTables(by: sql) else { return nil }
    var sorts = 0
    var used: Set<Int> = []
    try? copy.forEachRow(of: "EXPLAIN QUERY PLAN " + sql) { row in
      let detail = row.text(3)
      // Least and greatest are said to be searched for, also without an index.
      let isWithoutIndex = detail.hasPrefix("SEARCH ") && !detail.contains(" USING ")
      if detail.contains("USE TEMP B-TREE") || isWithoutIndex { sorts += 1 }
      for number in numbers where detail.contains(name(number)) { used.insert(number) }
    }
    return Plan(
      cost: Cost(
        scansOfLarge: scans.count { largeTables.contains($0) }, scans: scans.count, sorts: sorts),
      used: used.sorted())
  }

  private func suggestion(_ candidate: IndexCandidate) -> SuggestedIndex {
    let base = candidate.table + "_on_" + candidate.terms.map(\.column).joined(separator: "_")
    var name = base
    var number = 2
    while takenNames.contains(name.lowercasedASCII) {
      name = "\(base)_\(number)"
      number += 1
    }
    return SuggestedIndex(name: name, table: candidate.table, terms: candidate.terms)
  }
}

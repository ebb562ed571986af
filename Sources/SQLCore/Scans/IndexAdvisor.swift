/// An object that finds missing indexes: indexes with which SQLite would avoid a scan or a sort in
/// a statement.
///
/// A `ConstraintDiscovery` proposes candidates. The advisor creates them in an empty copy of the
/// schema, which has the statistics of the original. SQLite's plan for the statement shows which
/// candidates SQLite uses. The plan is the same as in the original database, although the copy has
/// no rows, because the planner considers only the schema and the statistics.
struct IndexAdvisor {
  /// A copy of the schema, without rows.
  let copy: ConnectionCore
  private let discovery: ConstraintDiscovery
  private let takenNames: Set<String>
  /// The large tables, whose scans cost the most.
  var largeTables: [String] = []
  /// For the name of each partial index, the words and quoted names in its definition, in lower
  /// case. The names of its columns are among them.
  private let partialIndexes: [String: Set<String>]
  /// For the name of a table, the words of `partialIndexes` for all partial indexes of the table
  /// that the statement scans.
  private var usedPartialIndexes: [String: Set<String>] = [:]

  init(_ schema: SchemaCopy, for core: ConnectionCore) throws {
    copy = try core.emptyTwin()
    schema.make(in: copy)
    discovery = try ConstraintDiscovery(schema, columnsFrom: copy, twin: try core.emptyTwin())
    takenNames = Set(schema.objects.map(\.name.lowercasedASCII))
    var partialIndexes: [String: Set<String>] = [:]
    for object in schema.objects where object.kind == .index {
      let tokens = SQLTokens(object.sql).tokens
      guard tokens.contains(where: { $0.kind == .word && $0.value.lowercasedASCII == "where" })
      else { continue }
      let names = tokens.filter { $0.kind == .word || $0.kind == .quotedName }
      partialIndexes[object.name.lowercasedASCII] = Set(names.map(\.value.lowercasedASCII))
    }
    self.partialIndexes = partialIndexes
  }

  /// Finds the partial indexes of large tables that a statement scans, and remembers them. Later
  /// calls of `indexes(for:)` do not suggest an index whose columns are all in such a partial
  /// index. Returns true if the statement scans large tables only through partial indexes.
  mutating func scansPartialIndexes(by sql: String) -> Bool {
    guard !partialIndexes.isEmpty, let trees = try? copy.scannedTrees(by: sql) else { return false }
    let large = trees.filter { largeTables.contains($0.table) }
    for tree in large {
      guard let names = partialIndexes[tree.name.lowercasedASCII] else { continue }
      usedPartialIndexes[tree.table, default: []].formUnion(names)
    }
    return !large.isEmpty
      && large.allSatisfy { partialIndexes[$0.name.lowercasedASCII] != nil }
  }

  /// Returns whether all columns of a candidate occur in partial indexes that the statement scans.
  /// Such a candidate is not suggested.
  private func isNeedless(_ candidate: IndexCandidate) -> Bool {
    guard let names = usedPartialIndexes[candidate.table] else { return false }
    return candidate.terms.allSatisfy { names.contains($0.column.lowercasedASCII) }
  }

  /// The cost of a plan. It only counts scans and sorts, because an index can save these.
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
    /// The numbers of the candidates that the plan uses.
    let used: [Int]
  }

  /// The maximum number of candidates to try. Without a maximum, a statement with a hundred
  /// conditions would delay the access that runs it.
  private static let maximumCandidates = 48

  /// Returns the set of indexes that saves the most scans and sorts. If several sets save the same
  /// number, returns the smallest of them. The set is empty if no index helps.
  func indexes(for sql: String) -> [SuggestedIndex] {
    guard let base = plan(of: sql, with: [], from: []) else { return [] }
    let candidates = Array(
      discovery.candidates(for: sql).filter { !isNeedless($0) }.prefix(Self.maximumCandidates))
    func tried(_ numbers: [Int]) -> Plan? { plan(of: sql, with: numbers, from: candidates) }
    var best: (numbers: [Int], cost: Cost)?
    func consider(_ numbers: [Int]) {
      // A plan counts only if it uses all indexes that were created for it.
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
    // Drop each index that turns out not to be needed.
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
      // For `min` and `max`, SQLite reports a SEARCH even if it uses no index.
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

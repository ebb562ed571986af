import QueryDSL
import SQLCore

/// Tables with random rows, in SQLite and as arrays.
struct SampleDatabase {
  let db: Database
  private(set) var alphas: [Alpha] = []
  private(set) var betas: [Beta] = []

  init() throws {
    db = try Database.inMemory(models: [Alpha.self, Beta.self])
  }

  /// Other rows: few, so that every join can be walked through.
  mutating func refill(_ values: inout SampleValues) throws {
    try db.run(Alpha.delete())
    try db.run(Beta.delete())
    alphas = (0..<values.below(9)).map { Alpha.make(id: $0, &values) }
    betas = (0..<values.below(9)).map { Beta.make(id: $0, &values) }
    try db.insert(alphas)
    try db.insert(betas)
  }

  func rows<M: SampleModel>(of model: M.Type) -> [[DatabaseValue]] {
    M.self == Alpha.self ? alphas.map(\.values) : betas.map(\.values)
  }

  /// As many NULLs as the model has columns.
  func missing<M: SampleModel>(_ model: M.Type) -> [DatabaseValue] {
    Array(repeating: .null, count: M.self == Alpha.self ? 7 : 6)
  }
}

/// A query and the rows that the reference gives.
struct RandomQuery {
  let text: SQL?
  /// By which a connection finds its statement again.
  let shape: [UInt8]?
  let found: Result<[[DatabaseValue]], any Error>
  let expected: [[DatabaseValue]]
  /// How the rows are ordered, if they are; `isTotal`: no two alike.
  var order: (([DatabaseValue], [DatabaseValue]) -> Int)?
  var isTotal = false
  /// The places of integers, which throw where they left 64 bits.
  var integers: [Int] = []

  /// What is wrong with it; nil where SQLite and the reference agree.
  var disagreement: String? {
    let leaves = expected.contains { row in integers.contains { row[$0].storageClass == .real } }
    let rows: [[DatabaseValue]]
    switch found {
    case .failure(is ColumnValueError) where leaves: return nil
    case .failure(let error): return "throws \(error)"
    case .success(let found):
      if leaves { return "an integer that left 64 bits does not throw" }
      rows = found
    }
    if Self.sorted(rows) != Self.sorted(expected) { return "\(rows) instead of \(expected)" }
    guard let order else { return nil }
    if isTotal { return rows == expected ? nil : "\(rows) is not ordered as \(expected)" }
    let isOrdered = zip(rows, rows.dropFirst()).allSatisfy { order($0, $1) <= 0 }
    return isOrdered ? nil : "\(rows) is not ordered"
  }

  private static func sorted(_ rows: [[DatabaseValue]]) -> [[DatabaseValue]] {
    rows.sorted { order($0, $1) < 0 }
  }

  static func order(_ left: [DatabaseValue], _ right: [DatabaseValue]) -> Int {
    zip(left, right).lazy.map { SQLLogic.order($0, $1) }.first { $0 != 0 } ?? 0
  }

  /// Each row once; NULL equals NULL.
  static func distinct(_ rows: [[DatabaseValue]]) -> [[DatabaseValue]] {
    var unique: [[DatabaseValue]] = []
    for row in rows where !unique.contains(where: { order($0, row) == 0 }) { unique.append(row) }
    return unique
  }
}

import SQLCore

/// A generator of random numbers whose sequence a seed decides.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    // SplitMix64.
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Random statements over the tables of the model-based test: small ranges of keys and values, so
/// that conflicts, repetitions and changes that change nothing are common.
struct RandomWrites {
  var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
  mutating func chance(_ percent: Int) -> Bool { number(1...100) <= percent }
  mutating func pick<T>(_ items: [T]) -> T { items[number(0...(items.count - 1))] }

  private mutating func conflict() -> String {
    pick(["", "", "", " OR FAIL", " OR IGNORE", " OR REPLACE", " OR ROLLBACK", " OR ABORT"])
  }

  private mutating func title() -> String {
    pick(["'a'", "'b'", "'c'", "'d'", "'e'", "'é'", "''"])
  }
  private mutating func body() -> String { pick(["NULL", "'x'", "'y'", "x'00'"]) }

  /// One statement.
  mutating func statement() -> String {
    switch number(1...16) {
    case 1...3:
      var rows: [String] = []
      for _ in 0..<number(1...4) {
        rows.append("(\(number(1...12)), \(title()), \(number(0...3)), \(body()))")
      }
      return "INSERT\(conflict()) INTO Item (id, title, stars, body) VALUES "
        + rows.joined(separator: ", ")
    case 4...6:
      return "UPDATE\(conflict()) Item SET \(assignment()) WHERE id <= \(number(1...12))"
    case 7: return "UPDATE\(conflict()) Item SET id = id + \(number(0...2))"
    case 8: return "DELETE FROM Item WHERE id = \(number(1...12))"
    case 9: return pick(["DELETE FROM Item", "DELETE FROM Link", "DELETE FROM Word"])
    case 10:
      return "INSERT INTO Item (id, title, stars) VALUES (\(number(1...12)), \(title()), 1) "
        + "ON CONFLICT (id) DO UPDATE SET title = excluded.title, stars = stars + 1"
    case 11...12:
      return "INSERT\(conflict()) INTO Link (item, name, weight) VALUES "
        + "(\(number(1...12)), \(title()), \(number(0...2))), (1, \(title()), 0.5)"
    case 13: return "UPDATE\(conflict()) Link SET weight = \(pick(["1", "1.5", "weight"]))"
    case 14:
      return "INSERT\(conflict()) INTO Word (name, count) VALUES (\(title()), \(number(0...2)))"
    case 15: return "UPDATE\(conflict()) Word SET name = name || \(pick(["'a'", "''"]))"
    default: return "DELETE FROM Word WHERE count = \(number(0...2))"
    }
  }

  private mutating func assignment() -> String {
    pick([
      "title = \(title())", "stars = \(number(0...3))", "stars = stars", "body = \(body())",
      "title = title || 'z', stars = stars + 1",
    ])
  }

  /// Runs a few statements in a transaction, with savepoints that nest and roll back; whatever
  /// fails is passed over.
  mutating func transaction(on connection: Connection) throws {
    try connection.execute(SQL(unsafe: pick(["BEGIN", "BEGIN IMMEDIATE"])))
    var names: [String] = []
    for _ in 0..<number(1...6) {
      guard try connection.isInTransaction else { return }
      switch number(1...10) {
      case 1...2:
        let name = pick(["one", "Two", "\"three\""])
        names.append(name)
        try connection.execute(SQL(unsafe: "SAVEPOINT \(name)"))
      case 3 where !names.isEmpty:
        let kept = number(1...names.count)
        try? connection.execute(SQL(unsafe: "ROLLBACK TO \(names[kept - 1].uppercased())"))
      case 4 where !names.isEmpty:
        try? connection.execute(SQL(unsafe: "RELEASE SAVEPOINT \(names.removeLast())"))
      default:
        try? connection.execute(SQL(unsafe: statement()))
      }
    }
    guard try connection.isInTransaction else { return }
    if chance(75) {
      do {
        try connection.execute("COMMIT")
        return
      } catch {
        // A deferred foreign key holds the commit up.
      }
    }
    try connection.execute("ROLLBACK")
  }
}

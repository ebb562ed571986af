/// A row of the table: something that is tried many times.
///
/// A trial is cut into parts of some hundred numbers each; each part is run by a process of its own,
/// so that what traps, leaks or never ends is found and ends nothing else.
protocol Trial: Sendable {
  /// As the table calls it: `R1`.
  static var name: String { get }
  static var title: String { get }
  /// What is counted: `points`.
  static var unit: String { get }
  /// How many there are.
  static var quick: Int { get }
  static var full: Int { get }
  /// How many one process runs.
  static var partSize: Int { get }
  /// How many processes run at once.
  static var partsAtOnce: Int { get }
  /// Before SQLite is used.
  static func prepareProcess() throws
  /// Tries the numbers of a range, each of which draws lots of its own from the seed.
  static func run(_ numbers: Range<Int>, seed: UInt64, tally: inout Tally) async throws
  /// What must be true of all parts together: a check that met nothing is none.
  static func judge(_ tally: Tally) -> [String]
}

extension Trial {
  static var partsAtOnce: Int { 2 }
  static func prepareProcess() throws {}
  static func judge(_ tally: Tally) -> [String] { [] }
}

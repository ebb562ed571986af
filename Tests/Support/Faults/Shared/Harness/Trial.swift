/// A row of the table: something that is tried many times.
///
/// A trial is cut into parts of some hundred numbers. Each part runs in a process of its own, so
/// that a trap, a leak or an endless loop is found and does not end the other parts.
protocol Trial: Sendable {
  /// The name in the table: `R1`.
  static var name: String { get }
  static var title: String { get }
  /// The noun for what is counted: `points`.
  static var unit: String { get }
  /// The number of times that it is tried.
  static var quick: Int { get }
  static var full: Int { get }
  /// The number of times that one process tries it.
  static var partSize: Int { get }
  /// The number of processes that run at once.
  static var partsAtOnce: Int { get }
  /// Prepares a process before it uses SQLite.
  static func prepareProcess() throws
  /// Tries the numbers of a range, each with random numbers of its own, drawn from the seed.
  static func run(_ numbers: Range<Int>, seed: UInt64, tally: inout Tally) async throws
  /// Checks the tally of all parts together: a trial that met nothing has not tried anything.
  static func judge(_ tally: Tally) -> [String]
}

extension Trial {
  static var partsAtOnce: Int { 2 }
  static func prepareProcess() throws {}
  static func judge(_ tally: Tally) -> [String] { [] }
}

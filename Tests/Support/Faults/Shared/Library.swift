/// The library under trial. The files of this folder define what is done and what must hold,
/// independently of any library; each program that is built from them names its own as `OnTrial`.
protocol Library {
  associatedtype Database: Sendable
  associatedtype Configuration: Sendable
  associatedtype Watcher: Following

  /// The rows of the table, in their order.
  static var trials: [any Trial.Type] { get }
  /// A configuration with little memory and a small log, so that pages are written early and the
  /// log is restarted often.
  static var configuration: Configuration { get }
  /// Returns whether an error is one of those that the library documents.
  static func isTyped(_ error: any Error) -> Bool
  static func close(_ database: Database) throws

  /// The SQL of what an older program with this library left in the file, besides its tables.
  static var earlierProgram: String { get }
  /// Returns the scenario: open, migrate, insert, update, read, stream, observe, back up,
  /// checkpoint, close.
  static func scenario() throws -> Scenario

  /// Does the work of a process that a trial starts: `write` migrates and writes until it is
  /// killed.
  static func runChild(_ what: String, path: String, number: Int) async throws
  /// Opens a file as the next program would, and closes it.
  static func reopen(_ path: String) throws

  /// Migrates and fills the file that is then damaged. Calls `logged` while its last commits are
  /// still in the log, and closes it.
  static func makeOriginal(at path: String, logged: () throws -> Void) throws
  /// Opens a damaged file without models; statements end when the limit is reached.
  static func open(_ path: String, limit: StepLimit) throws -> Database
  /// Returns the SQL of what the library does to a file when it opens it, besides WAL mode and
  /// foreign keys.
  static func openingSQL(_ path: String) -> [String]
  /// Opens a damaged file as a program with models does.
  static func openWithModels(_ path: String, limit: StepLimit) throws -> Database
  /// Returns all values of all rows, in order.
  static func rows(of query: String, in database: Database) throws -> [[PlainValue]]
  /// Returns what a program would do with a damaged file.
  static func uses(in folder: Folder) -> [@Sendable (Database) async throws -> Void]
}

/// An observer of a table.
protocol Following: AnyObject, Sendable {
  func stop() async
}

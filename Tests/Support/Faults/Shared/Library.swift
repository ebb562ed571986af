/// The library that is tried. The files of this folder say what is done and what must hold, and know
/// no library; each program that is built of them names its own as `OnTrial`.
protocol Library {
  associatedtype Database: Sendable
  associatedtype Configuration: Sendable
  associatedtype Watcher: Following

  /// The rows, in the order of the table.
  static var trials: [any Trial.Type] { get }
  /// Little memory and a small log, so that pages are written early and the log begins anew often.
  static var configuration: Configuration { get }
  /// Whether an error is one of those that the library documents.
  static func isTyped(_ error: any Error) -> Bool
  static func close(_ database: Database) throws

  /// What an older program of this library left in the file, beside its tables.
  static var earlierProgram: String { get }
  /// Open, migrate, insert, update, read, stream, observe, back up, checkpoint, close.
  static func scenario() throws -> Scenario

  /// What a process does that a trial starts: `write` migrates and writes until it is killed.
  static func runChild(_ what: String, path: String, number: Int) async throws
  /// Opens a file as the next program would, and closes it.
  static func reopen(_ path: String) throws

  /// Migrates and fills the file that is damaged; calls `logged` while its last commits stand in the
  /// log, and closes it.
  static func makeOriginal(at path: String, logged: () throws -> Void) throws
  /// Opens a damaged file as it is; statements end where the limit says so.
  static func open(_ path: String, limit: StepLimit) throws -> Database
  /// What else the library does to a file when it opens it, beside WAL and foreign keys.
  static func openingSQL(_ path: String) -> [String]
  /// Opens it as a program that has models.
  static func openWithModels(_ path: String, limit: StepLimit) throws -> Database
  /// All values of all rows, in order.
  static func rows(of query: String, in database: Database) throws -> [[PlainValue]]
  /// What a program would do with a damaged file.
  static func uses(in folder: Folder) -> [@Sendable (Database) async throws -> Void]
}

/// Follows what is told of a table.
protocol Following: AnyObject, Sendable {
  func stop() async
}

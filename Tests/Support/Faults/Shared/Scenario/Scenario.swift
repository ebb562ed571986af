import Foundation

/// A sequence of steps on a database. Each step is either done completely or throws.
struct Scenario: Sendable {
  struct Step: Sendable {
    let name: String
    let run: @Sendable (Session) async throws -> Void

    init(_ name: String, _ run: @escaping @Sendable (Session) async throws -> Void) {
      self.name = name
      self.run = run
    }

    /// Creates a step that calls the library without `await`.
    static func sync(
      _ name: String, _ run: @escaping @Sendable (Session) throws -> Void
    ) -> Step {
      Step(name) { session in try run(session) }
    }
  }

  let name: String
  /// The folder with the database before the first step.
  let template: Folder
  let steps: [Step]

  static let file = "data.sqlite"
}

/// One run of a scenario.
///
/// `@unchecked Sendable`: only the task that runs the steps uses it.
final class Session: @unchecked Sendable {
  let folder: Folder
  let configuration: OnTrial.Configuration
  private(set) var database: OnTrial.Database?
  var watcher: OnTrial.Watcher?
  /// The values that steps read, by step: a run with faults must read the same as one without.
  private(set) var readings: [String: String] = [:]

  init(folder: Folder, configuration: OnTrial.Configuration) {
    self.folder = folder
    self.configuration = configuration
  }

  var path: String { folder.file(Scenario.file) }

  var db: OnTrial.Database {
    get throws {
      guard let database else { throw Violation("the database is not open") }
      return database
    }
  }

  func open(_ open: (String, OnTrial.Configuration) throws -> OnTrial.Database) throws {
    database = try open(path, configuration)
  }

  func close() throws {
    try OnTrial.close(db)
    database = nil
  }

  /// The paths of the files that steps wrote, which are compared when nothing fails any more.
  private(set) var copies: [String: String] = [:]

  func copied(_ name: String, to path: String) { copies[name] = path }

  func read(_ name: String, _ value: String) { readings[name] = value }

  /// Releases all that is open.
  func abandon() async {
    await watcher?.stop()
    watcher = nil
    if let database { try? OnTrial.close(database) }
    database = nil
  }
}

import Apus
import Foundation

/// Uses a damaged file as a program would that knows nothing of it: each call returns, or throws a
/// typed error.
enum DamagedUse {
  static func use(_ damaged: Folder, _ tally: inout Tally) async throws {
    let folder = try Folder(isWatched: false)
    try folder.copy(Scenario.file, from: damaged)
    let path = folder.file(Scenario.file)
    let db: Database
    do {
      db = try open(path)
    } catch {
      return try require(isTyped(error), "opening with models threw \(type(of: error)): \(error)")
    }
    let steps = StepLimit()
    try db.onProgress(every: StepLimit.interval) { try steps.take() }
    var calls = sync(folder).map { call -> @Sendable (Database) async throws -> Void in
      { db in try call(db) }
    }
    calls += [
      { db in for try await _ in db.rows(Entry.order(by: \.$amount)) {} },
      { db in _ = try await db.fetch(Account.where { $0.$balance > 10 }) },
      { db in
        for try await _ in db.observe(Account.where { $0.$id < 30 }.order(by: \.$name)) { break }
      },
      { db in _ = try await db.write { tx in try tx.run(Account.delete().where { $0.$id == 9 }) } },
      { db in try await db.vacuum() },
    ]
    for call in calls {
      steps.begin()
      do {
        try await call(db)
        tally.count("calls that returned")
      } catch {
        try require(isTyped(error), "a call threw \(type(of: error)): \(error)")
        tally.count("calls that threw")
      }
    }
    try? db.close()
  }

  private static func open(_ path: String) throws -> Database {
    try Database(path: path, models: [Account.self, Entry.self])
  }

  private static func sync(_ folder: Folder) -> [@Sendable (Database) throws -> Void] {
    [
      { _ = try $0.fetch(Account.order(by: \.$name)) },
      { _ = try $0.fetch(Entry.where { $0.$amount > 50 }) },
      { _ = try $0.find(Account.self, 33) },
      { _ = try $0.table(Account.order(by: \.$id)) },
      { _ = try $0.migrationPlan(for: [Account.self, Entry.self]) },
      { _ = try $0.insert(Samples.entries(from: 9_000, count: 20)) },
      { _ = try $0.save(Account(id: 12, name: "saved", balance: 1, note: nil)) },
      { _ = try $0.run(Account.update { $0.$balance += 1 }) },
      { _ = try $0.run(Account.delete().where { $0.$id == 8 }) },
      { _ = try $0.checkpoint(.truncate) },
      { try $0.backup(to: folder.file("backup.sqlite"), overwriting: true) },
    ]
  }
}

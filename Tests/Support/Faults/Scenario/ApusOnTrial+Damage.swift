import Apus

extension ApusOnTrial {
  static func makeOriginal(at path: String, logged: () throws -> Void) throws {
    var configuration = Configuration()
    configuration.maximumWALBytes = 10_000_000
    let db = try Database(
      path: path, models: [Account.self, Entry.self], configuration: configuration)
    try db.insert(Samples.entries(from: 1_000, count: 150))
    _ = try db.checkpoint(.truncate)
    try db.execute("UPDATE Account SET balance = balance + 1 WHERE id % 3 = 0")
    try db.insert(Samples.entries(from: 3_000, count: 60))
    try logged()
    try db.close()
  }

  static func open(_ path: String, limit: StepLimit) throws -> Database {
    try bounded(Database(path: path), limit)
  }

  static func openingSQL(_ path: String) -> [String] { [] }

  static func openWithModels(_ path: String, limit: StepLimit) throws -> Database {
    try bounded(Database(path: path, models: [Account.self, Entry.self]), limit)
  }

  private static func bounded(_ db: Database, _ limit: StepLimit) throws -> Database {
    try db.onProgress(every: StepLimit.interval) { try limit.take() }
    return db
  }

  static func rows(of query: String, in database: Database) throws -> [[PlainValue]] {
    try database.rows(SQL(unsafe: query)).map { $0.values.map { PlainValue($0) } }
  }

  static func uses(in folder: Folder) -> [@Sendable (Database) async throws -> Void] {
    syncUses(in: folder).map { call in { @Sendable db in try call(db) } } + [
      { db in for try await _ in db.stream(Entry.order(by: \.$amount)) {} },
      { db in _ = try await db.fetch(Account.where { $0.$balance > 10 }) },
      { db in
        for try await _ in db.observe(Account.where { $0.$id < 30 }.order(by: \.$name)) { break }
      },
      { db in _ = try await db.write { tx in try tx.run(Account.delete().where { $0.$id == 9 }) } },
      { db in try await db.vacuum() },
    ]
  }

  private static func syncUses(in folder: Folder) -> [@Sendable (Database) throws -> Void] {
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

extension PlainValue {
  init(_ value: DatabaseValue) {
    switch value {
    case .integer(let number): self = .integer(number)
    case .real(let number): self = .real(number.bitPattern)
    case .text(let text): self = .text(text)
    case .blob(let data), .invalidText(let data): self = .bytes(Array(data))
    case .null: self = .null
    }
  }
}

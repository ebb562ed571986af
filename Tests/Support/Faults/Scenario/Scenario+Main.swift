import Apus
import Foundation

extension Scenario {
  /// Returns the scenario: open, migrate, insert, update, read, stream, observe, back up,
  /// checkpoint, close.
  static func everything(observing: Bool = true) throws -> Scenario {
    let template = try Folder()
    try Samples.makeTemplate(at: template.file(file))
    return Scenario(
      name: "everything", template: template,
      steps: begin + (observing ? [observe] : []) + writes + reads + copies
        + (observing ? [mark, settle] : []) + ending)
  }

  private static let begin: [Step] = [
    Step.sync("open and migrate") { session in
      try session.open {
        try Database(path: $0, models: [Account.self, Entry.self], configuration: $1)
      }
    },
    Step.sync("find") { session in
      let account = try session.db.find(Account.self, 7)
      session.read("find", "\(String(describing: account))")
      try require(
        account?.name == "account 7" && account?.balance == 70, "found \(account as Any)")
    },
  ]

  private static let observe = Step("observe") { session in
    let watcher = try session.watcher ?? Watcher(session.db)
    session.watcher = watcher
    try await watcher.begin()
  }

  private static let mark = Step("mark") { session in
    try await session.db.save(Account(id: Watcher.mark, name: "mark", balance: 0, note: nil))
  }

  private static let settle = Step("compare the observed changes") { session in
    try await session.watcher?.settle()
  }

  private static let writes: [Step] = [
    Step.sync("insert many") { session in
      try session.db.insert(Samples.entries(from: 1_000, count: 40))
    },
    Step("insert one, awaiting") { session in
      try await session.db.insert(Account(id: 500, name: "new", balance: 5, note: nil))
    },
    Step.sync("update") { session in
      guard var account = try session.db.find(Account.self, 500) else {
        throw Violation("account 500 is missing")
      }
      account.balance += 1
      account.note = "changed"
      try session.db.update(account)
    },
    Step.sync("transaction") { session in
      try session.db.write(label: "transfer") { tx in
        try tx.run(Account.update { $0.$balance -= 3 }.where { $0.$id == 1 })
        try tx.run(Account.update { $0.$balance += 3 }.where { $0.$id == 2 })
        try? tx.savepoint { tx in
          _ = try tx.delete(Account.self, 3)
          throw Violation("undone")
        }
        try tx.insert(Samples.entries(from: 2_000, count: 60))
      }
    },
    shared(600), shared(601), shared(602),
    Step.sync("delete with a cascade") { session in
      try session.db.run(Account.delete().where { $0.$id.isIn([4, 5, 6]) })
    },
    Step("update all") { session in
      try await session.db.execute("UPDATE Entry SET payload = zeroblob(200), amount = amount + 1")
    },
  ]

  private static func shared(_ id: Int) -> Step {
    Step("shared transaction \(id)") { session in
      try await session.db.write { tx in
        try tx.save(Account(id: id, name: "shared", balance: id, note: nil))
      }
    }
  }

  private static let reads: [Step] = [
    Step.sync("calculated values") { session in
      let rows = try session.db.rows(
        """
        SELECT id, zeroblob(3000), 'text ' || hex(zeroblob(id)), CAST(id AS TEXT), id * 0.5
        FROM Account ORDER BY id DESC LIMIT 5
        """)
      session.read("calculated", "\(rows.map(\.values))")
    },
    Step.sync("fetch") { session in
      let accounts = try session.db.fetch(Account.where { $0.$balance > 20 }.order(by: \.$id))
      session.read("fetch", "\(accounts.map { [$0.id, $0.balance] })")
    },
    Step("fetch, awaiting") { session in
      let entries = try await session.db.fetch(Entry.order(by: \.$id))
      session.read(
        "entries", "\(entries.map { [$0.id, $0.accountID, $0.amount, $0.payload.count] })")
    },
    Step.sync("count") { session in
      session.read("count", "\(try session.db.count(Entry.where { $0.$accountID == 2 }))")
    },
    Step("stream") { session in
      var sum = 0
      for try await entry in try session.db.stream(Entry.order(by: \.$amount)) {
        sum = sum &* 31 &+ entry.amount &+ entry.payload.count
      }
      session.read("stream", "\(sum)")
    },
    Step.sync("table") { session in
      session.read(
        "table", "\(try session.db.table("SELECT * FROM Account ORDER BY id LIMIT 3"))")
    },
  ]

  private static let copies: [Step] = [
    Step.sync("checkpoint") { session in
      _ = try session.db.checkpoint(.truncate)
    },
    Step.sync("back up") { session in
      let path = session.folder.file("backup.sqlite")
      try session.db.backup(to: path, pagesPerStep: 20, overwriting: true)
      session.copied("backup", to: path)
    },
    Step("vacuum into a file") { session in
      let path = session.folder.file("vacuumed.sqlite")
      try await session.db.vacuum(into: path, overwriting: true)
      session.copied("vacuumed", to: path)
    },
    Step.sync("back up to a new name") { session in
      let path = session.folder.file("new.sqlite")
      // An attempt whose last step failed may have left the file.
      try? FileManager.default.removeItem(atPath: path)
      try session.db.backup(to: path)
      session.copied("new", to: path)
    },
    Step.sync("write after the copies") { session in
      try session.db.run(Account.update { $0.$note = "copied" }.where { $0.$id < 10 })
    },
  ]

  private static let ending: [Step] = [
    Step("close") { session in
      await session.watcher?.stop()
      session.watcher = nil
      try session.close()
    },
    Step.sync("open again") { session in
      try session.open {
        try Database(path: $0, models: [Account.self, Entry.self], configuration: $1)
      }
    },
    Step.sync("write again") { session in
      try session.db.save(Account(id: 700, name: "last", balance: 0, note: nil))
    },
    Step.sync("close again") { session in
      try session.close()
      let unfinished = session.folder.files.filter { $0.contains(".partial-") }
      try require(unfinished.isEmpty, "unfinished copies are left: \(unfinished)")
    },
  ]
}

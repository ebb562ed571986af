import Foundation
import GRDB

/// The scenario of GRDB. It has GRDB's equivalents of the steps of Apus, in the same order. Apus
/// combines the writes of several tasks in one transaction. GRDB does not, so each write has a
/// transaction of its own.
extension GRDBOnTrial {
  static func scenario() throws -> Scenario {
    let template = try Folder()
    try Samples.makeTemplate(at: template.file(Scenario.file))
    return Scenario(
      name: "everything", template: template,
      steps: begin + [observe] + writes + reads + copies + [mark, settle] + ending)
  }

  private static let open = Scenario.Step.sync("open and migrate") { session in
    try session.open { try openWithModels($0, $1) }
  }

  private static let begin: [Scenario.Step] = [
    open,
    Scenario.Step.sync("find") { session in
      let account = try session.db.read { try Account.fetchOne($0, key: 7) }
      session.read("find", "\(String(describing: account))")
      try require(
        account?.name == "account 7" && account?.balance == 70, "found \(account as Any)")
    },
  ]

  private static let observe = Scenario.Step("observe") { session in
    let watcher = try session.watcher ?? Watcher(session.db)
    session.watcher = watcher
    try await watcher.begin()
  }

  private static let mark = Scenario.Step("mark") { session in
    try await session.db.write { db in
      try Account(id: Watcher.mark, name: "mark", balance: 0, note: nil).save(db)
    }
  }

  private static let settle = Scenario.Step("compare the observed changes") { session in
    try await session.watcher?.settle()
  }

  private static let writes: [Scenario.Step] = [
    Scenario.Step.sync("insert many") { session in
      try session.db.write { db in
        for entry in Samples.entries(from: 1_000, count: 40) { try entry.insert(db) }
      }
    },
    Scenario.Step("insert one, awaiting") { session in
      try await session.db.write { db in
        try Account(id: 500, name: "new", balance: 5, note: nil).insert(db)
      }
    },
    Scenario.Step.sync("update") { session in
      guard var account = try session.db.read({ try Account.fetchOne($0, key: 500) }) else {
        throw Violation("account 500 is missing")
      }
      account.balance += 1
      account.note = "changed"
      let changed = account
      try session.db.write { try changed.update($0) }
    },
    Scenario.Step.sync("transaction") { session in
      try session.db.write { db in
        _ = try Account.filter(key: 1).updateAll(db, Account.Columns.balance -= 3)
        _ = try Account.filter(key: 2).updateAll(db, Account.Columns.balance += 3)
        try? db.inSavepoint {
          _ = try Account.deleteOne(db, key: 3)
          throw Violation("undone")
        }
        for entry in Samples.entries(from: 2_000, count: 60) { try entry.insert(db) }
      }
    },
    save(600), save(601), save(602),
    Scenario.Step.sync("delete with a cascade") { session in
      _ = try session.db.write { try Account.deleteAll($0, keys: [4, 5, 6]) }
    },
    Scenario.Step("update all") { session in
      try await session.db.write { db in
        try db.execute(sql: "UPDATE Entry SET payload = zeroblob(200), amount = amount + 1")
      }
    },
  ]

  private static func save(_ id: Int) -> Scenario.Step {
    Scenario.Step("save \(id), awaiting") { session in
      try await session.db.write { db in
        try Account(id: id, name: "shared", balance: id, note: nil).save(db)
      }
    }
  }

  private static let reads: [Scenario.Step] = [
    Scenario.Step.sync("calculated values") { session in
      let rows = try session.db.read { db in
        try Row.fetchAll(
          db,
          sql: """
            SELECT id, zeroblob(3000), 'text ' || hex(zeroblob(id)), CAST(id AS TEXT), id * 0.5
            FROM Account ORDER BY id DESC LIMIT 5
            """)
      }
      session.read("calculated", "\(rows.map { Array($0.databaseValues) })")
    },
    Scenario.Step.sync("fetch") { session in
      let accounts = try session.db.read { db in
        try Account.filter(Account.Columns.balance > 20).order(Account.Columns.id).fetchAll(db)
      }
      session.read("fetch", "\(accounts.map { [$0.id, $0.balance] })")
    },
    Scenario.Step("fetch, awaiting") { session in
      let entries = try await session.db.read { try Entry.order(Entry.Columns.id).fetchAll($0) }
      session.read(
        "entries", "\(entries.map { [$0.id, $0.accountID, $0.amount, $0.payload.count] })")
    },
    Scenario.Step.sync("count") { session in
      let count = try session.db.read { db in
        try Entry.filter(Entry.Columns.accountID == 2).fetchCount(db)
      }
      session.read("count", "\(count)")
    },
    // In GRDB, a cursor is the closest equivalent of a stream of rows.
    Scenario.Step("cursor") { session in
      let sum = try await session.db.read { db in
        var sum = 0
        let entries = try Entry.order(Entry.Columns.amount).fetchCursor(db)
        while let entry = try entries.next() {
          sum = sum &* 31 &+ entry.amount &+ entry.payload.count
        }
        return sum
      }
      session.read("stream", "\(sum)")
    },
    Scenario.Step.sync("table") { session in
      let rows = try session.db.read { db in
        try Row.fetchAll(db, sql: "SELECT * FROM Account ORDER BY id LIMIT 3")
      }
      session.read("table", "\(rows)")
    },
  ]

  private static let copies: [Scenario.Step] = [
    Scenario.Step.sync("checkpoint") { session in
      _ = try session.db.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    },
    Scenario.Step.sync("back up") { session in
      let path = session.folder.file("backup.sqlite")
      let destination = try DatabaseQueue(path: path)
      try session.db.backup(to: destination, pagesPerStep: 20)
      try destination.close()
      session.copied("backup", to: path)
    },
    Scenario.Step("vacuum into a file") { session in
      let path = session.folder.file("vacuumed.sqlite")
      // VACUUM INTO fails if the file exists, and GRDB has no option to replace the file.
      try? FileManager.default.removeItem(atPath: path)
      try await session.db.vacuum(into: path)
      session.copied("vacuumed", to: path)
    },
    Scenario.Step.sync("write after the copies") { session in
      _ = try session.db.write { db in
        try Account.filter(Account.Columns.id < 10)
          .updateAll(db, Account.Columns.note.set(to: "copied"))
      }
    },
  ]

  private static let ending: [Scenario.Step] = [
    Scenario.Step("close") { session in
      await session.watcher?.stop()
      session.watcher = nil
      try session.close()
    },
    open,
    Scenario.Step.sync("write again") { session in
      try session.db.write { db in
        try Account(id: 700, name: "last", balance: 0, note: nil).save(db)
      }
    },
    Scenario.Step.sync("close again") { session in try session.close() },
  ]
}

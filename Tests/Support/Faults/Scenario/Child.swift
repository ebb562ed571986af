import Apus
import Foundation

/// The process that is killed: it migrates, writes from eight tasks, and observes.
enum Child {
  struct Counter: Model {
    @PrimaryKey var id: Int
    @Column var number: Int
  }

  /// Two ways to store the same values: a process that opens the file with the other one rebuilds
  /// the table.
  enum Numbers {
    struct Record: Model {
      @PrimaryKey var id: Int
      @Column var task: Int
      @Column var number: Int
      @Column var size: Int
      static var schema: Schema<Record> {
        ForeignKey(\.$task, references: \Counter.$id, onDelete: .cascade)
      }
    }
  }

  enum Texts {
    struct Record: Model {
      @PrimaryKey var id: Int
      @Column var task: Int
      @Column var number: Int
      @Column var size: String
      static var schema: Schema<Record> {
        ForeignKey(\.$task, references: \Counter.$id, onDelete: .cascade)
        Index(\.$task, \.$number)
      }
    }
  }

  static func write(_ path: String, _ seed: Int) async throws {
    let models: [any Model.Type] =
      seed % 2 == 0 ? [Counter.self, Numbers.Record.self] : [Counter.self, Texts.Record.self]
    var configuration = Configuration()
    configuration.maximumWALBytes = 200_000
    // The processes change from one schema to the other and back.
    let db = try Database(
      path: path, models: models, configuration: configuration,
      migration: MigrationOptions(newerSchema: .replaced))
    let isText = seed % 2 != 0
    Task {
      for await element in db.changes(of: Counter.self) {
        for row in element.rows {
          if let number = try row.new(\.$number) { ChildRun.say("saw \(try row.key) \(number)") }
        }
      }
    }
    try await withThrowingTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          var number = try await db.find(Counter.self, task)?.number ?? 0
          while true {
            number += 1
            let next = number
            try await db.write(alone: task == 0) { tx in
              try tx.save(Counter(id: task, number: next))
              let id = task * 10_000_000 + next
              if isText {
                try tx.insert(Texts.Record(id: id, task: task, number: next, size: "\(next)"))
              } else {
                try tx.insert(Numbers.Record(id: id, task: task, number: next, size: next))
              }
            }
            ChildRun.say("did \(task) \(next)")
          }
        }
      }
      try await group.waitForAll()
    }
  }
}

import Apus
import Foundation
import Synchronization

/// Processes that parts start.
enum Child {
  static func run(_ arguments: [String]) async throws {
    guard arguments.count == 3, let seed = Int(arguments[2]) else {
      throw Violation("usage: Faults child write|transfer PATH SEED")
    }
    switch arguments[0] {
    case "write": try await write(arguments[1], seed)
    case "transfer": try await ConsistencyRun.child(path: arguments[1], seed: seed)
    default: throw Violation("there is no child \(arguments[0])")
    }
  }

  /// Prints a line at once, whole.
  static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = Foundation.write(1, bytes, bytes.count)
  }

  struct Counter: Model {
    @PrimaryKey var id: Int
    @Column var number: Int
  }

  /// Two ways to store the same: whoever opens with the other one rebuilds the table.
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

  private static func write(_ path: String, _ seed: Int) async throws {
    let models: [any Model.Type] =
      seed % 2 == 0 ? [Counter.self, Numbers.Record.self] : [Counter.self, Texts.Record.self]
    var configuration = Configuration()
    configuration.maximumWALBytes = 200_000
    let db = try Database(path: path, models: models, configuration: configuration)
    let isText = seed % 2 != 0
    Task {
      for await element in db.changes(of: Counter.self) {
        for row in element.rows {
          if let number = try row.new(\.$number) { say("saw \(try row.key) \(number)") }
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
            say("did \(task) \(next)")
          }
        }
      }
      try await group.waitForAll()
    }
  }
}

import Apus
import Foundation

/// R10: tasks of several processes read and write one file; all that they saw must fit one order of
/// all transactions.
enum Consistency: Trial {
  static let name = "R10"
  static let title = "consistency"
  static let unit = "rounds"
  static let quick = 160
  static let full = 10_000
  static let partSize = 8

  static func run(_ numbers: Range<Int>, seed: UInt64, tally: inout Tally) async throws {
    for number in numbers {
      Progress.show(number)
      do {
        let folder = try Folder(isWatched: false)
        let path = folder.file("shared.sqlite")
        let own = try await ConsistencyRun(path: path, seed: seed, number: number)
        let children = try (1...2).map { child in
          try ChildProcess(["transfer", path, "\(number * 10 + child)"])
        }
        var history = History()
        try await own.run(tasks: 4, transactions: 40, &history)
        for child in children {
          while let line = child.line() { try history.take(line) }
          try require(child.end() == 0, "a child ended with an error: \(child.errors)")
        }
        try own.finish(&history)
        tally.count("transactions", history.transactions.count)
        for anomaly in try history.anomalies(final: own.finalLists()) {
          tally.fail("R10 \(number) seed \(seed): \(anomaly)")
        }
      } catch {
        tally.fail("R10 \(number) seed \(seed): \(error)")
      }
      tally.count(unit)
    }
  }
}

import Dispatch
import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import ChangeObservation

@Suite("The file watch that observers share")
struct SharedFileWatchTests {
  @Test("the watch lives from the first observer to the last, and is made again for the next")
  func lifecycle() {
    let made = Counter()
    let shared = SharedFileWatch<Token>()
    #expect(!shared.isWatched)
    for round in 1...3 {
      for _ in 0..<3 { shared.begin { Token(made) } }
      #expect(shared.isWatched && made.total == round && made.living == 1)
      for _ in 0..<2 { shared.end() }
      #expect(shared.isWatched && made.living == 1)
      shared.end()
      #expect(!shared.isWatched && made.living == 0)
    }
    shared.begin { Token(made) }
    shared.endForEver()
    #expect(!shared.isWatched && made.living == 0)
    // A former observer leaves later, and a new one finds nothing to watch.
    shared.end()
    shared.begin { Token(made) }
    #expect(!shared.isWatched && made.living == 0)
  }

  @Test("an observer that comes while the last one leaves has a watch")
  func race() async {
    let made = Counter()
    let shared = SharedFileWatch<Token>()
    let missing = Counter()
    await withCheckedContinuation { continuation in
      let group = DispatchGroup()
      for _ in 0..<4 {
        group.enter()
        Thread.detachNewThread {
          for _ in 0..<5_000 {
            shared.begin { Token(made) }
            if !shared.isWatched { missing.add(1) }
            shared.end()
          }
          group.leave()
        }
      }
      group.notify(queue: .global()) { continuation.resume() }
    }
    #expect(missing.total == 0)
    #expect(made.living == 0 && !shared.isWatched)
  }

  @Test("the file is watched exactly while a stream of changes exists, on many threads")
  func streams() async throws {
    let db = try Database.temporary(models: [Note.self])
    let tracker = try #require(ChangeTracker.of(db))
    let missing = Counter()
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<100 {
            let stream = db.changes(of: Note.self)
            if !tracker.watchesFile { missing.add(1) }
            withExtendedLifetime(stream) {}
          }
        }
      }
    }
    #expect(missing.total == 0)
    #expect(!tracker.watchesFile)
    let query = db.changes(of: Note.self)
    #expect(tracker.watchesFile)
    withExtendedLifetime(query) {}
  }

  /// Counts how many tokens were made, and how many are alive.
  private final class Counter: Sendable {
    private let counts = Lock((total: 0, living: 0))

    var total: Int { counts.withLock { $0.total } }
    var living: Int { counts.withLock { $0.living } }

    func add(_ count: Int) {
      counts.withLock { counts in
        counts.living += count
        if count > 0 { counts.total += count }
      }
    }
  }

  private final class Token: Sendable {
    private let counter: Counter

    init(_ counter: Counter) {
      self.counter = counter
      counter.add(1)
    }

    deinit { counter.add(-1) }
  }
}

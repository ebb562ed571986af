import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

private struct Entry: Model {
  @PrimaryKey var id: Int
  @Column var text: String
}

@Suite("Concurrency of streams")
struct StreamsConcurrencyTests {
  private static let rows = 3_000

  private struct Plan {
    let kind: Int
    let place: Int
  }

  private static func database(maximumReaders: Int) throws -> Database {
    var configuration = Configuration()
    configuration.maximumReaders = maximumReaders
    configuration.synchronous = .off
    let db = try Database.temporary(models: [Entry.self], configuration: configuration)
    try db.insert((1...rows).map { Entry(id: $0, text: "the entry with the number \($0)") })
    return db
  }

  /// Streams the rows up to a place and returns how many there were.
  private static func stream(_ db: Database, upTo last: Int) async throws -> Int {
    var count = 0
    for try await entry in db.stream(Entry.where { $0.$id <= rows }.order(by: \.$id)) {
      count += 1
      #expect(entry.id == count)
      if count == last { break }
    }
    return count
  }

  @Test("after 64 tasks iterate, cancel and drop streams at random, every connection is back")
  func storm() async throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    let db = try Self.database(maximumReaders: 3)
    var counts: [String: Int] = [:]
    try await withThrowingTaskGroup(of: [String].self) { group in
      for number in 0..<64 {
        let plans = (0..<12).map { _ in
          Plan(
            kind: Int.random(in: 0..<5, using: &random),
            place: Int.random(in: 1...3_500, using: &random))
        }
        group.addTask {
          var outcomes: [String] = []
          for plan in plans { outcomes.append(try await Self.run(plan, number, on: db)) }
          return outcomes
        }
      }
      for try await outcomes in group {
        for outcome in outcomes { counts[outcome, default: 0] += 1 }
      }
    }
    #expect(counts.values.reduce(0, +) == 64 * 12, "seed \(seed)")
    #expect(counts["wrong"] == nil, "seed \(seed)")
    // Streams that end leave room for later ones.
    for _ in 0..<3 { #expect(try await Self.stream(db, upTo: Self.rows) == Self.rows) }
    try await expectWhole(db, "seed \(seed)")
  }

  /// Runs one step of a task and returns its outcome.
  private static func run(
    _ plan: Plan, _ number: Int, on db: Database
  ) async throws -> String {
    let place = plan.place
    switch plan.kind {
    case 0, 1:
      // The stream is read to its end, or dropped before it.
      do {
        let count = try await stream(db, upTo: place)
        return count == min(place, rows) ? "ended" : "wrong"
      } catch is TooManyStreams {
        return "none free"
      }
    case 2, 3:
      let task = Task { try await stream(db, upTo: rows) }
      for _ in 0..<place % 64 { await Task.yield() }
      task.cancel()
      do {
        return try await task.value == rows ? "ended" : "wrong"
      } catch is CancellationError {
        return "cancelled"
      } catch is TooManyStreams {
        return "none free"
      }
    default:
      try await db.write { tx in
        try tx.save(Entry(id: rows + 1 + number, text: "written \(place)"))
      }
      // Cancelled streams must not interrupt this read.
      let count = try await db.read { try $0.count(Entry.where { $0.$id <= rows }) }
      return count == rows ? "wrote" : "wrong"
    }
  }

  @Test("cancelling a stream interrupts no read and no later use of its connection")
  func interruptions() async throws {
    let db = try Self.database(maximumReaders: 1)
    try await withThrowingTaskGroup { group in
      group.addTask {
        for _ in 0..<200 {
          let read = try await db.fetch(Entry.where { $0.$id <= Self.rows })
          #expect(read.count == Self.rows)
        }
      }
      group.addTask {
        for round in 0..<300 {
          let task = Task { try await Self.stream(db, upTo: Self.rows) }
          for _ in 0..<round % 40 { await Task.yield() }
          task.cancel()
          do {
            let count = try await task.value
            #expect(count == Self.rows)
          } catch is CancellationError {}
          // The interrupted connection reads to the end.
          let count = try await Self.stream(db, upTo: Self.rows)
          #expect(count == Self.rows)
        }
      }
      try await group.waitForAll()
    }
    try await expectWhole(db)
  }

  @Test("iterators that are dropped on other threads return their connections")
  func drops() async throws {
    let db = try Self.database(maximumReaders: 8)
    try await withThrowingTaskGroup { group in
      for number in 0..<8 {
        group.addTask {
          for round in 0..<40 {
            let iterator = Lock<Box?>(nil)
            do {
              var begun = db.stream(Entry.all).makeAsyncIterator()
              for _ in 0...(round * number) { _ = try await begun.next() }
              let box = Box(begun)
              iterator.withLock { $0 = box }
            }
            // The last reference goes to another task, which drops it.
            let taken = iterator.withLock { value in
              defer { value = nil }
              return value
            }
            await Task.detached { _ = taken }.value
          }
        }
      }
      try await group.waitForAll()
    }
    try await expectWhole(db)
  }

  /// `@unchecked Sendable`: the iterator is only dropped, which is allowed on any thread.
  private final class Box: @unchecked Sendable {
    let iterator: RowStream<Entry>.AsyncIterator

    init(_ iterator: RowStream<Entry>.AsyncIterator) {
      self.iterator = iterator
    }
  }
}

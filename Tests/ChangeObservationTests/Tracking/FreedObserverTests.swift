import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import ChangeObservation

/// An observer leaves nothing behind, wherever it is dropped.
@Suite("Memory of dropped observers")
struct FreedObserverTests {
  /// Weak references that show which objects are still alive.
  private final class References: Sendable {
    private let all = Lock<[@Sendable () -> Bool]>([])

    func add(_ object: some AnyObject & Sendable) {
      weak let reference = object
      all.withLock { $0.append { reference != nil } }
    }

    var count: Int { all.withLock { $0.count } }
    var livingCount: Int { all.withLock { $0 }.count { $0() } }
  }

  /// Holds an observer until it is dropped.
  private final class Holder: Sendable {
    private let held: Lock<(any AnyObject & Sendable)?>

    init(_ object: some AnyObject & Sendable) { held = Lock(object) }

    func drop() {
      let object = held.withLock { $0.take() }
      withExtendedLifetime(object) {}
    }
  }

  private func database(rows: Int = 10) throws -> Database {
    let db = try Database.temporary(models: [Note.self], configuration: .relaxed)
    try db.insert((0..<rows).map { Note(title: "\($0)") })
    return db
  }

  private func feed(in db: Database) -> ChangeFeed<Int> {
    ChangeFeed(in: db, tables: [QualifiedTableName("Note"): .init(columns: nil)]) { _ in 1 }
  }

  /// Waits until all observers are freed and a write finds none. A reader's thread may hold what it
  /// fetched for an observer a moment longer than the observer's task.
  private func waitUntilFreed(_ references: References, from db: Database) async throws {
    while references.livingCount > 0 { try await Task.sleep(for: .milliseconds(1)) }
    while try !db.writing({ $0.observer == nil }) { try await Task.sleep(for: .milliseconds(1)) }
  }

  @Test("observers dropped by many threads during commits are freed")
  func fromManyThreads() async throws {
    let db = try database()
    let references = References()
    let writer = Task {
      while !Task.isCancelled { try await db.execute("UPDATE Note SET stars = stars + 1") }
    }
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          for round in 0..<25 {
            let watch = QueryWatch(LiveSource(Note.where { $0.$stars > round }), in: db)
            references.add(watch)
            _ = try? await watch.next()
            _ = try? await watch.update()
            let feed = feed(in: db)
            references.add(feed)
            if round % 2 == 0 { _ = await feed.next() }
          }
        }
      }
    }
    writer.cancel()
    _ = await writer.result
    #expect(references.count == 200)
    try await waitUntilFreed(references, from: db)
  }

  @Test(
    "observers dropped in a write, in its commit hook or in its update hook are freed",
    arguments: 0...2)
  func duringCommit(place: Int) async throws {
    let db = try database()
    let references = References()
    // Only the holders keep the observers when this returns.
    func watched() async throws -> [Holder] {
      let watch = QueryWatch(LiveSource(Note.all), in: db)
      let feed = feed(in: db)
      _ = try await watch.next()
      references.add(watch)
      references.add(feed)
      return [Holder(watch), Holder(feed)]
    }
    let holders = try await watched()
    #expect(references.livingCount == 2)
    let drop: @Sendable () -> Void = { for holder in holders { holder.drop() } }
    let listener: HookListener? =
      switch place {
      case 0: nil
      case 1: try db.onCommit { drop() }
      default: try db.onUpdate { _ in drop() }
      }
    try await db.write { tx in
      try tx.execute("UPDATE Note SET stars = stars + 1")
      if place == 0 { drop() }
    }
    if let listener { try db.remove(listener) }
    try await waitUntilFreed(references, from: db)
  }

  @Test("observers dropped in their own loop are freed after it")
  func inItsOwnCallback() async throws {
    let db = try database()
    let references = References()
    func follow() async throws {
      let watch = QueryWatch(LiveSource(Note.all), in: db)
      let feed = feed(in: db)
      references.add(watch)
      references.add(feed)
      let holders = [Holder(watch), Holder(feed)]
      _ = try await watch.next()
      try await db.execute("UPDATE Note SET stars = stars + 1")
      _ = try await watch.next()
      _ = await feed.next()
      for holder in holders { holder.drop() }
      #expect(references.livingCount == 2)
    }
    try await follow()
    try await waitUntilFreed(references, from: db)
  }
}

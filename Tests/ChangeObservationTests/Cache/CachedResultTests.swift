import Foundation
import QueryDSL
import SchemaMigration
import TestRun
import Testing

@testable import SQLCore

@Suite("Cached results", .blocking)
struct CachedResultTests {
  struct Note: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var folder: Int
    @Column var text: String
    @Column var at: Date

    static var schema: Schema<Note> {
      CachedResults(rows: 200, bytes: 100_000)
      FullText(\.$text)
    }
  }

  struct Folder: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var name: String
  }

  struct Place: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var name: String
  }

  let file: TemporaryPath
  let db: Database
  let day = Date(timeIntervalSince1970: 1_700_000_000)

  init() throws {
    file = try TemporaryPath()
    db = try Database(path: file.path, models: [Note.self, Folder.self, Place.self])
    try db.insert((1...3).map { Folder(id: $0, name: "folder \($0)") })
    let day = day
    try db.insert((1...30).map { Note(id: $0, folder: $0 % 3 + 1, text: "note \($0)", at: day) })
    // The first read finds the index of the log; the first write reports to the cache.
    _ = try fetch(Note.where { $0.$id == 0 })
    try db.execute("UPDATE Note SET text = 'note 1' WHERE id = 1")
    _ = try fetch(Note.where { $0.$id == 0 })
  }

  private var byFolder: Query<(String, Int)> {
    Query { (note: Columns<Note>, folder: Columns<Folder>) in
      From(note)
      Join(folder, on: note.$folder == folder.$id)
      GroupBy(folder.$id)
      OrderBy(folder.$name)
      Select(folder.$name, note.$id.count())
    }
  }

  private func fetch<Q: Fetchable>(_ query: Q) throws -> [Q.Row] { try db.fetch(query) }

  /// The number of hits while a closure runs.
  private func hits(_ body: () throws -> Void) throws -> Int {
    let before = try db.resultCacheStatistics(of: Note.self).hits
    try body()
    return try db.resultCacheStatistics(of: Note.self).hits - before
  }

  private func expectHits(
    _ count: Int, _ body: () throws -> Void, at place: SourceLocation = #_sourceLocation
  ) throws {
    let found = try hits(body)
    #expect(found == count, sourceLocation: place)
  }

  @Test("a query that was run is not run again, whatever is read of it, and wherever")
  func hitsWithoutStatements() async throws {
    let query = Note.where { $0.$folder == 2 && $0.$text.hasPrefix("note") }.order(by: \.$id)
    let rows = try fetch(query)
    let first = try await db.first(query)
    let count = try await db.count(query)
    let exists = try await db.exists(query)
    let groups = try fetch(byFolder).map(\.0)
    let statements = Lock(0)
    try db.onTrace(.statement) { _ in statements.withLock { $0 += 1 } }
    let again = Note.where { $0.$folder == 2 && $0.$text.hasPrefix("note") }.order(by: \.$id)
    #expect(try fetch(again) == rows)
    #expect(try await db.fetch(again) == rows)
    #expect(try await db.first(again) == first)
    #expect(try await db.count(again) == count)
    #expect(try await db.exists(again) == exists)
    #expect(try fetch(byFolder).map(\.0) == groups)
    let onMain = Task { @MainActor [db] in try await db.fetch(again) }
    #expect(try await onMain.value == rows)
    #expect(statements.withLock { $0 } == 0)
    #expect(rows.count == 10 && first == rows[0] && count == 10 && exists)
    // Another value is another query.
    #expect(try fetch(Note.where { $0.$folder == 3 }.order(by: \.$id)) != rows)
    #expect(statements.withLock { $0 } > 0)
  }

  @Test("a prepared query and an equal query built later share their results")
  func prepared() throws {
    let inFolder = try db.prepare { (folder: SQLParameter<Int>) in
      Note.where { $0.$folder == folder }.order(by: \.$id)
    }
    let rows = try fetch(inFolder(2))
    let count = try hits { () throws in
      #expect(try fetch(inFolder(2)) == rows)
      #expect(try fetch(Note.where { $0.$folder == 2 }.order(by: \.$id)) == rows)
      #expect(try fetch(inFolder(3)) != rows)
    }
    #expect(count == 2)
  }

  @Test(
    "a commit removes the results that read one of its tables, and keeps the others",
    .needs(.preUpdateHook))
  func ownCommits() throws {
    let query = Note.where { $0.$folder == 2 }
    _ = try fetch(query)
    _ = try fetch(byFolder)
    try db.insert(Place(id: 1, name: "x"))
    try expectHits(2) { () throws in _ = (try fetch(query), try fetch(byFolder)) }
    try db.execute("UPDATE Folder SET name = 'a new name' WHERE id = 3")
    try expectHits(1) { () throws in
      #expect(try fetch(byFolder).map(\.0) == ["a new name", "folder 1", "folder 2"])
      _ = try fetch(query)
    }
    try db.insert(Note(id: 31, folder: 2, text: "last", at: day))
    try expectHits(0) { () throws in
      #expect(try fetch(query).count == 11)
      #expect(try fetch(byFolder).map(\.1) == [10, 10, 11])
    }
    try? db.write { tx in
      try tx.run(Note.delete())
      #expect(try tx.fetch(query).isEmpty)
      throw CancellationError()
    }
    try expectHits(1) { () throws in #expect(try fetch(query).count == 11) }
  }

  @Test("a commit of another connection, or of another process, removes all results")
  func otherCommits() throws {
    let query = Note.where { $0.$folder == 2 }
    let other = try Connection(path: file.path)
    for number in 0..<5 {
      #expect(try fetch(query).count == 10 - number * 2)
      try other.execute("DELETE FROM Note WHERE id = \(number * 6 + 1)")
      #expect(try fetch(query).count == 9 - number * 2)
      let process = try OtherProcess.run([
        "step", file.path, "1", "DELETE FROM Note WHERE id = \(number * 6 + 4)",
      ])
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
    #expect(try fetch(query).isEmpty)
  }

  @Test("what depends on more than tables and values is not cached")
  func notCached() throws {
    let queries: [Query<Int>] = [
      Note.where { $0.$at < .currentTimestamp }.select { $0.$id }.query,
      Note.select { SQLExpression<Int>(sql: "random()") + $0.$id }.query,
      Note.select { $0.$at.component(.year) }.query,
      Note.search("note").select { $0.$id }.query,
      Note.select { $0.$id }.query.map { $0 + 1 },
    ]
    for query in queries {
      _ = try fetch(query)
      try expectHits(0) { () throws in _ = try fetch(query) }
    }
    #expect(try fetch(Note.select { SQLExpression<Int>(sql: "random()") + $0.$id }).count == 30)
  }

  @Test("a function or a collation that is registered later makes no result outdated")
  func registrations() throws {
    let query = Note.where { $0.$id <= 2 }
      .select { SQLExpression<String>(sql: "upper(\($0.$text))") }
    #expect(try fetch(query) == ["NOTE 1", "NOTE 2"])
    try expectHits(1) { () throws in _ = try fetch(query) }
    try db.function("upper") { (text: String) in text + "!" }
    try expectHits(0) { () throws in #expect(try fetch(query) == ["note 1!", "note 2!"]) }
    try expectHits(0) { () throws in _ = try fetch(query) }
    let ordered = Note.where { $0.$id <= 2 }
      .order { note in SQLExpression<String>(sql: "\(note.$text) COLLATE upside") }
    try db.collation("upside") { $0 < $1 ? .orderedAscending : .orderedDescending }
    #expect(try fetch(ordered).map(\.id) == [1, 2])
    try db.collation("upside") { $0 < $1 ? .orderedDescending : .orderedAscending }
    #expect(try fetch(ordered).map(\.id) == [2, 1])
  }

  @Test("the same SQL, read as another type, is another result")
  func types() throws {
    let long = Note.where { $0.$id == 1 }.select { SQLExpression<Int64>(sql: "\($0.$folder)") }
    let number = Note.where { $0.$id == 1 }.select { SQLExpression<Int>(sql: "\($0.$folder)") }
    let optional = Note.where { $0.$id == 1 }.select { SQLExpression<Int?>(sql: "\($0.$folder)") }
    for _ in 0..<2 {
      #expect(try fetch(long) == [2])
      #expect(try fetch(number) == [2])
      #expect(try fetch(optional) == [2])
    }
  }

  @Test("the cache keeps within its bounds; a result that is larger is not kept")
  func bounds() throws {
    for id in 1...30 {
      for count in 1...20 {
        _ = try fetch(Note.where { $0.$id >= id }.order(by: \.$id).limit(count))
      }
    }
    let statistics = try db.resultCacheStatistics(of: Note.self)
    #expect(statistics.evictions > 0)
    #expect(statistics.count > 0 && statistics.count <= 200)
    #expect(statistics.byteCount <= 100_000)
    try db.insert((101...400).map { Note(id: $0, folder: 9, text: "", at: day) })
    let large = Note.where { $0.$folder == 9 }
    try expectHits(0) { () throws in for _ in 0..<3 { #expect(try fetch(large).count == 300) } }
    let text = String(repeating: "x", count: 200_000)
    try db.execute("UPDATE Note SET text = \(text) WHERE id = 2")
    let long = Note.where { $0.$id == 2 }
    try expectHits(0) { () throws in for _ in 0..<3 { #expect(try fetch(long).count == 1) } }
  }

  @Test("a schema change and an authorizer end what was cached")
  func schemaChanges() throws {
    let query = Note.where { $0.$id == 1 }
    _ = try fetch(query)
    try db.execute("ALTER TABLE Note ADD COLUMN more TEXT")
    try expectHits(0) { () throws in #expect(try fetch(query).count == 1) }
    try expectHits(1) { () throws in _ = try fetch(query) }
    try db.onAuthorize { action in
      if case .read(table: "Note", column: "text") = action.kind { .deny } else { .allow }
    }
    #expect(throws: DatabaseError.self) { try fetch(query) }
  }

  @Test("without shared memory nothing is cached, and every read is right")
  func unsupported() throws {
    let memory = try Database.inMemory(models: [Note.self])
    try memory.insert(Note(id: 1, folder: 1, text: "a", at: day))
    for _ in 0..<3 { #expect(try memory.count(Note.where { $0.$folder == 1 }) == 1) }
    #expect(try memory.resultCacheStatistics(of: Note.self) == CacheStatistics())
    try db.close()
    #expect(throws: DatabaseError.self) { try fetch(Note.where { $0.$id == 0 }) }
  }
}

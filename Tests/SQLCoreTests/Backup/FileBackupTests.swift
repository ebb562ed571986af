import Foundation
import SQLCore
import Testing

@Suite("Backup into a file")
struct FileBackupTests {
  let folder: TemporaryFolder
  let db: Database

  init() throws {
    folder = try TemporaryFolder()
    db = try Database(path: folder.file("source.sqlite"))
    try db.makeItems()
  }

  private var copy: String { folder.file("copy.sqlite") }

  @Test("after a backup, the copy equals the source")
  func equal() throws {
    try db.execute("PRAGMA user_version = 7")
    try db.backup(to: copy)
    let other = try Database(path: copy)
    #expect(try other.content() == db.content())
    #expect(try other.row("PRAGMA user_version")?.get(Int.self, at: 0) == 7)
  }

  @Test("the copy is a single file that opens without a log")
  func oneFile() throws {
    try db.backup(to: copy)
    #expect(folder.fileNames.filter { $0.hasPrefix("copy") } == ["copy.sqlite"])
    var configuration = Configuration()
    configuration.isReadOnly = true
    let other = try Database(path: copy, configuration: configuration)
    #expect(try other.itemCount() == 500)
    #expect(folder.fileNames.filter { $0.hasPrefix("copy") } == ["copy.sqlite"])
  }

  @Test("an asynchronous backup reports its progress and completes")
  func asynchronous() async throws {
    let log = ProgressLog()
    try await db.backup(to: copy, pagesPerStep: 5) { log.add($0) }
    #expect(log.all.count > 1)
    #expect(log.all.last?.isComplete == true)
    #expect(try Database(path: copy).itemCount() == 500)
  }

  @Test("a write after each step neither fails the backup nor appears in the copy")
  func concurrentWrites() throws {
    let before = try db.content()
    var steps = 0
    try db.backup(to: copy, pagesPerStep: 1) { _ in
      steps += 1
      try db.makeItems(20, named: "later")
    }
    // A backup that restarted after each write would have copied the new rows.
    #expect(steps > 10)
    #expect(try Database(path: copy).content() == before)
    #expect(try db.itemCount() == 500 + 20 * steps)
  }

  @Test("a connection that writes continuously does not keep the backup from finishing")
  func otherWriter() async throws {
    let other = try Database(path: folder.file("source.sqlite"))
    let writer = Task {
      while !Task.isCancelled { try await other.execute("UPDATE item SET name = 1") }
    }
    for _ in 0..<3 {
      try await db.backup(to: copy, pagesPerStep: 2, overwriting: true)
      #expect(try Database(path: copy).itemCount() == 500)
    }
    writer.cancel()
    _ = await writer.result
  }

  @Test("each step copies as many pages as requested")
  func pages() throws {
    let log = ProgressLog()
    try db.backup(to: copy, pagesPerStep: 10) { log.add($0) }
    let total = try #require(log.all.first?.pageCount)
    let expected = Array(stride(from: 10, to: total, by: 10)) + [total]
    #expect(log.all.map(\.completedPageCount) == expected)
  }

  @Test("a step of zero or fewer pages throws and creates no file", arguments: [0, -1])
  func noPages(_ count: Int) throws {
    #expect(throws: DatabaseError.self) { try db.backup(to: copy, pagesPerStep: count) }
    #expect(folder.fileNames.filter { $0.hasPrefix("copy") } == [])
  }

  @Test("a backup in one step reports its progress once, at completion")
  func progress() throws {
    let log = ProgressLog()
    try db.backup(to: copy, pagesPerStep: .max) { progress in
      #expect(FileManager.default.fileExists(atPath: copy))
      log.add(progress)
    }
    #expect(log.all.map(\.isComplete) == [true])
    #expect(log.all.map(\.remainingPageCount) == [0])
  }

  @Test("a progress error abandons the backup: no new file remains, and an old one is unchanged")
  func abandoned() throws {
    #expect(throws: Abandoned.self) {
      try db.backup(to: copy, pagesPerStep: 1) { _ in throw Abandoned() }
    }
    #expect(folder.fileNames.filter { $0.hasPrefix("copy") } == [])

    try db.backup(to: copy)
    let before = try Data(contentsOf: URL(filePath: copy))
    try db.makeItems(10)
    #expect(throws: Abandoned.self) {
      try db.backup(to: copy, pagesPerStep: 1, overwriting: true) { _ in throw Abandoned() }
    }
    #expect(try Data(contentsOf: URL(filePath: copy)) == before)
    #expect(folder.fileNames.filter { $0.hasPrefix("copy") } == ["copy.sqlite"])
  }

  @Test("cancelling the task abandons the backup")
  func cancelled() async throws {
    let copy = copy
    let db = db
    let task = Task {
      try await db.backup(to: copy, pagesPerStep: 1) { _ in
        withUnsafeCurrentTask { #expect($0 == nil) }  // A thread of its own, not the task's.
        while !Self.isCancelled.isSet { Self.begun.set() }
      }
    }
    while !Self.begun.isSet { await Task.yield() }
    task.cancel()
    Self.isCancelled.set()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(folder.fileNames.filter { $0.hasPrefix("copy") } == [])
  }

  private static let begun = Flag()
  private static let isCancelled = Flag()

  @Test("an error thrown from the last progress report is ignored")
  func throwAtEnd() throws {
    try db.backup(to: copy) { progress in
      if progress.isComplete { throw Abandoned() }
    }
    #expect(try Database(path: copy).itemCount() == 500)
  }

  @Test("a missing folder, a folder, an empty path, and the source itself are refused")
  func errors() throws {
    #expect(code { try db.backup(to: folder.file("none/copy.sqlite")) } == .cannotOpen)
    #expect(code { try db.backup(to: folder.path, overwriting: true) } == .cannotOpen)
    #expect(code { try db.backup(to: "", overwriting: true) } == .misuse)
    let source = folder.file("source.sqlite")
    let alias = folder.file("alias.sqlite")
    try FileManager.default.createSymbolicLink(atPath: alias, withDestinationPath: source)
    #expect(code { try db.backup(to: source, overwriting: true) } == .misuse)
    #expect(code { try db.backup(to: alias, overwriting: true) } == .misuse)
    #expect(code { try db.read { _ in try db.backup(to: copy) } } == .misuse)
    #expect(try db.itemCount() == 500)
  }
}

/// The primary code of the error that a closure throws.
func code(_ body: () throws -> Void) -> ResultCode? {
  do {
    try body()
    return nil
  } catch {
    return (error as? DatabaseError)?.code.primary
  }
}

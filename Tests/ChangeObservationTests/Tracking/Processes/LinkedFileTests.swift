import Foundation
import QueryDSL
import SQLCore
import TestRun
import Testing

@testable import ChangeObservation

/// Here only the system's reports about the folder make the library check the file.
@Suite("Commits by others through links to the file", .blocking)
struct LinkedFileTests {
  private let folder: TemporaryPath

  init() throws {
    folder = try TemporaryPath()
    let manager = FileManager.default
    try manager.createDirectory(atPath: path("real"), withIntermediateDirectories: false)
    try manager.createDirectory(atPath: path("links"), withIntermediateDirectories: false)
    try Connection(path: path("real/db.sqlite")).execute("CREATE TABLE item (name TEXT)")
    for (link, target) in [
      ("links/file.sqlite", path("real/db.sqlite")), ("links/relative.sqlite", "../real/db.sqlite"),
      ("links/link.sqlite", "relative.sqlite"), ("links/folder", "../real"),
    ] {
      try manager.createSymbolicLink(atPath: path(link), withDestinationPath: target)
    }
  }

  private func path(_ name: String) -> String {
    URL(filePath: folder.path).deletingLastPathComponent().appending(path: name)
      .path(percentEncoded: false)
  }

  /// Watches a database file, and reports when the library asks the writer for foreign commits.
  private final class Watcher {
    private let looks: AsyncStream<Int>
    private let watch: FileWatch
    private let counter = Counter()

    init(_ db: Database) throws {
      let tracker = try #require(ChangeTracker.of(db))
      let (looks, look) = AsyncStream.makeStream(
        of: Int.self, bufferingPolicy: .bufferingNewest(1))
      self.looks = looks
      let counter = counter
      watch = try #require(
        FileWatch(of: db, tracker: tracker) { duration in
          guard duration > .milliseconds(10) else {
            look.yield(counter.next())
            return
          }
          // The watch does not check again by itself.
          await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        })
    }

    /// Waits for the first look.
    func begin() async {
      for await _ in looks { return }
    }

    /// Waits, after each of several writes, for a look that is counted after the write began. One
    /// write makes several looks, and a look may belong to the write before: with the last ones, the
    /// watch must still go on.
    func followWrites(of other: Connection) async throws {
      for _ in 0..<20 {
        let before = counter.count.withLock { $0 }
        try other.execute("INSERT INTO item VALUES ('other')")
        for await number in looks where number > before { break }
      }
    }
  }

  private final class Counter: Sendable {
    let count = Lock(0)

    func next() -> Int {
      count.withLock { count in
        count += 1
        return count
      }
    }
  }

  @Test(
    "a write by another connection makes the library check the file, through any link",
    arguments: ["file.sqlite", "relative.sqlite", "link.sqlite", "folder/db.sqlite"])
  func link(name: String) async throws {
    let db = try Database(path: path("links/\(name)"))
    let watcher = try Watcher(db)
    await watcher.begin()
    try await watcher.followWrites(of: Connection(path: path("real/db.sqlite")))
  }

  @Test("the library still checks the file after its link or folder was renamed")
  func renamed() async throws {
    let db = try Database(path: path("links/folder/db.sqlite"))
    let watcher = try Watcher(db)
    await watcher.begin()
    // The file and its log stay open.
    let other = try Connection(path: path("real/db.sqlite"))
    try await watcher.followWrites(of: other)
    try FileManager.default.moveItem(atPath: path("links/folder"), toPath: path("links/other"))
    try await watcher.followWrites(of: other)
    try FileManager.default.moveItem(atPath: path("real"), toPath: path("moved"))
    try await watcher.followWrites(of: other)
  }

  @Test("a live result follows another process through a link")
  func process() async throws {
    try Connection(path: path("real/db.sqlite")).execute("PRAGMA journal_mode = WAL")
    let db = try Database(path: path("links/relative.sqlite"))
    var names = db.observe(sql: "SELECT name FROM item").makeAsyncIterator()
    #expect(try await names.next()?.count == 0)
    let other = try OtherProcess.add(5, to: path("real/db.sqlite"))
    while let rows = try await names.next(), rows.count < 5 {}
    other.waitUntilExit()
    #expect(other.terminationStatus == 0)
  }
}

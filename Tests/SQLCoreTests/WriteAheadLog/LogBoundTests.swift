import Dispatch
import Foundation
import TestRun
import Testing

@testable import SQLCore

@Suite("The bound of the write-ahead log", .blocking)
struct LogBoundTests {
  private static let bound = 1 << 20
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private var logSize: Int { folder.size("database.sqlite-wal") }

  private func open(_ change: (inout Configuration) -> Void) throws -> Database {
    let db = try Database(
      path: folder.file(),
      configuration: .with { configuration in
        configuration.maximumWALBytes = Self.bound
        configuration.synchronous = .off
        change(&configuration)
      })
    try db.execute("CREATE TABLE note (data BLOB) STRICT")
    return db
  }

  private func write(to db: Database) throws {
    try db.execute("INSERT INTO note VALUES (\(Data(count: 20_000)))")
  }

  /// At every moment there is a reader: each one leaves after the next one has come.
  @Test("the log stays within its bound while readers come and go")
  func readersComeAndGo() throws {
    // A reader always leaves in the end, however slow the machine is.
    let db = try open { $0.maximumLogWait = .seconds(3600) }
    let isOver = Flag()
    let readersEnded = DispatchSemaphore(value: 0)
    startThread {
      var reader = Holding(readerOf: db)
      while !isOver.isSet {
        let next = Holding(readerOf: db)
        reader.end()
        reader = next
      }
      reader.end()
      readersEnded.signal()
    }
    var largest = 0
    for _ in 0..<600 {
      try write(to: db)
      largest = max(largest, logSize)
    }
    isOver.set()
    readersEnded.wait()
    #expect(largest <= Self.bound)
    // More than ten times the bound was written.
    #expect(folder.size() > 10 * Self.bound)
  }

  @Test("a transaction may exceed the bound, and the log file is truncated after it")
  func largeTransaction() throws {
    let db = try open { _ in }
    try db.write { tx in
      for _ in 0..<200 { try tx.execute("INSERT INTO note VALUES (\(Data(count: 20_000)))") }
    }
    #expect(logSize <= Self.bound)
    #expect(try db.row("SELECT count(*) FROM note")?[0] == 200)
  }

  @Test("a reader that pins the log is reported with its source location and age")
  func pinned() async throws {
    let reports = Shared<[PinnedWAL]>([])
    let reported = DispatchSemaphore(value: 0)
    let db = try open { configuration in
      configuration.maximumLogWait = .zero
      configuration.onPinnedWAL = { report in
        reports.change { $0.append(report) }
        reported.signal()
      }
    }
    let line = #line + 1
    try await db.read { reader in
      #expect(try reader.value(Int.self, "SELECT count(*) FROM note") == 0)
      try onAnotherThread {
        for _ in 0..<60 { try write(to: db) }
      }
      #expect(logSize > Self.bound)
      reported.wait()
    }
    let report = try #require(reports.current.first)
    #expect(report.byteCount > Self.bound)
    #expect(report.byteCount < 2 * Self.bound)
    #expect(report.readers.map(\.fileID) == ["SQLCoreTests/LogBoundTests.swift"])
    #expect(report.readers.map(\.line) == [line])
    #expect(try #require(report.readers.first).age >= .zero)

    // Without the reader, the log is truncated as soon as it has grown by a quarter.
    for _ in 0..<30 {
      try await db.write { try $0.execute("INSERT INTO note VALUES (zeroblob(20000))") }
    }
    #expect(logSize <= Self.bound)
  }

  @Test("asynchronous reads, and reads without a transaction, report their source location")
  func places() async throws {
    let db = try open { _ in }
    @Sendable func readers() -> [Int?] { db.access.pool.readers(since: .now).map(\.line) }
    let line = #line
    #expect(try await db.read { _ in readers() } == [line + 1])
    #expect(try await db.read(on: .background) { _ in readers() } == [line + 2])
    #expect(try await db.readWithoutTransaction { _ in readers() } == [line + 3])
    let numbers: SQL = "SELECT value FROM generate_series(1, 100000)"
    do {
      var rows = db.stream(numbers).makeAsyncIterator()
      _ = try await rows.next()
      var values = db.stream(Int.self, numbers).makeAsyncIterator()
      _ = try await values.next()
      #expect(Set(readers()) == [line + 6, line + 8])
    }
    // The thread of a stream gives its connection back.
    while !readers().isEmpty { try await Task.sleep(for: .milliseconds(1)) }
  }

  @Test("a single call reports the source location of its caller")
  func singleCalls() async throws {
    let db = try open { _ in }
    let places = Shared<[String]>([])
    try db.onTrace(.statement) { [weak db] _ in
      let readers = db?.access.pool.readers(since: .now) ?? []
      places.change { $0 += readers.map { "\($0.fileID ?? ""):\($0.line ?? 0)" } }
    }
    let line = #line
    _ = try await db.rows("SELECT 1")
    _ = try await db.row("SELECT 1")
    _ = try await db.table("SELECT 1")
    _ = try await db.fetch((Int, Int).self, "SELECT 1, 2")
    try {
      _ = try db.rows("SELECT 1")
      _ = try db.row("SELECT 1")
      _ = try db.table("SELECT 1")
      _ = try db.fetch((Int, Int).self, "SELECT 1, 2")
    }()
    let lines = Array(1...4) + Array(6...9)
    #expect(places.current == lines.map { "SQLCoreTests/LogBoundTests.swift:\(line + $0)" })
  }

  @Test("a backup that pins the log is reported, and keeps the database from closing")
  func backup() throws {
    let db = try open { _ in }
    try write(to: db)
    try db.backup(to: folder.file("copy.sqlite"), pagesPerStep: 1) { progress in
      guard !progress.isComplete else { return }
      let files = db.access.pool.readers(since: .now).map(\.fileID)
      #expect(files == ["SQLCore/Database+Backup.swift"])
      #expect(code { try db.close() } == .busy)
    }
    try db.close()
  }
}

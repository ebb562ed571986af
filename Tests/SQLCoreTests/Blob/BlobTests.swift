import Foundation
import Testing

@testable import SQLCore

@Suite("Incremental BLOB access")
struct BlobTests {
  private let db: Database

  init() throws {
    db = try Database.temporary()
    try db.execute(
      """
      CREATE TABLE photo (id INTEGER PRIMARY KEY, image BLOB, name TEXT);
      INSERT INTO photo VALUES (1, zeroblob(10), 'swift'), (2, x'010203', NULL)
      """)
  }

  @Test("a zero-filled BLOB is written and read in parts, at any offset")
  func randomAccess() throws {
    try db.write { tx in
      let blob = try tx.blob(table: "photo", column: "image", rowID: 1, writing: true)
      #expect(try blob.count == 10)
      try blob.write(Data([1, 2, 3]), at: 7)
      try blob.write(Data([9]), at: 0)
      try blob.write(Data(), at: 10)
      #expect(try blob.read(at: 6, count: 3) == Data([0, 1, 2]))
      try blob.reopen(rowID: 2)
      #expect(try blob.read() == Data([1, 2, 3]))
      try blob.close()
      let closed = #expect(throws: DatabaseError.self) { try blob.read() }
      #expect(closed?.code == .misuse)
    }
    #expect(try db.row("SELECT hex(image) FROM photo WHERE id = 1")?[0] == "09000000000000010203")
    try db.read { connection in
      let text = try connection.blob(table: "photo", column: "name", rowID: 1)
      #expect(try text.read(at: 1) == Data("wift".utf8))
    }
  }

  @Test("reading out of range, opening a missing BLOB, and writing without permission throw")
  func errors() throws {
    try db.read { connection in
      let blob = try connection.blob(table: "photo", column: "image", rowID: 2)
      for (offset, count) in [(0, 4), (4, 0), (-1, 1), (3, 1), (.max, 1), (1, .max), (0, -1)] {
        let error = #expect(throws: DatabaseError.self) { try blob.read(at: offset, count: count) }
        #expect(error?.code == .range)
      }
      #expect(try blob.read(at: 3).isEmpty)
      #expect(throws: DatabaseError.self) { try blob.read(at: .min) }
      let readOnly = #expect(throws: DatabaseError.self) { try blob.write(Data([1]), at: 0) }
      #expect(readOnly?.code.primary == .readOnly)
      let writing = #expect(throws: DatabaseError.self) {
        try connection.blob(table: "photo", column: "image", rowID: 2, writing: true)
      }
      #expect(writing?.code.primary == .readOnly)
      for (table, column, row) in [("photo", "image", 9), ("photo", "x", 1), ("x", "image", 1)] {
        #expect(throws: DatabaseError.self) {
          try connection.blob(table: table, column: column, rowID: Int64(row))
        }
      }
      let error = #expect(throws: DatabaseError.self) {
        try connection.blob(table: "photo", column: "name", rowID: 2)
      }
      #expect(error?.message == "cannot open value of type null")
    }
  }

  @Test(
    "a BLOB expires when its row changes, and throws misuse after its transaction")
  func expired() throws {
    var kept: Blob?
    try db.write { tx in
      let blob = try tx.blob(table: "photo", column: "image", rowID: 1)
      try tx.execute("UPDATE photo SET name = 'x' WHERE id = 1")
      let error = #expect(throws: DatabaseError.self) { try blob.read() }
      #expect(error?.code.primary == .abort)
      kept = try tx.blob(table: "photo", column: "image", rowID: 2)
    }
    let error = #expect(throws: DatabaseError.self) { try kept?.read() }
    #expect(error?.code == .misuse)
    // The kept BLOB holds neither a snapshot nor a lock.
    try db.execute("DROP TABLE photo")
    kept = nil
  }

  @Test("chunks arrive in order and from one snapshot, whatever is written meanwhile")
  func chunks() async throws {
    let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    try await db.execute("UPDATE photo SET image = \(bytes) WHERE id = 1")
    var read = Data()
    var sizes: [Int] = []
    for try await chunk in db.blobChunks(
      table: "photo", column: "image", rowID: 1, chunkSize: 30_000)
    {
      read += chunk
      sizes.append(chunk.count)
      try await db.execute("UPDATE photo SET image = zeroblob(5) WHERE id = 1")
    }
    #expect(read == bytes)
    #expect(sizes == [30_000, 30_000, 30_000, 10_000])
    try await db.execute("UPDATE photo SET image = x'' WHERE id = 1")
    for try await _ in db.blobChunks(table: "photo", column: "image", rowID: 1) {
      Issue.record("there is no chunk")
    }
    await #expect(throws: DatabaseError.self) {
      for try await _ in db.blobChunks(table: "photo", column: "image", rowID: 77) {}
    }
  }

  @Test("chunks keep the database open until the last is delivered or the iterator is dropped")
  func chunksAndClosing() async throws {
    let db = try Database.temporary()
    try await db.execute("CREATE TABLE t (b); INSERT INTO t VALUES (x'0102030405')")
    func busy() {
      let error = #expect(throws: DatabaseError.self) { try db.close() }
      #expect(error?.code.primary == .busy)
    }
    let chunks = db.blobChunks(table: "t", column: "b", rowID: 1, chunkSize: 2)
    // Nothing is held before the first chunk is requested or after the last one is delivered.
    var iterator = chunks.makeAsyncIterator()
    for count in [2, 2, 1] {
      #expect(try await iterator.next()?.count == count)
      if count == 2 { busy() }
    }
    #expect(db.access.pool.state.withLock { $0.occupants.isEmpty })
    #expect(try await iterator.next() == nil)
    do {
      var dropped = chunks.makeAsyncIterator()
      #expect(try await dropped.next() == Data([1, 2]))
      busy()
    }
    // The job that has delivered a chunk may hold the source for a moment longer.
    let source = BlobSource(
      database: db,
      address: BlobAddress(schema: "main", table: "t", column: "b", rowID: 1),
      place: SourcePlace(#fileID, #line))
    do {
      var dropped = BlobChunks.AsyncIterator(source: source, chunkSize: 2)
      #expect(try await dropped.next() == Data([1, 2]))
      busy()
    }
    #expect(db.access.pool.state.withLock { $0.occupants.isEmpty })
    withExtendedLifetime(source) {}
    await #expect(throws: DatabaseError.self) {
      for try await _ in db.blobChunks(table: "t", column: "b", rowID: 9) {}
    }
    let readers = db.access.pool.readers(since: .roughlyNow)
    #expect(readers.isEmpty)
    try await db.close()
    let error = await #expect(throws: DatabaseError.self) {
      for try await _ in chunks {}
    }
    #expect(error?.code == .misuse)
  }

  @Test("a sequence of chunks that pins the log is reported with its source location")
  func chunksAndLog() async throws {
    var iterator = db.blobChunks(table: "photo", column: "image", rowID: 1, chunkSize: 2)
      .makeAsyncIterator()
    #expect(try await iterator.next()?.count == 2)
    let readers = db.access.pool.readers(since: .roughlyNow)
    #expect(readers.map(\.fileID) == ["SQLCoreTests/BlobTests.swift"])
    #expect(try await iterator.next()?.count == 2)
  }

  @Test("chunks are read from a database in memory, and a cancelled task throws")
  func chunksInMemory() async throws {
    let memory = try Database.inMemory()
    try await memory.execute("CREATE TABLE t (b); INSERT INTO t VALUES (x'0102030405')")
    var chunks: [Data] = []
    for try await chunk in memory.blobChunks(table: "t", column: "b", rowID: 1, chunkSize: 2) {
      chunks.append(chunk)
    }
    #expect(chunks == [Data([1, 2]), Data([3, 4]), Data([5])])
    let db = db
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      for try await _ in db.blobChunks(table: "photo", column: "image", rowID: 1) {}
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

import Foundation
import SQLCore
import Testing

@Suite("P35 BLOBs in parts")
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

  @Test("P35 a zero-blob is written and read in parts, at any place")
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

  @Test("P35 what is not within the BLOB, not there, or not allowed throws")
  func errors() throws {
    try db.read { connection in
      let blob = try connection.blob(table: "photo", column: "image", rowID: 2)
      for (offset, count) in [(0, 4), (4, 0), (-1, 1), (3, 1), (.max, 1), (1, .max), (0, -1)] {
        let error = #expect(throws: DatabaseError.self) { try blob.read(at: offset, count: count) }
        #expect(error?.code == .range)
      }
      #expect(try blob.read(at: 3).isEmpty)
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
    "P35 a BLOB whose row is changed by something else has expired; one kept too long is misuse")
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
    // It pins no snapshot and no lock.
    try db.execute("DROP TABLE photo")
    kept = nil
  }

  @Test("P35 chunks come one after another, of one snapshot, whatever is written meanwhile")
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

  @Test("P35 chunks of a database in memory, and of a cancelled task")
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

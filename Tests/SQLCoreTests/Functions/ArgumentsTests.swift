import SQLCore
import Testing

@Suite("The arguments of a function")
struct ArgumentsTests {
  private let db: Database

  init() throws {
    db = try Database.temporary()
  }

  @Test("a function reads the storage class and the borrowed cell of an argument")
  func classes() throws {
    try db.function("kind", argumentCount: 1) { arguments in
      .text(try arguments.storageClass(at: 0).rawValue)
    }
    let row = try db.row("SELECT kind(1), kind(1.5), kind('a'), kind(x'00'), kind(NULL)")
    #expect(row?.values == ["INTEGER", "REAL", "TEXT", "BLOB", "NULL"])
    try db.function("doubled", argumentCount: 1) { arguments in
      .integer(try arguments.withCell(at: 0) { Int64(try Int($0)) * 2 })
    }
    #expect(try db.row("SELECT doubled(21)")?[0] == 42)
  }

  @Test("a missing argument and a value out of range are errors that name the argument")
  func missing() throws {
    try db.function("beyond", argumentCount: 1) { try $0.databaseValue(at: 1) }
    try db.function("before", argumentCount: 1) { try $0.databaseValue(at: -1) }
    for (name, index) in [("beyond", 1), ("before", -1)] {
      let error = #expect(throws: DatabaseError.self) {
        try db.rows("SELECT \(identifier: name)(7)")
      }
      #expect(
        error?.message == "there is no argument \(index): there is 1, counted from 0")
    }
    try db.function("typed", argumentCount: 1) { .integer(Int64(try $0.get(Int8.self, at: 0))) }
    let error = #expect(throws: DatabaseError.self) { try db.rows("SELECT typed(1000)") }
    #expect(error?.message.hasPrefix("argument 1: ") == true)
  }
}

@Suite("The description of a pinned log")
struct PinnedWALTests {
  @Test("a pinned log describes its size and its readers, or another connection if it has none")
  func description() {
    let reader = PinnedWAL.Reader(fileID: "App/Main.swift", line: 7, age: .seconds(3))
    let own = PinnedWAL.Reader(fileID: nil, line: nil, age: .seconds(1))
    #expect(
      PinnedWAL(byteCount: 9, readers: [reader, own]).description
        == "the write-ahead log has 9 bytes, held by App/Main.swift:7, for 3.0 seconds; "
        + "the library, for 1.0 seconds")
    #expect(
      PinnedWAL(byteCount: 9, readers: []).description
        == "the write-ahead log has 9 bytes, held by another connection")
  }
}

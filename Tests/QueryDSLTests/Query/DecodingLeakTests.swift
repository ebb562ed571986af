import QueryDSL
import SQLCore
import Synchronization
import Testing

/// An object that counts the objects of its class.
private final class Tracked: Sendable {
  // The tests of this suite run one after another, and no other test makes such objects.
  static let alive = Atomic<Int>(0)

  let text: String

  init(_ text: String) {
    self.text = text
    Self.alive.add(1, ordering: .relaxed)
  }

  deinit { Self.alive.subtract(1, ordering: .relaxed) }
}

private struct Reference: ColumnValue {
  let object: Tracked

  static var storageClass: StorageClass { .text }

  init(_ text: String) { object = Tracked(text) }

  init(_ cell: borrowing Cell) throws {
    let text = try cell.text()
    // The object already exists when the error is thrown.
    object = Tracked(text)
    guard text != "bad" else { throw ColumnValueError.invalid(text, as: Reference.self) }
  }

  func databaseValue(as form: StoredForm) throws -> DatabaseValue { .text(object.text) }
}

private struct Holder: Model {
  @PrimaryKey var id: Int64?
  @Column var first: Reference
  @Column var second: Reference?
  @Ignored var third: Reference?
  @Column var number: Int
  @Column var fourth: Reference
}

@Suite("Memory leaks of reading and writing, also after bad rows", .serialized)
struct DecodingLeakTests {
  let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.execute(
      "CREATE TABLE Holder (id INTEGER PRIMARY KEY, first, second, number, fourth)")
    for id in 1...40 {
      try connection.execute(
        "INSERT INTO Holder VALUES (\(id), 'a', \(id % 2 == 0 ? "b" : nil), \(id), 'd')")
    }
  }

  func expectNoLeak(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) rethrows {
    let before = Tracked.alive.load(ordering: .relaxed)
    try body()
    #expect(
      Tracked.alive.load(ordering: .relaxed) == before, sourceLocation: sourceLocation)
  }

  @Test("reading and dropping rows leaks nothing")
  func reading() throws {
    try expectNoLeak {
      let all = try connection.fetch(Holder.all)
      #expect(all.count == 40)
      // An optimized build may release the rows after their last use.
      withExtendedLifetime(all) { #expect(Tracked.alive.load(ordering: .relaxed) == 100) }
      _ = try connection.find(Holder.self, 2)
      _ = try connection.first(Holder.all)
      _ = try connection.fetch(Holder.select { ($0.$first, $0, $0.$second) })
    }
  }

  @Test(
    "an error in any column and in an early or late row leaks nothing",
    arguments: ["first", "second", "number", "fourth"], [1, 17, 39, 40])
  func errors(_ column: String, _ row: Int) throws {
    try connection.execute(
      "UPDATE Holder SET \(identifier: column) = 'bad' WHERE id = \(row)")
    expectNoLeak {
      let error = #expect(throws: ColumnValueError.self) { try connection.fetch(Holder.all) }
      #expect(error?.column == column && error?.row == row - 1)
      #expect(throws: ColumnValueError.self) { try connection.find(Holder.self, Int64(row)) }
      #expect(throws: ColumnValueError.self) {
        try connection.first(Holder.where { $0.$id == Int64(row) })
      }
      #expect(throws: ColumnValueError.self) {
        try connection.fetch(Holder.select { ($0.$id, $0, $0) })
      }
      #expect(throws: ColumnValueError.self) {
        try connection.fetch(
          Query { (one: Columns<Holder>, other: OptionalColumns<Holder>) in
            From(one)
            LeftJoin(other, on: one.$id == other.$id)
            Select(other, one)
          })
      }
    }
  }

  @Test("writing leaks neither the caller's value nor the returned copy")
  func writing() throws {
    try connection.execute("CREATE UNIQUE INDEX one ON Holder (number)")
    try expectNoLeak {
      var holder = Holder(
        first: Reference("a"), second: Reference("b"), third: Reference("c"), number: 100,
        fourth: Reference("d"))
      holder = try connection.insert(holder)
      holder.second = Reference("x")
      holder.second = nil
      holder = try connection.update(holder)
      holder = try connection.save(holder)
      #expect(throws: DatabaseError.self) {
        try connection.insert(
          Holder(first: Reference("a"), number: 100, fourth: Reference("d")))
      }
      try connection.insert(
        (0..<20).map { index in
          Holder(first: Reference("a"), number: 200 + index, fourth: Reference("d"))
        })
    }
  }
}

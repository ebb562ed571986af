import ChangeObservation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@Suite("observe(query)", .blocking)
struct QueryObservationTests {
  let db: Database

  init() throws {
    db = try Database.temporary(models: [Note.self, Tagging.self])
    try db.insert([Note(title: "one", stars: 1), Note(title: "two", stars: 2)])
  }

  @Test("a result is given first, and again after each commit to a column that it reads")
  func resultAndChanges() async throws {
    let query = Note.where { $0.$stars > 0 }.order(by: \.$title).select(\.$title)
    var results = db.observe(query).makeAsyncIterator()
    #expect(try await results.next() == ["one", "two"])
    try await db.execute("UPDATE Note SET body = 'no matter'")
    try await db.execute("UPDATE Note SET title = 'zero' WHERE id = 1")
    #expect(try await results.next() == ["two", "zero"])
    try await db.execute("UPDATE Note SET stars = 0 WHERE id = 2")
    #expect(try await results.next() == ["zero"])
    try await db.insert(Note(title: "three", stars: 3))
    #expect(try await results.next() == ["three", "zero"])
  }

  struct Starred: SQLView, Equatable {
    @Column var title: String

    static var definition: some Fetchable { Note.where { $0.$stars > 1 }.select(\.$title) }
  }

  @Test("a query over a temporary view is given again after a commit to the tables of the view")
  func temporaryView() async throws {
    try db.createTemporaryView(Starred.self)
    let query = Starred.order(by: \.$title).select(\.$title)
    var results = db.observe(query).makeAsyncIterator()
    #expect(try await results.next() == ["two"])
    try await db.execute("UPDATE Note SET body = 'no matter'")
    try await db.execute("UPDATE Note SET stars = 3 WHERE id = 1")
    #expect(try await results.next() == ["one", "two"])
    try await db.execute("DELETE FROM Note WHERE id = 2")
    #expect(try await results.next() == ["one"])
  }

  struct Setting: Model {
    @PrimaryKey var id: Int
    @Column var pageSize: Int
    @Column var page: Int
  }

  @Test("a limit and an offset that are expressions are calculated again after each commit")
  func calculatedLimits() async throws {
    let db = try Database.temporary(models: [Note.self, Setting.self])
    try await db.insert((1...6).map { Note(title: "\($0)", stars: $0) })
    try await db.insert(Setting(id: 1, pageSize: 2, page: 0))
    let setting = Setting.where { $0.$id == 1 }
    let size = setting.select(\.$pageSize).subquery().nonOptional()
    let start = setting.select { $0.$pageSize * $0.$page }.subquery().nonOptional()
    let query = Note.order(by: \.$stars).limit(size).offset(start)
    var models = db.observe(query).makeAsyncIterator()
    var titles = db.observe(query.select(\.$title)).makeAsyncIterator()
    func next(
      _ expected: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
      let rows = try await models.next()
      #expect(rows?.map(\.title) == expected, sourceLocation: sourceLocation)
      let items = try await titles.next()
      #expect(items.map { Array($0) } == expected, sourceLocation: sourceLocation)
    }
    try await next(["1", "2"])
    try await db.run(Setting.update { $0.$pageSize = 3 })
    try await next(["1", "2", "3"])
    try await db.run(Setting.update { $0.$page = 1 })
    try await next(["4", "5", "6"])
    try await db.run(Note.delete().where { $0.$stars == 1 })
    try await next(["5", "6"])
    try await db.insert(Note(title: "0", stars: 0))
    try await next(["4", "5", "6"])
    try await db.run(
      Setting.update {
        $0.$pageSize = -1; $0.$page = 0
      })
    try await next(["0", "2", "3", "4", "5", "6"])
  }

  enum Status: String, ColumnValue { case open, closed }

  struct Ticket: Model {
    @PrimaryKey var id: Int
    @Column var status: Status
  }

  @Test("an unreadable row is observed as its error beside the others, until it can be read")
  func unreadable() async throws {
    let db = try Database.temporary(models: [Ticket.self])
    try await db.insert((1...3).map { Ticket(id: $0, status: .open) })
    var results = db.observe(Ticket.order(by: \.$id).asResults()).makeAsyncIterator()
    func text(_ rows: Results<Result<Ticket, ColumnValueError>>?) -> [String] {
      (rows ?? []).map { row in
        switch row {
        case .success(let ticket): "\(ticket.id) \(ticket.status)"
        case .failure(let error): "\(error.key ?? [])"
        }
      }
    }
    #expect(text(try await results.next()) == ["1 open", "2 open", "3 open"])
    try await db.execute("UPDATE Ticket SET status = 'lost' WHERE id = 2")
    #expect(text(try await results.next()) == ["1 open", "[2]", "3 open"])
    try await db.execute("UPDATE Ticket SET status = 'closed' WHERE id <> 1")
    #expect(text(try await results.next()) == ["1 open", "2 closed", "3 closed"])
  }

  @Test("a prepared query is observed with its arguments")
  func prepared() async throws {
    let query = try await db.prepare { (stars: SQLParameter<Int>) in
      Note.where { $0.$stars >= stars }.order(by: \.$title).select(\.$title)
    }
    var results = db.observe(query(2)).makeAsyncIterator()
    #expect(try await results.next() == ["two"])
    try await db.execute("UPDATE Note SET stars = 3 WHERE id = 1")
    #expect(try await results.next() == ["one", "two"])
  }

  @Test("a join follows raw SQL and cascades, and ignores a rolled-back transaction")
  func joins() async throws {
    try await db.insert([Tagging(note: 1, tag: "a"), Tagging(note: 2, tag: "b")])
    let query = Query { (note: Columns<Note>, tagging: OptionalColumns<Tagging>) in
      From(note)
      LeftJoin(tagging, on: tagging.$note == note.$id)
      OrderBy(note.$title)
      Select(note.$title, tagging.$tag)
    }
    var results = db.observe(query).makeAsyncIterator()
    func text(_ rows: Results<(String, String?)>?) -> [String] {
      (rows ?? []).map { "\($0.0):\($0.1 ?? "-")" }
    }
    #expect(text(try await results.next()) == ["one:a", "two:b"])
    struct Abandoned: Error {}
    await #expect(throws: Abandoned.self) {
      try await db.write { tx in
        try tx.execute("DELETE FROM Tagging")
        throw Abandoned()
      }
    }
    try await db.execute("DELETE FROM Note WHERE id = 1")
    #expect(text(try await results.next()) == ["two:b"])
    try await db.execute("DELETE FROM Tagging")
    #expect(text(try await results.next()) == ["two:-"])
  }

  @Test("with a limit, a row beyond the reserve does not take the place of one in between")
  func limitedReserve() async throws {
    // A database in memory has no file to check, after which the result would be fetched.
    let db = try Database.inMemory(models: [Note.self])
    try await db.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
      INSERT INTO Note (id, title, stars) SELECT i, 'x', 0 FROM n
      """)
    var ids = db.observe(Note.order(by: \.$id).limit(3).select(\.$id)).makeAsyncIterator()
    #expect(try await ids.next()?.map { $0 } == [1, 2, 3])
    // The observation holds those three rows and 32 more in reserve.
    try await db.execute("INSERT INTO Note (id, title, stars) VALUES (500, 'x', 0), (501, 'x', 0)")
    try await db.execute("DELETE FROM Note WHERE id BETWEEN 1 AND 34")
    #expect(try await ids.next()?.map { $0 } == [35, 36, 37])
    try await db.execute("DELETE FROM Note WHERE id BETWEEN 36 AND 60")
    #expect(try await ids.next()?.map { $0 } == [35, 61, 62])
  }

  @Test("a slow consumer sees only the latest result")
  func coalesced() async throws {
    var results = db.observe(Note.where { $0.$id == 1 }.select(\.$stars)).makeAsyncIterator()
    #expect(try await results.next() == [1])
    for stars in 10...20 { try await db.run(Note.update { $0.$stars = stars }) }
    #expect(try await results.next() == [20])
  }

  @Test("a write that was running when the observation began is not missed")
  func runningWrite() async throws {
    let db = db
    var results = db.observe(Note.where { $0.$id == 1 }.select(\.$title)).makeAsyncIterator()
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let gate = Gate()
    let writer = Task {
      try await db.write { tx in
        try tx.execute("UPDATE Note SET title = 'late' WHERE id = 1")
        start.yield()
        gate.wait()
      }
    }
    for await _ in started { break }
    #expect(try await results.next() == ["one"])
    gate.open()
    try await writer.value
    #expect(try await results.next() == ["late"])
  }

  @Test("cancelling the task ends the observation, and a failing query throws")
  func ending() async throws {
    let db = db
    let (first, seen) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      for try await _ in db.observe(Note.all) { seen.yield() }
    }
    for await _ in first { break }
    task.cancel()
    _ = await task.result
    try await db.execute("DROP TABLE Tagging")
    var results = db.observe(Tagging.all).makeAsyncIterator()
    await #expect(throws: DatabaseError.self) { try await results.next() }
  }

  @Test("cancelling the task while a closure reads ends its sequence", arguments: [0, 1])
  func cancelledClosure(count: Int) async throws {
    let db = try Database.temporary(models: [Note.self])
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let gate = Gate()
    let task = Task { () -> Int? in
      var values = db.observe { connection -> Int in
        let found = try connection.count(Note.all)
        if found == count {
          begin.yield()
          gate.wait()
        }
        return found
      }.makeAsyncIterator()
      if count > 0 {
        let found = try await values.next()
        #expect(found == 0)
        try await db.insert(Note(title: "one"))
      }
      return try await values.next()
    }
    for await _ in begun { break }
    task.cancel()
    gate.open()
    let found2 = try await task.value
    #expect(found2 == nil)
  }

  @Test("a CancellationError of the closure itself is thrown")
  func throwingClosure() async throws {
    var values = db.observe { _ -> Int in throw CancellationError() }.makeAsyncIterator()
    await #expect(throws: CancellationError.self) { try await values.next() }
  }

  @Test("a database in memory can be observed")
  func inMemory() async throws {
    let db = try Database.inMemory(models: [Note.self])
    var results = db.observe(Note.select(\.$title)).makeAsyncIterator()
    #expect(try await results.next() == [])
    try await db.insert(Note(title: "x"))
    #expect(try await results.next() == ["x"])
    // Content that replaces the database changes every result.
    let other = try Database.inMemory(models: [Note.self])
    try await other.insert(Note(title: "y"))
    let bytes = try await other.writeWithoutTransaction { try $0.serialize() }
    try await db.writeWithoutTransaction { try $0.deserialize(bytes) }
    let found = try await results.next()
    #expect(found == ["y"])
  }
}

import Apus
import ApusHummingbird
import Foundation
import Hummingbird
import Testing

struct Post: Model, Codable, Equatable {
  @PrimaryKey var id: Int
  @Column var title: String
  @Column var views = 0
}

/// The rows that a client shows, as the documentation of `LiveEvents` says to change them.
private struct Shown {
  struct Place: Decodable {
    var index: Int
    var row: Post

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      index = try container.decode(Int.self)
      row = try container.decode(Post.self)
    }
  }
  struct Change: Decodable {
    var removed: [Int]
    var inserted: [Place]
    var updated: [Place]
  }

  var rows: [Post] = []

  mutating func apply(_ event: Received) throws {
    let data = Data(event.data.utf8)
    if event.name == "rows" { rows = try JSONDecoder().decode([Post].self, from: data) }
    guard event.name == "change" else { return }
    let change = try JSONDecoder().decode(Change.self, from: data)
    for index in change.removed.reversed() { rows.remove(at: index) }
    for place in change.inserted { rows.insert(place.row, at: place.index) }
    for place in change.updated { rows[place.index] = place.row }
  }
}

@Suite struct LiveEventsTests {
  private static let ordered = Post.order(by: \.$views).order(by: \.$id)

  /// Runs a test with a server that streams all posts, and a router that the test may extend.
  private static func serving(
    limits: EventFeed<Never>.Limits = .init(), _ db: Database,
    _ body: (TestServer) async throws -> Void
  ) async throws {
    let events = LiveEvents(db.observe(ordered), limits: limits)
    let router = Router()
    router.get("events") { request, _ in try events.response(to: request) }
    router.get("events/:least") { request, context in
      let least = try context.parameters.require("least", as: Int.self)
      return try request.events(of: db.observe(Post.where { $0.$views >= least }))
    }
    router.get("count") { _, _ in "\(try await db.count(Post.all))" }
    try await TestServer.run(router, services: [events], body)
  }

  @Test func `A client that applies the changes shows the rows of the query`() async throws {
    let seed =
      ProcessInfo.processInfo.environment["APUS_SEED"].flatMap { UInt64($0) }
      ?? .random(in: .min ... .max)
    print("APUS_SEED=\(seed)")
    let db = try Database.temporary(models: [Post.self])
    try await Self.serving(db) { server in
      let wire = try server.events("/events")
      var numbers = seed
      func number(below limit: Int) -> Int {
        numbers = numbers &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(numbers >> 33) % limit
      }
      for _ in 0..<200 {
        let (id, views, kind) = (number(below: 12), number(below: 6), number(below: 4))
        try await db.write { tx in
          switch kind {
          case 0: _ = try tx.run(Post.where { $0.$id == id }.delete())
          case 1: _ = try tx.run(Post.update { $0.$views = views }.where { $0.$id >= id })
          default: try tx.save(Post(id: id, title: "\(views)\nof \(id)", views: views))
          }
        }
      }
      try await db.insert(Post(id: 99, title: "the last", views: 99))
      let text = try await wire.read { $0.contains("the last") && $0.hasSuffix("\n\n\r\n") }
      var shown = Shown()
      for event in Received.all(in: text) { try shown.apply(event) }
      #expect(try await db.fetch(Self.ordered) == shown.rows)
    }
  }

  @Test func `A client that connects again gets what it missed, or all rows`() async throws {
    let db = try Database.temporary(models: [Post.self])
    try await db.insert(Post(id: 1, title: "first"))
    var limits = EventFeed<Never>.Limits()
    limits.keptEvents = 3
    try await Self.serving(limits: limits, db) { server in
      let before = try await server.events("/events").read { $0.hasSuffix("]\n\n\r\n") }
      let last = try #require(Received.all(in: before).last)
      #expect(last.name == "rows")
      let present = try server.events("/events")
      _ = try await present.read { $0.hasSuffix("]\n\n\r\n") }
      try await db.insert(Post(id: 2, title: "second"))
      _ = try await present.read { $0.contains("second") }
      let missed = try await server.events("/events", ["Last-Event-ID": last.id])
        .read { $0.contains("second") && $0.hasSuffix("\n\n\r\n") }
      #expect(Received.all(in: missed).map(\.name) == ["change"])
      #expect(!missed.contains("first"))
      let rendered = try await server.events("/events?after=\(last.id)")
        .read { $0.contains("second") && $0.hasSuffix("\n\n\r\n") }
      #expect(Received.all(in: rendered).map(\.name) == ["change"])
      for id in 3...6 {
        try await db.insert(Post(id: id, title: "post \(id)."))
        _ = try await present.read { $0.contains("post \(id).") }
      }
      for id in [last.id, "1.0", "", "4294967296.1", "0.-1", "x"] {
        let all = try await server.events("/events", ["Last-Event-ID": id])
          .read { $0.contains("post 6.") && $0.hasSuffix("\n\n\r\n") }
        #expect(Received.all(in: all).map(\.name) == ["rows"], "\(id)")
      }
    }
  }

  @Test func `A server with open streams shuts down, and ends each stream`() async throws {
    let db = try Database.temporary(models: [Post.self])
    try await Self.serving(db) { server in
      let wires = try (0..<8).map { try server.events($0 % 2 == 0 ? "/events" : "/events/\($0)") }
      for wire in wires { _ = try await wire.read { $0.contains("event: rows") } }
      await server.shutDown()
      for wire in wires {
        #expect(try await wire.read(until: Wire.isEnd).hasSuffix("0\r\n\r\n"))
      }
    }
  }

  @Test func `A client that reads nothing is disconnected, and delays neither others nor the end`()
    async throws
  {
    let db = try Database.temporary(models: [Post.self])
    try await db.insert(Post(id: 1, title: String(repeating: "long ", count: 4_000_000)))
    var limits = EventFeed<Never>.Limits()
    limits.heartbeat = .milliseconds(50)
    limits.streams = 2
    try await Self.serving(limits: limits, db) { server in
      let slow = try Wire(port: server.port, receiveBuffer: 4_096)
      try slow.request("GET", "/events")
      while try await server.get("/count").body.isEmpty {}
      // Both places are taken until the one of the slow client is free again.
      var last: [Wire] = []
      while last.count < 2 {
        let next = try server.events("/events")
        let text = try await next.read { $0.contains("event: rows") || $0.contains("503") }
        if text.contains("event: rows") {
          last.append(next)
        } else {
          #expect(text.lowercased().contains("retry-after: 10"))
        }
      }
      #expect(try await !slow.read().hasSuffix("0\r\n\r\n"))
    }
    limits.heartbeat = .seconds(1_000)
    try await Self.serving(limits: limits, db) { server in
      let slow = try Wire(port: server.port, receiveBuffer: 4_096)
      try slow.request("GET", "/events")
      _ = try await slow.read { $0.contains("retry: 500") }
      await server.shutDown()
    }
  }

  @Test func `A stream without events sends comments`() async throws {
    let db = try Database.temporary(models: [Post.self])
    var limits = EventFeed<Never>.Limits()
    limits.heartbeat = .milliseconds(10)
    try await Self.serving(limits: limits, db) { server in
      let text = try await server.events("/events").read { text in
        text.components(separatedBy: ": still here\n\n").count > 3
      }
      #expect(Received.all(in: text).map(\.name) == ["rows"])
    }
  }

  @Test func `A row that cannot be read is a problem without details until it is repaired`()
    async throws
  {
    let db = try Database.temporary(models: [Post.self])
    try await Self.serving(db) { server in
      let wire = try server.events("/events")
      _ = try await wire.read { $0.contains("event: rows") }
      try await db.execute("INSERT INTO Post VALUES (1, CAST(x'FF' AS TEXT), 0)")
      let problem = try await wire.read {
        $0.contains("event: problem") && $0.hasSuffix("\n\n\r\n")
      }
      #expect(problem.contains(#"data: {"message":"the rows cannot be read"}"#))
      try await db.execute("UPDATE Post SET title = 'repaired'")
      let rows = try await wire.read { $0.contains("repaired") && $0.hasSuffix("\n\n\r\n") }
      #expect(Received.all(in: rows).last?.name == "rows")
    }
  }

  @Test func `Streams end when the database is closed`() async throws {
    let db = try Database.temporary(models: [Post.self])
    try await Self.serving(db) { server in
      let wires = [try server.events("/events"), try server.events("/events/0")]
      for wire in wires { _ = try await wire.read { $0.contains("event: rows") } }
      try await db.close()
      for wire in wires { #expect(try await wire.read(until: Wire.isEnd).hasSuffix("0\r\n\r\n")) }
    }
  }

  @Test func `Events for an audience are sent to its clients only`() async throws {
    let feed = EventFeed<String>()
    let router = Router()
    router.get("events/:user") { request, context in
      try feed.response(to: request, for: try context.parameters.require("user")) { user in
        ([ServerSentEvent("hello", text: "\(user ?? "")\r\nagain")], feed.position)
      }
    }
    try await TestServer.run(router) { server in
      let (ada, bob) = (try server.events("/events/ada"), try server.events("/events/bob"))
      // Nothing is sent before the feed is open, except how long to wait before connecting again.
      _ = try await ada.read { $0.contains("retry") }
      feed.open()
      let hello = try await ada.read { $0.contains("again") && $0.hasSuffix("\n\n\r\n") }
      #expect(Received.all(in: hello).first?.data == "ada\nagain")
      _ = try await bob.read { $0.contains("again") }
      #expect(feed.audiences == ["ada", "bob"])
      feed.send(ServerSentEvent("note", text: "for ada"), to: "ada")
      feed.send(ServerSentEvent("note", text: "for all"))
      #expect(try await ada.read { $0.contains("for all") }.contains("for ada"))
      #expect(try await !bob.read { $0.contains("for all") }.contains("for ada"))
      feed.finish()
      #expect(try await ada.read(until: Wire.isEnd).hasSuffix("0\r\n\r\n"))
    }
  }

  @Test func `A stream has a place from its request on, until its answer is dropped or has ended`()
    async throws
  {
    var limits = EventFeed<Never>.Limits()
    limits.streams = 1
    let feed = EventFeed<Never>(limits: limits)
    let whole: @Sendable (Never?) async throws -> EventFeed<Never>.Whole = { _ in
      ([], feed.position)
    }
    let router = Router()
    router.get("events") { request, _ in try feed.response(to: request, whole: whole) }
    router.get("dropped") { request, _ in
      for _ in 0..<2 { _ = try feed.response(to: request, whole: whole) }
      let answer = try feed.response(to: request, whole: whole)
      // The body of the first answer has not run.
      let isRefused = (try? feed.response(to: request, whole: whole)) == nil
      withExtendedLifetime(answer) {}
      return "\(isRefused)"
    }
    try await TestServer.run(router) { server in
      #expect(try await server.get("/dropped").body.contains("true"))
      let wire = try server.events("/events")
      _ = try await wire.read { $0.contains("retry") }
      #expect(try await server.get("/events").status == 503)
      feed.finish()
      #expect(try await wire.read(until: Wire.isEnd).hasSuffix("0\r\n\r\n"))
    }
  }

  @Test func `Streams with a position of an earlier run wait until the feed is open`() async throws
  {
    let earlier = EventFeed<Never>()
    earlier.send(ServerSentEvent("note", text: "old"))
    let feed = EventFeed<Never>()
    let whole: @Sendable (Never?) async throws -> EventFeed<Never>.Whole = { _ in
      ([ServerSentEvent("whole", text: "new")], feed.position)
    }
    // Without a position, nothing asks for another batch before the feed is opened.
    #expect(try await feed.batch(after: earlier.position, whole: whole)?.position == nil)
    let router = Router()
    router.get("events") { request, _ in try feed.response(to: request, whole: whole) }
    router.get("open") { _, _ in
      feed.open()
      return "open"
    }
    let header = ["Last-Event-ID": "\(earlier.position)"]
    try await TestServer.run(router) { server in
      // Streams that kept asking would leave no thread of Swift's pool to other requests.
      let wires = try (0...ProcessInfo.processInfo.activeProcessorCount).map { _ in
        try server.events("/events", header)
      }
      for wire in wires { _ = try await wire.read { $0.contains("retry") } }
      #expect(try await server.get("/open").status == 200)
      for wire in wires {
        let text = try await wire.read { $0.contains("new") && $0.hasSuffix("\n\n\r\n") }
        #expect(Received.all(in: text).map(\.name) == ["whole"])
      }
    }
  }
}

import Apus
import ApusTracing
import InMemoryTracing
import Testing
import Tracing

@Suite struct SpanTests {
  struct Card: Model {
    @PrimaryKey var id: Int64?
    @Column var name: String
  }

  @Test func `A write is a span, and each of its statements a child`() async throws {
    let tracer = InMemoryTracer()
    let db = try Database.temporary(models: [Card.self])
    try await withTracer(tracer) {
      try await withSpan("request") { _ in
        _ = try await db.write(span: "add card") { tx in try tx.insert(Card(name: "secret")) }
      }
      // Other accesses are not traced.
      _ = try await db.count(Card.all)
    }
    let spans = tracer.finishedSpans
    let write = try #require(spans.first { $0.operationName == "add card" })
    let request = try #require(spans.first { $0.operationName == "request" })
    let insert = try #require(spans.first { $0.operationName == "INSERT" })
    #expect(write.parentSpanID == request.spanID)
    #expect(insert.parentSpanID == write.spanID)
    #expect(write.attributes.get("db.system.name") == .string("sqlite"))
    #expect(write.attributes.get("db.namespace") == .string("database.sqlite"))
    let text = try #require(insert.attributes.get("db.query.text"))
    #expect("\(text)".contains("INSERT INTO"))
    #expect(!"\(spans.map { "\($0.attributes)" })".contains("secret"))
    #expect(
      insert.startInstant.nanosecondsSinceEpoch <= insert.endInstant.nanosecondsSinceEpoch)
    #expect(!spans.contains { $0.operationName == "SELECT" })
  }

  @Test func `An error is recorded and thrown, and a read has spans as well`() async throws {
    struct Refused: Error {}
    let tracer = InMemoryTracer()
    let db = try Database.temporary(models: [Card.self])
    await withTracer(tracer) {
      await #expect(throws: Refused.self) {
        try await db.write(span: "refused") { _ in throw Refused() }
      }
      let names = try? await db.read(span: "names", on: .background) { connection in
        // The closure's own spans are children, on whatever thread it runs.
        try withSpan("inner") { _ in try connection.fetch(Card.select(\.$name)) }
      }
      #expect(names == [])
    }
    let spans = tracer.finishedSpans
    let refused = try #require(spans.first { $0.operationName == "refused" })
    #expect(refused.errors.first?.error is Refused)
    let read = try #require(spans.first { $0.operationName == "names" })
    let inner = try #require(spans.first { $0.operationName == "inner" })
    #expect(inner.parentSpanID == read.spanID)
    #expect(spans.contains { $0.operationName == "SELECT" && $0.parentSpanID == read.spanID })
  }

  @Test func `Without a tracer, nothing is traced`() async throws {
    let db = try Database.temporary(models: [Card.self])
    try await db.write(span: "add card") { try $0.insert(Card(name: "a")) }
    #expect(try await db.read(span: "count") { try $0.count(Card.all) } == 1)
  }
}

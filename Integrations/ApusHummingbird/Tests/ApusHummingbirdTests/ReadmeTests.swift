import Apus
import ApusHummingbird
import Foundation
import Hummingbird
import Logging
import Testing

// The lines of the README, which a test compares with this file.
struct Note: Model, Codable {
  @PrimaryKey var id: Int64?
  @Column var text: String
  @Column var createdAt = Date()

  static var schema: Schema<Note> { Unique(\.$text) }
}

struct NewNote: Decodable {
  var text: String
}

func serve(path: String, port: Int, logger: Logger) async throws {
  var configuration = Configuration()
  configuration.reportSlowStatements(over: .milliseconds(50))
  let db = try Database(
    path: path, models: [Note.self, PersistedValue.self], configuration: configuration)
  let persist = DatabasePersistDriver(db)
  let live = LiveEvents(db.observe(Note.order(by: \.$id)), logger: logger)
  let newest = PageOrder<Note>.descending(\.$createdAt)

  let router = Router()
  router.add(middleware: SlowStatementMiddleware())
  router.add(middleware: DatabaseFailureMiddleware())
  router.add(middleware: DeadlineMiddleware(.seconds(5)))
  router.get("notes") { request, context in
    let cursor = try request.pageCursor(of: Note.self)
    let notes = try await db.fetch(Note.page(after: cursor, by: newest).limit(20))
    var response = try context.responseEncoder.encode(notes, from: request, context: context)
    if notes.count == 20, let last = notes.last {
      response.headers.append(request.nextPage(after: try newest.cursor(after: last)))
    }
    return response
  }
  router.post("notes") { request, context in
    let uses = try await persist.count("notes", per: .seconds(60))
    guard uses.count <= 1_000 else { throw HTTPError(.tooManyRequests) }
    let new = try await request.decode(as: NewNote.self, context: context)
    try await db.insert(Note(text: new.text))  // 409 if there is one with this text
    return Response(status: .created)
  }
  router.get("notes/events") { request, _ in try live.response(to: request) }

  var app = Application(
    router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)),
    logger: logger)
  app.addServices(persist, live)
  try await app.runService()  // until SIGTERM or Control-C
  try await db.close()
}

@Suite struct ReadmeTests {
  @Test func `The code of the README stands in a file that is compiled`() throws {
    let file = URL(filePath: #filePath)
    let package = file.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let readme = try String(contentsOf: package.appending(path: "README.md"), encoding: .utf8)
    let compiled = try String(contentsOf: file, encoding: .utf8)
    let blocks = readme.components(separatedBy: "```swift\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
    #expect(blocks.count == 1)
    for block in blocks { #expect(compiled.contains(block), "not compiled:\n\(block)") }
  }
}

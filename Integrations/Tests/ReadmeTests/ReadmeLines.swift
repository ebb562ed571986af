// The lines of the README, which a test compares with this file.
import Apus
import ApusCombine
import ApusLogging
import ApusMetrics
import ApusServiceLifecycle
import ApusTracing

struct Post: Model {
  @PrimaryKey var id: Int64?
  @Column var title: String
  @Column var views = 0
}

func follow(_ db: Database) -> Set<AnyCancellable> {
  var cancellables: Set<AnyCancellable> = []
  db.readPublisher { try $0.count(Post.all) }
    .sink { _ in
    } receiveValue: { count in
      print(count)
    }
    .store(in: &cancellables)
  db.observe(Post.where { $0.$views > 0 }).publisher()
    .sink { _ in
    } receiveValue: { posts in
      print(posts.map(\.title))
    }
    .store(in: &cancellables)
  db.changesPublisher(of: Post.self, columns: \.$title)
    .sink { change in print(change.updated.count) }
    .store(in: &cancellables)
  return cancellables
}

func serve(_ db: Database, _ server: some Service, _ metrics: DatabaseMetrics) async throws {
  let group = ServiceGroup(
    services: [DatabaseService(db, background: metrics.run), server],
    gracefulShutdownSignals: [.sigterm, .sigint], logger: Logger(label: "blog"))
  try await group.run()
}

func open(path: String) throws -> Database {
  var configuration = Configuration()
  configuration.log(to: Logger(label: "blog.db")) {
    $0.slowStatements = .milliseconds(20)
  }
  return try Database(path: path, models: [Post.self], configuration: configuration)
}

func measure(_ db: Database) async throws {
  let metrics = try DatabaseMetrics(db, name: "blog", every: .seconds(10))
  try await metrics.run()
}

func rename(_ post: Post, to title: String, in db: Database) async throws -> Int {
  try await db.write(span: "rename post") { tx in
    try tx.run(Post.update { $0.$title = title }.where { $0.$id == post.id })
  }
  return try await db.read(span: "count posts") { try $0.count(Post.all) }
}

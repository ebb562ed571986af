import Apus
import ApusCombine
import Testing

@Suite struct ObservationPublisherTests {
  @Test func `A live result is published at once and after each change to it`() async throws {
    let db = try openPosts(1)
    let subscriber = RecordingSubscriber<Results<String>, any Error>(demand: .unlimited)
    db.observe(Post.order(by: \.$id).select(\.$title)).publisher().subscribe(subscriber)
    try await until { subscriber.values.count == 1 }
    try await db.write { try $0.insert(Post(title: "second")) }
    try await until { subscriber.values.count == 2 }
    #expect(subscriber.values.map(Array.init) == [["Post 1"], ["Post 1", "second"]])
    #expect(subscriber.values[1].difference.inserted == [1])
    try await db.close()
    try await until { subscriber.hasCompleted }
    #expect(subscriber.completions.count == 1)
    #expect(subscriber.failure == nil)
    #expect(subscriber.overlaps == 0)
  }

  @Test func `Results that are not demanded in time are skipped`() async throws {
    let db = try openPosts(0)
    let subscriber = RecordingSubscriber<Int, any Error>(demand: .max(1))
    db.observe { try $0.count(Post.all) }.publisher().subscribe(subscriber)
    try await until { subscriber.values == [0] }
    for number in 1...5 { try await db.write { try $0.insert(Post(title: "\(number)")) } }
    #expect(subscriber.values == [0])
    subscriber.request(.max(1))
    try await until { subscriber.values.count == 2 }
    #expect(subscriber.values == [0, 5])
    subscriber.cancel()
  }

  @Test func `Cancelling ends the observation, so that the database can be closed`() async throws {
    let db = try openPosts(0)
    let subscriber = RecordingSubscriber<Int, any Error>(demand: .unlimited)
    db.observe { try $0.count(Post.all) }.publisher().subscribe(subscriber)
    try await until { !subscriber.values.isEmpty }
    subscriber.cancel()
    try await db.write { try $0.insert(Post(title: "unseen")) }
    try await db.close()
    #expect(subscriber.values == [0])
    #expect(subscriber.completions.isEmpty)
  }

  @Test func `A query that cannot run fails the publisher`() async throws {
    let db = try openPosts(0)
    let subscriber = RecordingSubscriber<Results<Row>, any Error>(demand: .unlimited)
    db.observe(sql: "SELECT * FROM Missing").publisher().subscribe(subscriber)
    try await until { subscriber.hasCompleted }
    #expect(subscriber.failure is DatabaseError)
    #expect(subscriber.completions.count == 1)
  }

  @Test func `Changes are published once for each write from the subscription on`() async throws {
    let db = try openPosts(1)
    let first = RecordingSubscriber<ModelChanges<Post>, Never>(demand: .unlimited)
    let publisher = db.changesPublisher(of: Post.self, columns: \.$title)
    publisher.subscribe(first)
    try await db.write(label: "rename") { tx in
      try tx.run(Post.update { $0.$title = "renamed" })
    }
    let second = RecordingSubscriber<ModelChanges<Post>, Never>(demand: .none)
    publisher.subscribe(second)
    // A change of another column is not reported.
    try await db.write { try $0.run(Post.update { $0.$views = 9 }) }
    try await db.write { try $0.insert(Post(title: "two")) }
    try await until { first.values.count == 2 }
    #expect(first.values.map(\.label) == ["rename", nil])
    #expect(try first.values[0].updated[0].new(\.$title) == "renamed")
    // What happened while nothing was demanded waits.
    second.request(.max(1))
    try await until { second.values.count == 1 }
    #expect(second.values[0].inserted.count == 1)
    try await db.close()
    try await until { first.hasCompleted }
    #expect(first.completions.count == 1)
    second.cancel()
  }

  @Test func `Changes can be filtered by predicates, and cover all tables`() async throws {
    let db = try openPosts(0)
    let popular = RecordingSubscriber<ModelChanges<Post>, Never>(demand: .unlimited)
    db.changesPublisher(of: Post.self) { $0.$views > 100 }.subscribe(popular)
    let all = RecordingSubscriber<DatabaseChanges, Never>(demand: .unlimited)
    db.changesPublisher().subscribe(all)
    try await db.write { try $0.insert(Post(title: "quiet", views: 1)) }
    try await db.write { try $0.insert(Post(title: "loud", views: 101)) }
    try await until { all.values.count == 2 && popular.values.count == 1 }
    #expect(try popular.values[0].inserted[0].new(\.$title) == "loud")
    #expect(all.values.allSatisfy { $0["Post"]?.rows.count == 1 })
    popular.cancel()
    all.cancel()
  }
}

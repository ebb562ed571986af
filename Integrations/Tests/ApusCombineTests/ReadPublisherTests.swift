import Apus
import ApusCombine
import Dispatch
import Synchronization
import Testing

@Suite struct ReadPublisherTests {
  typealias CountSubscriber = RecordingSubscriber<Int, any Error>

  @Test func `A read gives its value once, on the main queue, and completes`() async throws {
    let db = try openPosts(3)
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    let isMain = Atomic(false)
    let subscriber = CountSubscriber(demand: .unlimited) { _, _ in
      isMain.store(DispatchQueue.getSpecific(key: key) ?? false, ordering: .relaxed)
      return .none
    }
    db.readPublisher { try $0.count(Post.all) }.subscribe(subscriber)
    try await until { subscriber.hasCompleted }
    #expect(subscriber.values == [3])
    #expect(subscriber.failure == nil)
    let wasMain = isMain.load(ordering: .relaxed)
    #expect(wasMain)
    try await Task.sleep(for: .milliseconds(20))
    #expect(subscriber.completions.count == 1)
  }

  @Test func `A value arrives on the scheduler that is given`() async throws {
    let db = try openPosts(1)
    let key = DispatchSpecificKey<String>()
    let queue = DispatchQueue(label: "values")
    queue.setSpecific(key: key, value: "values")
    let name = Mutex<String?>(nil)
    let subscriber = CountSubscriber(demand: .max(1)) { _, _ in
      name.withLock { $0 = DispatchQueue.getSpecific(key: key) }
      return .none
    }
    db.readPublisher(on: queue) { try $0.count(Post.all) }.subscribe(subscriber)
    try await until { subscriber.hasCompleted }
    #expect(name.withLock { $0 } == "values")
  }

  @Test func `Nothing runs before a value is demanded, and each subscriber reads again`()
    async throws
  {
    let db = try openPosts(0)
    let reads = Atomic(0)
    let publisher = db.readPublisher { connection in
      reads.add(1, ordering: .relaxed)
      return try connection.count(Post.all)
    }
    let first = CountSubscriber(demand: .none)
    publisher.subscribe(first)
    try await db.write { try $0.insert(Post(title: "later")) }
    #expect(reads.load(ordering: .relaxed) == 0)
    first.request(.none)
    first.request(.max(1))
    try await until { first.hasCompleted }
    #expect(first.values == [1])
    let second = CountSubscriber(demand: .unlimited)
    publisher.subscribe(second)
    try await until { second.hasCompleted }
    #expect(reads.load(ordering: .relaxed) == 2)
  }

  @Test func `An error of the closure fails the publisher once`() async throws {
    let db = try openPosts(0)
    let subscriber = CountSubscriber(demand: .unlimited)
    db.readPublisher { try $0.rows("SELECT missing FROM Post").count }.subscribe(subscriber)
    try await until { subscriber.hasCompleted }
    #expect(subscriber.values.isEmpty)
    let error = try #require(subscriber.failure as? DatabaseError)
    #expect(error.message.contains("no such column: missing"))
    #expect(subscriber.completions.count == 1)
  }

  @Test func `Cancelling interrupts the statement and frees the connection`() async throws {
    let db = try openPosts(0, readers: 1)
    let began = Atomic(false)
    try db.function("began") { () -> Int in
      began.store(true, ordering: .releasing)
      return 1
    }
    let subscriber = CountSubscriber(demand: .unlimited)
    db.readPublisher { try $0.rows(endless).count }.subscribe(subscriber)
    try await until { began.load(ordering: .acquiring) }
    subscriber.cancel()
    // The only reader is free once the statement has ended.
    #expect(try await db.read(on: .background) { try $0.count(Post.all) } == 0)
    #expect(subscriber.values.isEmpty)
    #expect(subscriber.completions.isEmpty)
    try await db.close()
  }

  @Test func `A released cancellable ends the read`() async throws {
    let db = try openPosts(0, readers: 1)
    let began = Atomic(false)
    try db.function("began") { () -> Int in
      began.store(true, ordering: .releasing)
      return 1
    }
    var cancellables: Set<AnyCancellable> = []
    db.readPublisher { try $0.rows(endless).count }
      .sink { _ in
        Issue.record("it completed")
      } receiveValue: { _ in
        Issue.record("it gave a value")
      }
      .store(in: &cancellables)
    try await until { began.load(ordering: .acquiring) }
    cancellables = []
    #expect(try await db.read(on: .background) { try $0.count(Post.all) } == 0)
  }

  @Test func `A write publishes its value after the commit, and rolls back when it is cancelled`()
    async throws
  {
    let db = try openPosts(0)
    let committed = Mutex<Int?>(nil)
    let subscriber = RecordingSubscriber<Int, any Error>(demand: .unlimited) { _, _ in
      committed.withLock { $0 = try? db.count(Post.all) }
      return .none
    }
    db.writePublisher { tx in
      try tx.insert(Post(title: "a"))
      return 7
    }.subscribe(subscriber)
    try await until { subscriber.hasCompleted }
    #expect(subscriber.values == [7])
    #expect(committed.withLock { $0 } == 1)

    let began = Atomic(false)
    try db.function("began") { () -> Int in
      began.store(true, ordering: .releasing)
      return 1
    }
    let cancelled = RecordingSubscriber<Int, any Error>(demand: .unlimited)
    db.writePublisher { tx in
      try tx.insert(Post(title: "b"))
      return try tx.rows(endless).count
    }.subscribe(cancelled)
    try await until { began.load(ordering: .acquiring) }
    cancelled.cancel()
    try await db.write { _ in }
    #expect(try await db.count(Post.all) == 1)
    #expect(cancelled.completions.isEmpty)
  }

  @Test func `A closed database fails the publisher`() async throws {
    let db = try openPosts(0)
    try await db.close()
    let subscriber = CountSubscriber(demand: .unlimited)
    db.readPublisher { try $0.count(Post.all) }.subscribe(subscriber)
    try await until { subscriber.hasCompleted }
    #expect("\(try #require(subscriber.failure))".contains("the database is closed"))
  }
}

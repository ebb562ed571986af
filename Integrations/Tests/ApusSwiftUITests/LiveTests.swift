import Apus
import SwiftUI
import Synchronization
import Testing

@testable import ApusSwiftUI

@MainActor
@Suite(.serialized)
struct LiveTests {
  static let titles = Post.order(by: \.$id).select(\.$title)

  @Test func `Rows appear when they are loaded, and follow the changes of the database`()
    async throws
  {
    let db = try openPosts("one", "two")
    let place = livePlace(Live(Post.where { $0.$views >= 0 }.order(by: \.$id)), in: db)
    place.update()
    #expect(place.property.wrappedValue.isEmpty)
    #expect(!place.property.projectedValue.isLoaded)
    await draw(place) { $0.projectedValue.isLoaded }
    #expect(place.property.wrappedValue.map(\.title) == ["one", "two"])
    try await db.write { try $0.insert(Post(title: "three")) }
    await draw(place) { $0.wrappedValue.count == 3 }
    #expect(place.property.wrappedValue.difference.inserted == [2])
    #expect(place.property.projectedValue.error == nil)
  }

  @Test func `Raw SQL, a value and a single row are followed as well`() async throws {
    let db = try openPosts("one", "two")
    let sql = livePlace(Live(sql: "SELECT max(views) AS top FROM Post"), in: db)
    let count = livePlace(Live(wrappedValue: -1) { try $0.count(Post.all) }, in: db)
    let post = livePlace(Live(Post.self, 2), in: db)
    count.update()
    #expect(count.property.wrappedValue == -1)
    await draw(sql) { $0.projectedValue.isLoaded }
    await draw(count) { $0.wrappedValue == 2 }
    await draw(post) { $0.wrappedValue?.title == "two" }
    #expect(try sql.property.wrappedValue[0]["top", as: Int.self] == 1)
    try await db.write { tx in
      try tx.run(Post.update { $0.$title = "zwei" }.where { $0.$id == 2 })
      try tx.insert(Post(title: "three", views: 9))
    }
    await draw(post) { $0.wrappedValue?.title == "zwei" }
    await draw(count) { $0.wrappedValue == 3 }
    await draw(sql) { (try? $0.wrappedValue.first?["top", as: Int.self]) == 9 }
    try await db.write { try $0.run(Post.delete()) }
    await draw(post) { $0.wrappedValue == nil }
    #expect(post.property.projectedValue.isLoaded)
  }

  @Test func `An update of the view without a change begins nothing`() async throws {
    let db = try openPosts("one")
    let value = livePlace(Live(wrappedValue: 0) { try $0.count(Post.all) }, in: db)
    await draw(value) { $0.wrappedValue == 1 }
    let runs = Atomic(0)
    for _ in 1...10 {
      value.replace(
        with: Live(wrappedValue: 0) { connection in
          runs.add(1, ordering: .relaxed)
          return try connection.count(Post.all)
        })
      value.update()
    }
    await value.property.projectedValue.refresh()
    // The closure of the first view is the one that is followed.
    #expect(runs.load(ordering: .relaxed) == 0)
    #expect(value.property.wrappedValue == 1)
  }

  @Test func `A view that is made again with another query follows that one`() async throws {
    let db = try openPosts("one", "two", "three")
    func live(_ ids: [Int]) -> Live<Results<String>> {
      Live(Post.where { $0.$views.isIn(ids) }.order(by: \.$id).select(\.$title))
    }
    let place = livePlace(live([0, 1]), in: db)
    await draw(place) { $0.wrappedValue.elementsEqual(["one", "two"]) }
    // Only the values of the query differ, and only within an array.
    place.replace(with: live([0, 2]))
    place.update()
    #expect(!place.property.projectedValue.isLoaded)
    #expect(Array(place.property.wrappedValue) == ["one", "two"], "the last rows stay meanwhile")
    await draw(place) { $0.wrappedValue.elementsEqual(["one", "three"]) }
    try await db.write { try $0.run(Post.delete().where { $0.$title == "three" }) }
    await draw(place) { $0.wrappedValue.elementsEqual(["one"]) }
  }

  @Test func `Another query can be shown until the view is made with a new one`() async throws {
    let db = try openPosts("one", "two", "three")
    let place = livePlace(Live(Self.titles), in: db)
    await draw(place) { $0.wrappedValue.count == 3 }
    place.property.projectedValue.show(Self.titles.where { $0.$title.contains("t") })
    await draw(place) { $0.wrappedValue.elementsEqual(["two", "three"]) }
    place.replace(with: Live(Self.titles))
    place.update()
    #expect(place.property.wrappedValue.count == 2, "the declaration is the same")
    place.replace(with: Live(Self.titles.limit(1)))
    await draw(place) { $0.wrappedValue.elementsEqual(["one"]) }
  }

  @Test func `Showing another query draws the view again`() async throws {
    let db = try openPosts("one", "two")
    let place = livePlace(Live(Post.self, 1), in: db)
    await draw(place) { $0.wrappedValue?.title == "one" }
    let isInvalid = Atomic(false)
    withObservationTracking {
      _ = place.update().wrappedValue
    } onChange: {
      isInvalid.store(true, ordering: .relaxed)
    }
    place.property.projectedValue.show(Post.self, 2)
    let wasInvalid = isInvalid.load(ordering: .relaxed)
    #expect(wasInvalid)
    await draw(place) { $0.wrappedValue?.title == "two" }
  }

  @Test func `Another database in the environment is followed instead`() async throws {
    let first = try openPosts("one")
    let second = try openPosts("eins")
    let place = livePlace(Live(Self.titles), in: nil)
    place.update()
    #expect(place.property.projectedValue.error is NoDatabase)
    #expect(place.property.wrappedValue.isEmpty)
    place.environment.database = first
    await draw(place) { $0.wrappedValue.elementsEqual(["one"]) }
    place.environment.database = second
    place.update()
    #expect(place.property.wrappedValue.isEmpty, "rows of another database are not shown")
    await draw(place) { $0.wrappedValue.elementsEqual(["eins"]) }
    try await first.close()
  }

  @Test func `An error is shown with the last rows, and refreshing tries again`() async throws {
    struct Refused: Error {}
    let db = try openPosts("one")
    let isRefused = Atomic(false)
    let place = livePlace(
      Live(wrappedValue: 0) { connection in
        if isRefused.load(ordering: .relaxed) { throw Refused() }
        return try connection.count(Post.all)
      }, in: db)
    await draw(place) { $0.wrappedValue == 1 }
    isRefused.store(true, ordering: .relaxed)
    await place.property.projectedValue.refresh()
    #expect(place.update().projectedValue.error is Refused)
    #expect(place.property.wrappedValue == 1)
    isRefused.store(false, ordering: .relaxed)
    await place.property.projectedValue.refresh()
    #expect(place.update().projectedValue.isLoaded)
    let wrong = livePlace(Live(sql: "SELECT * FROM Missing"), in: db)
    await draw(wrong) { $0.projectedValue.error != nil }
    #expect("\(try #require(wrong.property.projectedValue.error))".contains("no such table"))
  }

  @Test func `Only changes after the first result are animated`() async throws {
    let db = try openPosts("one")
    StandInAnimations.all = []
    let place = livePlace(Live(Post.order(by: \.$id), animation: .easeInOut), in: db)
    await draw(place) { $0.wrappedValue.count == 1 }
    #expect(StandInAnimations.all == [])
    try await db.write { try $0.insert(Post(title: "two")) }
    await draw(place) { $0.wrappedValue.count == 2 }
    #expect(StandInAnimations.all == [.easeInOut])
    let plain = livePlace(Live(Post.order(by: \.$id)), in: db)
    await draw(plain) { $0.wrappedValue.count == 2 }
    try await db.write { try $0.insert(Post(title: "three")) }
    await draw(plain) { $0.wrappedValue.count == 3 }
    await draw(place) { $0.wrappedValue.count == 3 }
    #expect(StandInAnimations.all.count == 2)
  }

  @Test func `A view that disappears ends what it follows`() async throws {
    let db = try openPosts("one")
    weak var store: LiveStore<Results<String>>?
    do {
      let place = livePlace(Live(Self.titles), in: db)
      await draw(place) { $0.wrappedValue.count == 1 }
      store = place.property.projectedValue.store
      #expect(store != nil)
    }
    #expect(store == nil)
    try await db.close()
  }

  @Test func `A closed database leaves the last rows`() async throws {
    let db = try openPosts("one")
    let place = livePlace(Live(Self.titles), in: db)
    await draw(place) { $0.wrappedValue.count == 1 }
    try await db.close()
    await draw(place) { if case .ended = $0.projectedValue.phase { true } else { false } }
    #expect(Array(place.property.wrappedValue) == ["one"])
  }
}

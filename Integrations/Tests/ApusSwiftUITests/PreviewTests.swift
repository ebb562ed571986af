import Apus
import ApusSwiftUI
import SwiftUI
import Testing

@MainActor
@Suite
struct PreviewTests {
  private struct PostList: View {
    @Environment(\.database) var database
    @Live(Post.where { $0.$views >= 0 }.order(by: \.$id), animation: .default) var posts
    @Live({ try $0.count(Post.all) }) var count = 0

    var body: some View {
      List(posts) { post in Text(post.title) }
        .refreshable { await $posts.refresh() }
      if let error = $posts.error { Text("\(error)") }
      Text("\(count)")
    }
  }

  @Test func `A preview has a filled database in memory`() async throws {
    let preview = DatabasePreview([Post.self]) { tx in
      try tx.insert(Post(title: "Sports"))
    } content: {
      PostList()
    }
    let db = try #require(StandInContent(preview.body).environment.database)
    #expect(db.path == nil)
    #expect(try await db.fetch(Post.select(\.$title)) == ["Sports"])
  }

  @Test func `A preview that cannot be filled shows the error`() throws {
    let preview = DatabasePreview([Post.self]) { tx in
      try tx.execute("INSERT INTO Missing VALUES (1)")
    } content: {
      EmptyView()
    }
    let text = try #require(StandInContent(preview.body).view as? Text)
    #expect(text.text.contains("no such table: Missing"))
  }

  @Test func `A view with live properties shows what they have before anything is loaded`() {
    let parts =
      Mirror(reflecting: PostList().body).descendant("value")
      .map { Mirror(reflecting: $0).children.map(\.value) } ?? []
    // The list, no error, and the count.
    #expect(parts.count == 3)
    #expect((parts.last as? Text)?.text == "0")
    #expect(PostList().posts.isEmpty)
  }
}

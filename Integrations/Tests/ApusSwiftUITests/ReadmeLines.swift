// The lines of the README, which a test compares with this file.
import Apus
import ApusSwiftUI
import SwiftUI

struct PostList: View {
  @Live(Post.where { $0.$views > 0 }.order(by: \.$title), animation: .default) var posts
  @Live({ try $0.count(Post.all) }) var total = 0

  var body: some View {
    List(posts) { post in Text(post.title) }
      .refreshable { await $posts.refresh() }
    if let error = $posts.error { Text("\(error)") }
  }
}

struct Blog: View {
  let db: Database
  var body: some View { PostList().database(db) }
}

struct SearchResults: View {
  @Live var posts: Results<Post>

  init(search: String) {
    _posts = Live(Post.where { $0.$title.contains(search) }, animation: .default)
  }

  var body: some View {
    List(posts) { post in Text(post.title) }
  }
}

struct PostPreview: View {
  var body: some View {
    DatabasePreview([Post.self]) { tx in
      try tx.insert(Post(title: "Sports", views: 3))
    } content: {
      PostList()
    }
  }
}

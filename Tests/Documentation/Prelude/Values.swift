import Apus
import ApusHistory
import DataFrames
import Foundation

// The variables that the examples use without declaring them. Those of a database are only compiled;
// the others are also rendered.

/// Returns a value that is only compiled, never computed.
func unavailable<Value>() -> Value { preconditionFailure("this example does not run") }

nonisolated(unsafe) var db: Database = unavailable()
nonisolated(unsafe) var connection: Connection = unavailable()
nonisolated(unsafe) var tx: Connection = unavailable()
nonisolated(unsafe) var other: Connection = unavailable()
nonisolated(unsafe) var configuration = Configuration()

nonisolated(unsafe) var author = Author(name: "Jane")
nonisolated(unsafe) var post = Post(authorID: author.id, title: "News")
nonisolated(unsafe) var posts = [post]
nonisolated(unsafe) var visit = Visit(url: URL(filePath: "/"))
nonisolated(unsafe) var user = User(name: "Jane", email: "jane@example.org")
nonisolated(unsafe) var id: Post.ID = post.id
nonisolated(unsafe) var ids = [id]
nonisolated(unsafe) var scores = [Score(player: 1, points: 2)]

nonisolated(unsafe) var date = Date()
nonisolated(unsafe) var name = ""
nonisolated(unsafe) var names: [String] = []
nonisolated(unsafe) var tags: JSON<[String]> = []
nonisolated(unsafe) var text = ""
nonisolated(unsafe) var limit = 0
nonisolated(unsafe) var search: String?
nonisolated(unsafe) var vector: [Float] = []

nonisolated(unsafe) var query = feed
nonisolated(unsafe) var feed = Query { (post: Columns<Post>, author: Columns<Author>) in
  From(post)
  Join(author, on: post.$authorID == author.$id)
  OrderBy(post.$createdAt, .descending)
  Select(post.$title, author.$name)
}
nonisolated(unsafe) var frame: DataFrame = unavailable()
nonisolated(unsafe) var position = LogPosition.start
nonisolated(unsafe) var insert: Statement = unavailable()

nonisolated(unsafe) var path = ""
nonisolated(unsafe) var models: [any TableModel.Type] = []
nonisolated(unsafe) var encoder = JSONEncoder()
nonisolated(unsafe) var totals = Query { (post: Columns<Post>, author: Columns<Author>) in
  From(post)
  Join(author, on: post.$authorID == author.$id)
  GroupBy(author.$id)
  Select(
    author.$id.as("authorID"), author.$name, post.$views.sum().ifNull(0).as("views"),
    into: Total.self)
}
nonisolated(unsafe) var cursor = try? PageOrder<Post>.descending(\.$createdAt)
  .cursor(after: post)

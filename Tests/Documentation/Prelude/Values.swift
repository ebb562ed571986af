import Apus
import DataFrames
import Foundation

// The variables that the examples use without declaring them. Examples that need them are compiled
// and do not run.

/// Returns a value that is only compiled, never computed.
func unavailable<Value>() -> Value { preconditionFailure("this example does not run") }

nonisolated(unsafe) var db: Database = unavailable()
nonisolated(unsafe) var connection: Connection = unavailable()
nonisolated(unsafe) var tx: Connection = unavailable()
nonisolated(unsafe) var other: Connection = unavailable()
nonisolated(unsafe) var configuration = Configuration()

nonisolated(unsafe) var author: Author = unavailable()
nonisolated(unsafe) var post: Post = unavailable()
nonisolated(unsafe) var posts: [Post] = unavailable()
nonisolated(unsafe) var visit: Visit = unavailable()
nonisolated(unsafe) var user: User = unavailable()
nonisolated(unsafe) var id: Post.ID = unavailable()
nonisolated(unsafe) var ids: [Post.ID] = unavailable()
nonisolated(unsafe) var scores: [Score] = unavailable()

nonisolated(unsafe) var date = Date()
nonisolated(unsafe) var name = ""
nonisolated(unsafe) var names: [String] = []
nonisolated(unsafe) var tags: JSON<[String]> = []
nonisolated(unsafe) var text = ""
nonisolated(unsafe) var limit = 0
nonisolated(unsafe) var search: String?
nonisolated(unsafe) var vector: [Float] = []

nonisolated(unsafe) var query: Query<(String, String)> = unavailable()
nonisolated(unsafe) var feed: Query<(String, String)> = unavailable()
nonisolated(unsafe) var frame: DataFrame = unavailable()
nonisolated(unsafe) var position: Int64 = 0
nonisolated(unsafe) var insert: Statement = unavailable()

nonisolated(unsafe) var path = ""
nonisolated(unsafe) var models: [any TableModel.Type] = []
nonisolated(unsafe) var encoder = JSONEncoder()
nonisolated(unsafe) var totals: Query<Total> = unavailable()
nonisolated(unsafe) var cursor: PageCursor<Post>? = nil

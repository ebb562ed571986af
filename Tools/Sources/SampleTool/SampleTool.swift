import Apus
import ApusToolSupport

struct Author: Model {
  @PrimaryKey var id = Unique64()
  @Column var name: String
}

struct Post: Model {
  @PrimaryKey var id = Unique64()
  @Column var title: String
  @Column var author: Author.ID?

  static var schema: Schema<Post> { ForeignKey(\.$author, references: \Author.$id) }
}

@main struct BlogTool: ModelTool {
  static let models: [any TableModel.Type] = [Author.self, Post.self]
}

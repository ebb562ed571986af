import Apus
import Foundation

// The models of a blog.

enum Status: String, ColumnValue { case draft, published, archived }

struct Author: Model {
  @PrimaryKey var id = Unique64()
  @Column var name: String
}

struct Post: Model, Equatable {
  @PrimaryKey var id = Unique64()
  @Column var authorID: Author.ID
  @Column var title: String
  @Column var url: URL?
  @Column var status: Status = .draft
  @Column var views = 0
  @Column var tags: JSON<[String]> = []
  @Column var createdAt = Date()

  static var schema: Schema<Post> {
    ForeignKey(\.$authorID, references: \Author.$id, onDelete: .cascade)
    Index(\.$status, \.$createdAt)
    Unique(\.$url)
  }
}

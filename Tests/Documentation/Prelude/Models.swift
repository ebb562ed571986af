import Apus
import Foundation

// The tables that the examples of the documentation use without declaring them. A page that declares
// a type of the same name uses its own.

enum Status: String, ColumnValue, Codable { case draft, published, archived }

struct Author: Model, Codable, Equatable {
  @PrimaryKey var id = Unique64()
  @Column var name: String
  @Column var email: String? = nil
  @Column var views = 0
}

struct Address: ColumnGroup, Equatable {
  @Column var street: String
  @Column var city: String
}

struct Person: Model {
  @PrimaryKey var id = Unique64()
  @Column var name: String
  @Embedded var home: Address
  @Embedded var work: Address?
}

struct Place: Codable, Equatable, Sendable {
  struct Address: Codable, Equatable, Sendable { var city = "Bonn" }
  var address = Address()
  var seats = [1, 2]
}

struct Post: Model, Codable, Equatable {
  @PrimaryKey var id = Unique64()
  @Column var authorID: Author.ID
  @Column var editorID: Author.ID? = nil
  @Column var parentID: Unique64? = nil
  @Column var title: String
  @Column var body = ""
  @Column var byline = ""
  @Column var slug = ""
  @Column var url: URL? = nil
  @Column var status: Status = .draft
  @Column var views = 0
  @Column var likes = 0
  @Column var changes = 0
  @Column var edits = 0
  @Column var minutes = 0
  @Column var price = 0
  @Column var count = 0
  @Column var total = 0
  @Column var orderID = 0
  @Column var line = 0
  @Column var name = ""
  @Column var rating: Int? = nil
  @Column var isPinned = false
  @Column var isUnread = true
  @Column var isLocked = false
  @Column var tags: JSON<[String]> = []
  @Column var place: JSON<Place> = JSON(Place())
  @Column var address: JSON<Place.Address> = JSON(Place.Address())
  @Column var start = Date()
  @Column var end = Date()
  @Column var createdAt = Date()
  @Column var readAt: Date? = nil

  static var schema: Schema<Post> {
    ForeignKey(\.$authorID, references: \Author.$id, onDelete: .cascade)
    Index(\.$status, \.$createdAt)
    Unique(\.$url)
    FullText(\.$title, \.$body)
  }
}

struct Archived: Model {
  @PrimaryKey var id: Post.ID
  @Column var title: String
}

struct Comment: Model {
  @PrimaryKey var id = Unique64()
  @Column var postID: Post.ID? = nil
  @Column var text = ""
}

struct Tag: Model {
  @PrimaryKey var id = Unique64()
  @Column var name: String
}

struct PostTag: TableModel {
  @Column var postID: Post.ID
  @Column var tagID: Tag.ID

  static var schema: Schema<PostTag> {
    ForeignKey(\.$postID, references: \Post.$id)
    ForeignKey(\.$tagID, references: \Tag.$id)
  }
}

struct Track: Model {
  @PrimaryKey var id = Unique64()
  @Column var genre: String? = nil
  @Column var plays = 0
  @Column var price = 0.0
  @Column var isLive = false
}

struct Player: Model {
  @PrimaryKey var id: Int64
  @Column var name = ""
  @Column var points = 0
}

struct Category: Model {
  @PrimaryKey var id: Int
  @Column var parentID: Int? = nil
  @Column var name = ""
}

struct Folder: Model {
  @PrimaryKey var id: Int
  @Column var parentID: Int? = nil
  @Column var name = ""
}

struct Visit: Model {
  @PrimaryKey var id = Unique64()
  @Column var url: URL
  @Column var count = 1
}

struct User: Model {
  @PrimaryKey var id = Unique64()
  @Column var name: String
  @Column var email: String
}

struct TodoList: Model {
  @PrimaryKey var id = Unique64()
  @Column var title: String
}

struct Todo: Model {
  @PrimaryKey var id = Unique64()
  @Column var title: String
  @Column var listID: TodoList.ID
}

struct Tour: Model {
  @PrimaryKey var id = Unique64()
  @Column var place: JSON<Place>
}

struct Item: Model {
  struct ID: Hashable, Sendable { var region: String; var number: Int }
  @PrimaryKey var region: String
  @PrimaryKey var number: Int
  @Column var price = 0
  @Column var count = 0
  @Column var total = 0
  var id: ID { ID(region: region, number: number) }
}

struct Setting: Model {
  @PrimaryKey var id = Unique64()
  @Column var name: String
  @Column var value: String
}

struct Job: Model {
  enum State: String, ColumnValue { case waiting, taken }
  @PrimaryKey var id = Unique64()
  @Column var state: State = .waiting
}

struct Total: ResultRow {
  @Column var authorID: Author.ID
  @Column var name: String
  @Column var views: Int
}

struct AuthorName: SQLView {
  @PrimaryKey var id: Author.ID
  @Column var name: String
  static var definition: some Fetchable { Author.select(\.$id, \.$name) }
}

struct Edit: Model {
  @PrimaryKey var id = Unique64()
  @Column var postID: Post.ID
  @Column var title: String
}

struct Line: Model {
  struct ID: Hashable, Sendable { var orderID: Int; var number: Int }
  @PrimaryKey var orderID: Int
  @PrimaryKey var number: Int
  var id: ID { ID(orderID: orderID, number: number) }
}

struct Message: Model {
  @PrimaryKey var id = Unique64()
  @Column var sentAt = Date()
  @Column var readAt: Date? = nil
}

struct Profile: Codable { var id: Int64; var name: String }

struct Level: ResultRow {
  @Column var id: Int
  @Column var depth: Int
}

struct Number: ResultRow {
  @Column var n: Int
}

struct Score: ResultRow {
  @Column var player: Player.ID
  @Column var points: Int
}

extension JSONPath where Root == Place, Value == String {
  static var city: JSONPath { JSONPath("address", "city") }
}

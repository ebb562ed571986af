/// The declarations of a client program before its queries.
enum ClientModels: String {
  /// A column of each kind.
  case item = """
    import Apus
    import Foundation

    enum Status: String, ColumnValue { case draft, published, archived }

    struct Item: Model {
      @PrimaryKey var id = Unique64()
      @Column var int: Int
      @Column var string: String
      @Column var double: Double
      @Column var bool: Bool
      @Column var date: Date
      @Column var optionalInt: Int?
      @Column var optionalString: String?
      @Column var status: Status
      @Column var decimal: Decimal
      @Column var json: JSON<[String]>
      @Column var url: URL
      @Column var long: Int64
      @Column var short: Int32
      @Column var optionalDouble: Double?
    }

    struct Other: Model {
      @PrimaryKey var id = Unique64()
      @Column var title: String
    }
    """

  /// The models of the README, with its schema.
  case blog = """
    import Apus
    import Foundation

    enum Status: String, ColumnValue { case draft, published, archived }

    struct Author: Model {
      @PrimaryKey var id = Unique64()
      @Column var name: String
      @Column var editorID: Author.ID?
    }

    struct Post: Model {
      @PrimaryKey var id = Unique64()
      @Column var authorID: Author.ID
      @Column var title: String
      @Column var url: URL?
      @Column var status: Status = .draft
      @Column var views = 0
      @Column var tags: JSON<[String]> = []
      @Column var createdAt = Date()

      static var schema: Schema<Post> {
        ForeignKey(\\.$authorID, references: \\Author.$id, onDelete: .cascade)
        Index(\\.$status, \\.$createdAt)
        Unique(\\.$url)
        Default(\\.$status, .draft)
      }
    }
    """
}

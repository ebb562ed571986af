import Apus
import Foundation

extension OfferedModels {
  // MARK: Indexes, checks, collations

  struct UniqueUrl: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var url: String
    static var schema: Schema<UniqueUrl> {
      Unique(\.$url)
    }
  }

  struct UniqueWords: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var `default`: String
    static var schema: Schema<UniqueWords> {
      Unique { $0.$default.collated(.noCase) }
    }
  }

  struct Indexed: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var size: Int?
    static var schema: Schema<Indexed> {
      Index(\.$size)
    }
  }

  struct IndexedPart: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var size: Int?
    static var schema: Schema<IndexedPart> {
      Index(\.$size) { $0.$size != nil }
    }
  }

  struct CollatedCode: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var code: String
    static var schema: Schema<CollatedCode> {
      Collated(\.$code, .noCase)
    }
  }

  struct CollatedKey: Model {
    static let tableName = "Note"
    @PrimaryKey var code: String
    var id: String { code }
    static var schema: Schema<CollatedKey> {
      Collated(\.$code, .noCase)
    }
  }

  struct SizeText: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var size: Double
  }

  struct Checked: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var size: Int
    static var schema: Schema<Checked> {
      Check { $0.$size > 5 }
    }
  }

  struct Calculated: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var size: Int
    @Column var twice: Int
    static var schema: Schema<Calculated> {
      Named(\.$twice, "the \"double\" x")
      Generated(\.$twice) { $0.$size * 2 }
    }
  }

  // MARK: What goes

  struct Dropping: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    static var schema: Schema<Dropping> {
      Dropped("old")
    }
  }

  struct ParentDropping: Model {
    static let tableName = "Parent"
    @PrimaryKey var id: Int
    static var schema: Schema<ParentDropping> {
      Dropped("old")
      Dropped(unique: "old")
    }
  }

  struct Child: Model {
    @PrimaryKey var id: Int
    @Column var old: String?
  }

  struct Ending: Model {
    static let tableName = "Child"
    @PrimaryKey var id: Int
    static var schema: Schema<Ending> {
      Dropped(table: "Old")
    }
  }

  struct Gone: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    static var schema: Schema<Gone> {
      Dropped(table: "Note")
    }
  }

  struct Sizes: Model, SQLView {
    static let tableName = "Sizes"
    @PrimaryKey var id: Int
    static var definition: some Fetchable { Bare.all.select(\.$id) }
  }

  // MARK: FTS5 tables

  struct Searched: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int64
    @Column var title: String
    @Column var `class`: String?
    static var schema: Schema<Searched> {
      ExistingFullText()
      Named(\.$id, "rowid")
    }
  }

  // MARK: Conversions

  struct NoteDone: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var done: Bool
  }

  struct Flagged: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var done: Date
    static var schema: Schema<Flagged> {
      Converted(\.$done, from: Bool.self) { Date(timeIntervalSince1970: $0 ? 1 : 0) }
    }
  }

  struct Numbered: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var done: Date
    static var schema: Schema<Numbered> {
      Converted(\.$done, from: Int.self) { Date(timeIntervalSince1970: Double($0)) }
    }
  }

  // MARK: A newer program

  struct FirstPost: Model {
    static let tableName = "Post"
    @PrimaryKey var id: Int
    @Column var views: Int
  }

  struct SecondPost: Model {
    static let tableName = "Post"
    @PrimaryKey var id: Int
    @Column var views: String
  }

  struct WideFirst: Model {
    static let tableName = "Post"
    @PrimaryKey var id: Int
    @Column var url: String
  }

  struct WideSecond: Model {
    static let tableName = "Post"
    @PrimaryKey var id: Int
    @Column var url: String
    static var schema: Schema<WideSecond> {
      Unique(\.$url)
    }
  }

  // MARK: Facets

  struct Profile: Model {
    static let tableName = "profiles"
    @PrimaryKey var id: Int
    @Column var name: String
    @Column var mail: String?
  }

  struct ProfileByName: Model {
    static let tableName = "profiles"
    @PrimaryKey var name: String
    var id: String { name }
  }

  struct ProfileMoody: Model {
    static let tableName = "profiles"
    @PrimaryKey var id: Int
    @Column var mood: Outer.Mood
  }

  struct ProfileNumbered: Model {
    static let tableName = "profiles"
    @PrimaryKey var id: Int
    @Column var name: Int
  }

  struct ProfileMailed: Model {
    static let tableName = "profiles"
    @PrimaryKey var id: Int
    @Column var mail: String
  }
}

import Apus
import Foundation

/// The models of `OfferedLineSample`, which meet the tables of other programs.
///
/// `OfferedProgram` finds the text of each in its file: a declaration in a line, indented by four.
enum OfferedModels {
  // MARK: A column of each type

  struct NoteDate: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var d: Date
  }

  struct NoteOptionalDate: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var d: Date?
  }

  struct NoteSpelledDate: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var d: Date
    static var schema: Schema<NoteSpelledDate> {
      Stored(\.$d, as: .iso8601)
    }
  }

  struct NoteUUID: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var d: UUID
  }

  struct NoteOptionalUUID: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var d: UUID?
  }

  struct NoteInt: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var d: Int
  }

  struct NoteOptionalInt: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var d: Int?
  }

  struct NoteSmallInt: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var d: UInt8
  }

  struct NoteDouble: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var d: Double
  }

  struct NoteFloat: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var d: Float?
  }

  struct NoteBool: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var d: Bool?
  }

  struct NoteString: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var d: String
  }

  struct NoteOptionalString: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var d: String?
  }

  struct NoteBytes: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var d: [UInt8]
  }

  struct NoteTemper: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var d: Temper
  }

  struct NoteInner: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var d: Box<Int>.Mood
  }

  struct NoteGrade: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var d: Outer.Grade
  }

  struct NoteTags: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var d: JSON<[String: [Int]]>
  }

  struct NoteWord: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var `class`: Int
  }

  struct NoteWords: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var `its weight`: Int
  }

  struct NoteNamed: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var weight: Int
    static var schema: Schema<NoteNamed> {
      Named(\.$weight, "say \"\\weight\" x")
    }
  }

  // MARK: Columns that no property declares

  struct Bare: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var d: Int?
  }

  struct BareKeyless: Model {
    static let tableName = "Note"
    @PrimaryKey var code: String
    var id: String { code }
  }

  struct Snake: Model {
    static let tableName = "Note"
    static let columnNaming = ColumnNaming.snakeCase
    @PrimaryKey var id: Int
  }

  // MARK: New columns

  struct Filled: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var minutes = 60
    @Column var done: Bool
    @Column var title: String
    @Column var data: Data
    @Column var bytes: [UInt8]
    @Column var ratio: Float
    @Column var seen: Date
    @Column var mood: Box<Int>.Mood
    @Column var tags: JSON<[String: [Int]]>
  }

  struct Parent: Model {
    @PrimaryKey var id: Int
  }

  struct Referring: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var parentID: Int
    static var schema: Schema<Referring> {
      ForeignKey(\.$parentID, references: \Parent.$id)
    }
  }

  struct ReferringByDefault: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    @Column var parentID: Int?
    static var schema: Schema<ReferringByDefault> {
      ForeignKey(\.$parentID, references: \Parent.$id)
      Default(\.$parentID, 7)
    }
  }

  // MARK: Keys

  struct ByCode: Model {
    static let tableName = "Note"
    @PrimaryKey var code: String
    var id: String { code }
    @Column var number: Int?
  }

  struct ByTemper: Model {
    static let tableName = "Note"
    @PrimaryKey var temper: Temper
    var id: Temper { temper }
  }

  struct ByNumber: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
  }

  struct WithoutRow: Model {
    static let tableName = "Note"
    @PrimaryKey var id: Int
    static var schema: Schema<WithoutRow> {
      WithoutRowID()
    }
  }
}

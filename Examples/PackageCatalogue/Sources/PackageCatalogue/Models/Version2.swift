import Apus
import Foundation

/// The models of the program's next version, in which a package has one more column.
///
/// A type's table has its name without the types around it: `Version2.Package` is stored in the
/// table "Package", too.
enum Version2 {
  /// What became of looking at a package.
  enum Review: String, ColumnValue {
    case pending, passed, failed
  }

  /// A package that somebody reviews.
  struct Package: Model {
    @PrimaryKey var id = Unique64()
    @Column var sectionID: Section.ID
    @Column var name: String
    @Column var version: String
    @Column var architecture: String
    @Column var priority: Priority
    @Column var sizeInKiB: Int?
    @Column var summary: String
    @Column var maintainer: String
    @Column var homepage: URL?
    @Column var isEssential: Bool
    @Column var isInstalled: Bool
    @Column var review: Review = .pending

    static var schema: Schema<Package> {
      ForeignKey(\.$sectionID, references: \Section.$id)
      Unique(\.$name, \.$version, \.$architecture)
      Index(\.$sectionID)
      Default(\.$review, .pending)
      Index(\.$review)
    }
  }
}

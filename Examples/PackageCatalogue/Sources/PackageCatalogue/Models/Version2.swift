import Apus
import Foundation

/// The models of the program's next version, in which a package has one more column.
///
/// The name of a table does not include the type in which the model is declared. So
/// `Version2.Package` is stored in the same table "Package".
enum Version2 {
  /// The state of a package's review.
  enum Review: String, ColumnValue {
    case pending, passed, failed
  }

  /// A package with its review.
  struct Package: Model {
    @PrimaryKey var id = Unique64()
    @Column var sectionID: Section.ID
    @Column var name: String
    @Column var version: String
    @Column var architecture: String
    @Column var priority: Priority
    @Column var sizeInKiB: Int?
    @Column var summary: String
    @Column var description: String
    @Column var maintainer: String
    @Column var homepage: URL?
    @Column var isEssential: Bool
    @Column var isInstalled: Bool
    @Column var review: Review = .pending

    static var schema: Schema<Package> {
      ForeignKey(\.$sectionID, references: \Section.$id)
      Unique(\.$name, \.$version, \.$architecture)
      Index(\.$sectionID)
      FullText {
        $0.$name.weighted(10)
        $0.$summary.weighted(4)
        $0.$description
      }
      Default(\.$review, .pending)
      Index(\.$review)
    }
  }
}

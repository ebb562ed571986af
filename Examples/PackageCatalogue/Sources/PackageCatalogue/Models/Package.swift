import Apus
import DebianControl
import Foundation

/// The importance of a package for a system.
enum Priority: String, ColumnValue {
  case required, important, standard, optional, extra, unknown
}

/// One version of a package, built for one architecture.
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

  static var schema: Schema<Package> {
    ForeignKey(\.$sectionID, references: \Section.$id)
    Unique(\.$name, \.$version, \.$architecture)
    Index(\.$sectionID)
    FullText {
      $0.$name.weighted(10)
      $0.$summary.weighted(4)
      $0.$description
    }
  }
}

extension Package {
  /// Creates the package that a stanza describes.
  init(_ stanza: PackageStanza, sectionID: Section.ID) {
    self.init(
      sectionID: sectionID,
      name: stanza.name,
      version: stanza.version,
      architecture: stanza.architecture,
      priority: Priority(rawValue: stanza.priority) ?? .unknown,
      sizeInKiB: stanza.installedSize,
      summary: stanza.summary,
      description: stanza.description,
      maintainer: stanza.maintainer,
      homepage: stanza.homepage.flatMap { URL(string: $0) },
      isEssential: stanza.isEssential,
      isInstalled: stanza.isInstalled)
  }
}

import Apus
import DebianControl

/// A dependency of a package on another package. The other package is given by its name, and need
/// not be in the catalogue.
///
/// `Depends: a, b (>= 1) | c` contains three dependencies. In each group, at least one alternative
/// must be satisfied. Here, `a` is the only alternative of group 0, and `b` and `c` are the
/// alternatives 0 and 1 of group 1.
struct Dependency: Model {
  @PrimaryKey var id = Unique64()
  @Column var packageID: Package.ID
  @Column var kind: Relation.Kind
  @Column var group: Int
  @Column var alternative: Int
  @Column var name: String
  @Column var constraint: String?

  static var schema: Schema<Dependency> {
    ForeignKey(\.$packageID, references: \Package.$id, onDelete: .cascade)
    Index(\.$packageID)
    Index(\.$name)
  }
}

// An enumeration whose raw values are texts can be the type of a column without further code, even
// if another module declares it.
extension Relation.Kind: ColumnValue {}

extension Dependency {
  /// Creates the dependency that a stanza's relation describes.
  init(_ relation: Relation, of package: Package) {
    self.init(
      packageID: package.id,
      kind: relation.kind,
      group: relation.group,
      alternative: relation.alternative,
      name: relation.name,
      constraint: relation.constraint?.description)
  }
}

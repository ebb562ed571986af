import Apus
import DebianControl

/// A dependency of a package on another one, by its name, which need not be in the catalogue.
///
/// `Depends: a, b (>= 1) | c` is three dependencies. Every group must be satisfied, by at least one
/// of its alternatives: `a` is the only one of group 0; `b` and `c` are alternatives 0 and 1 of
/// group 1.
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

// An enumeration over text needs no further code to be a column, even one of another module.
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

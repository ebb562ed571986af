import Apus
import DebianControl

/// One thing that a package asks for: a package by its name, which need not be in the catalogue.
///
/// `Depends: a, b (>= 1) | c` is three of them. All groups must be there, and of each group one
/// alternative: `a` is alone in group 0, `b` and `c` are the alternatives 0 and 1 of group 1.
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

// An enumeration over text is a column without further code, also one of another module.
extension Relation.Kind: ColumnValue {}

extension Dependency {
  /// What a stanza says that a package asks for.
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

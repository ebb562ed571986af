/// A relation to a package that another package needs or recommends. It is one of the alternatives
/// in a group of the field `Depends`, `Pre-Depends` or `Recommends`.
///
/// `Depends: a, b (>= 1) | c` has two groups. In each group, at least one alternative must be
/// satisfied. Here, `a` is alternative 0 of group 0, and `b` and `c` are the alternatives 0 and 1
/// of group 1.
public struct Relation: Hashable, Sendable {
  /// The field of a relation.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// `Depends`: needed to work.
    case depends
    /// `Pre-Depends`: needed even to be installed.
    case preDepends
    /// `Recommends`: absent only in unusual installations.
    case recommends
  }

  /// An operator that compares the version of a package with the version of a constraint.
  public enum Comparison: String, Hashable, Sendable, CaseIterable {
    /// `<<`
    case earlier = "<<"
    /// `<=`
    case earlierOrEqual = "<="
    /// `=`
    case equal = "="
    /// `>=`
    case laterOrEqual = ">="
    /// `>>`
    case later = ">>"
  }

  /// A constraint on a package's version, such as `>= 1.2`.
  public struct Constraint: Hashable, Sendable, CustomStringConvertible {
    /// The comparison that must hold between the package's version and `version`.
    public let comparison: Comparison

    /// The version with which the version of the package is compared.
    public let version: String

    /// The constraint as control files write it, without parentheses: `>= 1.2`.
    public var description: String { "\(comparison.rawValue) \(version)" }
  }

  /// The field that contains the relation.
  public let kind: Kind

  /// The position of its group in its field, from 0.
  public let group: Int

  /// Its position in its group, from 0.
  public let alternative: Int

  /// The name of the package.
  public let name: String

  /// The architecture, such as `any` in `python3:any`; nil if none is given.
  public let architectureQualifier: String?

  /// The constraint on the version; nil if every version satisfies the relation.
  public let constraint: Constraint?
}

extension Relation.Kind {
  /// The name of the field.
  public var fieldName: String {
    switch self {
    case .depends: "Depends"
    case .preDepends: "Pre-Depends"
    case .recommends: "Recommends"
    }
  }
}

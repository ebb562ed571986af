/// A package that another one needs or recommends: one alternative of one group of `Depends`,
/// `Pre-Depends` or `Recommends`.
///
/// `Depends: a, b (>= 1) | c` has two groups. Every group of a field must be satisfied, by at least
/// one of its alternatives: `a` is alternative 0 of group 0; `b` and `c` are alternatives 0 and 1
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

  /// The comparison of a package's version with that of a constraint.
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

    /// The version that the package's is compared with.
    public let version: String

    /// The constraint as control files write it, without parentheses: `>= 1.2`.
    public var description: String { "\(comparison.rawValue) \(version)" }
  }

  /// The field that contains it.
  public let kind: Kind

  /// The position of its group in its field, from 0.
  public let group: Int

  /// Its position in its group, from 0.
  public let alternative: Int

  /// The name of the package.
  public let name: String

  /// The architecture, such as `any` in `python3:any`; nil if none is given.
  public let architectureQualifier: String?

  /// The constraint on the version; nil if every version will do.
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

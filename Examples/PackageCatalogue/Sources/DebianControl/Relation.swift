/// One package that another asks for: one alternative of one group of `Depends`, `Pre-Depends` or
/// `Recommends`.
///
/// `Depends: a, b (>= 1) | c` has two groups; all groups of a field must be satisfied, and of a
/// group one alternative: `a` is alternative 0 of group 0, `b` and `c` are alternatives 0 and 1 of
/// group 1.
public struct Relation: Hashable, Sendable {
  /// The field that it stands in.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// `Depends`: needed to work.
    case depends
    /// `Pre-Depends`: needed to be installed at all.
    case preDepends
    /// `Recommends`: missing in unusual installations only.
    case recommends
  }

  /// How a version must compare with a constraint's.
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

  /// What is asked of a package's version, such as `>= 1.2`.
  public struct Constraint: Hashable, Sendable, CustomStringConvertible {
    /// How the package's version must compare with `version`.
    public let comparison: Comparison

    /// The version that the package's is compared with.
    public let version: String

    /// The constraint as control files write it, without parentheses: `>= 1.2`.
    public var description: String { "\(comparison.rawValue) \(version)" }
  }

  /// The field that it stands in.
  public let kind: Kind

  /// The position of its group in its field, from 0.
  public let group: Int

  /// Its position in its group, from 0.
  public let alternative: Int

  /// The name of the package that is asked for.
  public let name: String

  /// The architecture that is asked for: `any` in `python3:any`, nil where none is.
  public let architectureQualifier: String?

  /// The versions that will do, nil where all will.
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

import CSQLite

/// What a function promises, and where it may be called.
///
/// Without `.innocuous` a function is refused in views, triggers, CHECK constraints, indexes and
/// generated columns: a file that somebody else made cannot call it behind your back.
/// - SeeAlso: <https://www.sqlite.org/c3ref/c_deterministic.html>
public struct FunctionFlags: OptionSet, Sendable {
  /// The bits, which are SQLite's own.
  public let rawValue: Int32

  /// Flags from SQLite's bits.
  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// Equal arguments give equal results: SQLite may call it less often, and indexes may use it.
  public static let deterministic = FunctionFlags(rawValue: SQLITE_DETERMINISTIC)
  /// It is refused in views, triggers and the schema; so is every function that is not
  /// `.innocuous`.
  public static let directOnly = FunctionFlags(rawValue: SQLITE_DIRECTONLY)
  /// It does no harm and tells nothing, whoever calls it: views, triggers and the schema may.
  public static let innocuous = FunctionFlags(rawValue: SQLITE_INNOCUOUS)
  /// It sets or reads the subtype of values, as the JSON functions do.
  public static let subtype = FunctionFlags(rawValue: SQLITE_SUBTYPE)

  /// The flags as SQLite is told them.
  var textRepresentation: Int32 {
    let bits = contains(.innocuous) ? rawValue : union(.directOnly).rawValue
    return SQLITE_UTF8 | bits
  }
}

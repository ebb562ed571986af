import CSQLite

/// The properties that a function guarantees, and the places from which it may be called.
///
/// Without `.innocuous`, a function cannot be called from views, triggers, CHECK constraints,
/// indexes or generated columns. This prevents a database file from an untrusted source from
/// calling it unnoticed.
/// - SeeAlso: <https://www.sqlite.org/c3ref/c_deterministic.html>
public struct FunctionFlags: OptionSet, Sendable {
  /// The bits, as SQLite defines them.
  public let rawValue: Int32

  /// Makes flags from SQLite's bits.
  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// Equal arguments always give equal results, so SQLite may call it less often, and indexes may
  /// use it.
  public static let deterministic = FunctionFlags(rawValue: SQLITE_DETERMINISTIC)
  /// It cannot be called from views, triggers or the schema. This holds for every function that is
  /// not `.innocuous`.
  public static let directOnly = FunctionFlags(rawValue: SQLITE_DIRECTONLY)
  /// It has no side effects and discloses nothing, so that views, triggers and the schema may call
  /// it.
  public static let innocuous = FunctionFlags(rawValue: SQLITE_INNOCUOUS)
  /// It sets or reads the subtype of values, as the JSON functions do.
  public static let subtype = FunctionFlags(rawValue: SQLITE_SUBTYPE)

  /// The flags in the form that SQLite takes, including the text encoding.
  var textRepresentation: Int32 {
    let bits = contains(.innocuous) ? rawValue : union(.directOnly).rawValue
    return SQLITE_UTF8 | bits
  }
}

import CSQLite

/// A counter that SQLite keeps for each statement.
///
/// - SeeAlso: <https://www.sqlite.org/c3ref/c_stmtstatus_counter.html>
public struct StatementCounter: RawRepresentable, Hashable, Sendable {
  /// SQLite's number.
  public let rawValue: Int32

  /// Makes a counter from SQLite's number.
  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// Steps forward in full table scans; a high count suggests that an index is missing.
  public static let fullScanSteps = StatementCounter(rawValue: SQLITE_STMTSTATUS_FULLSCAN_STEP)
  /// Sort operations.
  public static let sorts = StatementCounter(rawValue: SQLITE_STMTSTATUS_SORT)
  /// Rows inserted into automatic indexes, which SQLite builds for a single run.
  public static let automaticIndexRows = StatementCounter(rawValue: SQLITE_STMTSTATUS_AUTOINDEX)
  /// Steps of SQLite's virtual machine.
  public static let machineSteps = StatementCounter(rawValue: SQLITE_STMTSTATUS_VM_STEP)
  /// The number of times the statement was recompiled, for example after a schema change.
  public static let recompilations = StatementCounter(rawValue: SQLITE_STMTSTATUS_REPREPARE)
  /// The number of times the statement was run.
  public static let runs = StatementCounter(rawValue: SQLITE_STMTSTATUS_RUN)
  /// Join steps that a Bloom filter saved.
  public static let filterHits = StatementCounter(rawValue: SQLITE_STMTSTATUS_FILTER_HIT)
  /// Join steps that a Bloom filter did not save.
  public static let filterMisses = StatementCounter(rawValue: SQLITE_STMTSTATUS_FILTER_MISS)
  /// The memory that the statement takes at present, in bytes.
  public static let memory = StatementCounter(rawValue: SQLITE_STMTSTATUS_MEMUSED)
}

import SQLCore

/// Somebody who watches tables, and how to reach them.
struct Subscription: Sendable {
  /// What of a table is watched.
  struct Interest: Sendable {
    /// The columns, folded; nil for all.
    var columns: Set<String>?
  }

  /// The tables, folded.
  let tables: [String: Interest]
  /// Called after a commit with the changes of the watched tables, on the writer's thread: it must
  /// only pass them on.
  let deliver: @Sendable (CommittedChanges) -> Void
}

/// What a transaction changed in the watched tables.
struct CommittedChanges: Sendable {
  struct Table: Sendable {
    let keyNames: [String]
    /// The names of the recorded values, in their order.
    let columns: [String]
    let rows: [NetChange]
  }

  /// The tables that changed, folded.
  var tables: [String: Table] = [:]
  /// Something happened that was not recorded row by row: the schema changed, or a transaction ran
  /// when tracking began.
  var isUnknown = false
}

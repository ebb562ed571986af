import CSQLite

/// A change of a changeset that does not fit the database to which it is applied, for example
/// because the row to delete does not exist.
///
/// - SeeAlso: <https://www.sqlite.org/session/c_changeset_conflict.html>
public struct ChangesetConflict: Sendable {
  /// The kinds of conflict.
  public enum Reason: Hashable, Sendable {
    /// The row to update or delete exists, but its values differ from the old values in the change.
    case differs
    /// The row to update or delete does not exist.
    case notFound
    /// The row to insert has the same key as an existing row.
    case exists
    /// Another constraint would be violated.
    case constraint
    /// After all changes were applied, some rows violate foreign keys. The associated value is the
    /// number that SQLite reports, which is 1 for any number of violations.
    case foreignKeys(Int)
  }

  /// The ways to resolve a conflict.
  public enum Resolution: Sendable {
    /// Skips the change. For `.foreignKeys`, keeps all changes, although they violate foreign keys.
    case omit
    /// Applies the change, and thereby overwrites the existing row. Only possible for `.differs`
    /// and `.exists`.
    case replace
    /// Undoes all changes of the changeset. `apply` then throws a `DatabaseError` with the code
    /// `.abort`.
    case abort
  }

  /// The kind of the conflict.
  public let reason: Reason
  /// The change; nil for `.foreignKeys`.
  public let change: Changeset.Change?
  /// The values of the conflicting row in the database; empty unless the reason is `.differs` or
  /// `.exists`.
  public let existing: [DatabaseValue?]

  init(_ reason: Reason, _ iterator: OpaquePointer) {
    self.reason = reason
    if case .foreignKeys = reason {
      (change, existing) = (nil, [])
      return
    }
    let change = Changeset.Change(iterator)
    self.change = change
    guard reason == .differs || reason == .exists else {
      existing = []
      return
    }
    existing = (0..<(change?.isKey.count ?? 0)).map { index in
      var value: OpaquePointer?
      guard sqlite3changeset_conflict(iterator, Int32(index), &value) == SQLITE_OK, let value
      else { return DatabaseValue?.none }
      return DatabaseValue(copying: value)
    }
  }
}

/// The context of one call of `apply`. SQLite passes this object to the callbacks.
private final class ChangesetApplication {
  let tables: Set<String>?
  let resolve: (ChangesetConflict) throws -> ChangesetConflict.Resolution
  let core: ConnectionCore
  var failure: (any Error)?

  init(
    core: ConnectionCore, tables: [String]?,
    resolve: @escaping (ChangesetConflict) throws -> ChangesetConflict.Resolution
  ) {
    self.core = core
    self.tables = tables.map { Set($0.map(\.lowercasedASCII)) }
    self.resolve = resolve
  }

  static func at(_ context: UnsafeMutableRawPointer?) -> ChangesetApplication? {
    context.map { Unmanaged<ChangesetApplication>.fromOpaque($0).takeUnretainedValue() }
  }

  func answer(_ code: Int32, _ iterator: OpaquePointer) -> Int32 {
    let reason: ChangesetConflict.Reason
    switch code {
    case SQLITE_CHANGESET_DATA: reason = .differs
    case SQLITE_CHANGESET_NOTFOUND: reason = .notFound
    case SQLITE_CHANGESET_CONFLICT: reason = .exists
    case SQLITE_CHANGESET_FOREIGN_KEY:
      var count: Int32 = 0
      sqlite3changeset_fk_conflicts(iterator, &count)
      reason = .foreignKeys(Int(count))
    default: reason = .constraint
    }
    core.state.pointee.hooks.willCallOut()
    defer { core.state.pointee.hooks.didCallOut() }
    do {
      switch try resolve(ChangesetConflict(reason, iterator)) {
      case .omit: return SQLITE_CHANGESET_OMIT
      case .abort: return SQLITE_CHANGESET_ABORT
      case .replace:
        guard reason == .differs || reason == .exists else {
          throw DatabaseError.misuse("only `.differs` and `.exists` can be resolved by `.replace`")
        }
        return SQLITE_CHANGESET_REPLACE
      }
    } catch {
      failure = error
      return SQLITE_CHANGESET_ABORT
    }
  }
}

extension Connection {
  /// Applies the changes that a session recorded. If this method throws, no change is applied.
  ///
  /// `onConflict` is called for each change that conflicts with the database. While the closure
  /// runs, the connection can run nothing else. If the closure throws, this method rethrows its
  /// error. By default, the first conflict makes this method throw the error `.abort`. A table is
  /// skipped if it is not among `tables`, does not exist in this database, or has fewer columns or
  /// another primary key here.
  /// - SeeAlso: <https://www.sqlite.org/session/sqlite3changeset_apply.html>
  public func apply(
    _ changeset: Changeset, tables: [String]? = nil,
    onConflict: (ChangesetConflict) throws -> ChangesetConflict.Resolution = { _ in .abort }
  ) throws {
    let core = try use()
    try core.requireLocal("a changeset")
    try core.checkWriting()
    try withoutActuallyEscaping(onConflict) { onConflict in
      let application = ChangesetApplication(core: core, tables: tables, resolve: onConflict)
      try core.savepoint {
        try changeset.withPointer { count, pointer in
          let code = sqlite3changeset_apply(
            core.handle, count, pointer, appliesTable, resolveConflict,
            Unmanaged.passUnretained(application).toOpaque())
          if let failure = application.failure { throw failure }
          // If foreign keys are violated after all changes, SQLite returns SQLITE_CONSTRAINT.
          if code == SQLITE_ABORT || code & 0xFF == SQLITE_CONSTRAINT {
            throw DatabaseError(
              code: .abort,
              message: "a change conflicts with the database; no change was applied")
          }
          try core.check(code)
        }
      }
    }
  }
}

private func appliesTable(
  _ context: UnsafeMutableRawPointer?, _ table: UnsafePointer<CChar>?
) -> Int32 {
  guard let table, let application = ChangesetApplication.at(context) else { return 0 }
  guard let tables = application.tables else { return 1 }
  return tables.contains(String(cString: table).lowercasedASCII) ? 1 : 0
}

private func resolveConflict(
  _ context: UnsafeMutableRawPointer?, _ code: Int32, _ iterator: OpaquePointer?
) -> Int32 {
  guard let iterator, let application = ChangesetApplication.at(context) else {
    return SQLITE_CHANGESET_ABORT
  }
  return application.answer(code, iterator)
}

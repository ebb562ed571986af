import CSQLite

/// A change that does not fit the database to which it is applied.
///
/// - SeeAlso: <https://www.sqlite.org/session/c_changeset_conflict.html>
public struct ChangeConflict: Sendable {
  /// Why it does not fit.
  public enum Reason: Hashable, Sendable {
    /// The row is there with other values than the change expects.
    case differs
    /// The row that is updated or deleted is not there.
    case notFound
    /// A row with the key of the one that is inserted is there.
    case exists
    /// Another constraint would be violated.
    case constraint
    /// Foreign keys are violated after all changes; their number.
    case foreignKeys(Int)
  }

  /// What is done about it.
  public enum Resolution: Sendable {
    /// The change is left out.
    case omit
    /// The change wins over what is there; for `.differs` and `.exists` alone.
    case replace
    /// Nothing of the changeset is applied, and `.abort` is thrown.
    case abort
  }

  /// Why it does not fit.
  public let reason: Reason
  /// The change; nil for foreign keys.
  public let change: RowChangeRecord?
  /// The values of the row that is in the way; empty where there is none.
  public let existing: [DatabaseValue?]

  fileprivate init(_ reason: Reason, _ iterator: OpaquePointer) {
    self.reason = reason
    if case .foreignKeys = reason {
      (change, existing) = (nil, [])
      return
    }
    let change = RowChangeRecord(iterator)
    self.change = change
    guard reason == .differs || reason == .exists else {
      existing = []
      return
    }
    existing = (0..<(change?.isKey.count ?? 0)).map { index in
      var value: OpaquePointer?
      guard sqlite3changeset_conflict(iterator, Int32(index), &value) == SQLITE_OK, let value
      else { return DatabaseValue?.none }
      return DatabaseValue(repairing: value)
    }
  }
}

/// What SQLite calls back while it applies changes; on the stack of `apply`.
private final class ChangeApplication {
  let tables: Set<String>?
  let resolve: (ChangeConflict) throws -> ChangeConflict.Resolution
  let core: ConnectionCore
  var failure: (any Error)?

  init(
    core: ConnectionCore, tables: [String]?,
    resolve: @escaping (ChangeConflict) throws -> ChangeConflict.Resolution
  ) {
    self.core = core
    self.tables = tables.map { Set($0.map(\.lowercasedASCII)) }
    self.resolve = resolve
  }

  static func at(_ context: UnsafeMutableRawPointer?) -> ChangeApplication? {
    context.map { Unmanaged<ChangeApplication>.fromOpaque($0).takeUnretainedValue() }
  }

  func answer(_ code: Int32, _ iterator: OpaquePointer) -> Int32 {
    let reason: ChangeConflict.Reason
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
    core.state.pointee.hookDepth += 1
    defer { core.state.pointee.hookDepth -= 1 }
    do {
      switch try resolve(ChangeConflict(reason, iterator)) {
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
  /// Applies the changes that a session recorded: all, or with an error none.
  ///
  /// Where a change does not fit, `onConflict` is asked, while which the connection runs nothing
  /// else; what it throws is thrown here. By default the first conflict ends with `.abort`. A table
  /// that is not here, or not among `tables`, is passed over.
  /// - SeeAlso: <https://www.sqlite.org/session/sqlite3changeset_apply.html>
  public func apply(
    _ changeset: Changeset, tables: [String]? = nil,
    onConflict: (ChangeConflict) throws -> ChangeConflict.Resolution = { _ in .abort }
  ) throws {
    let core = try use()
    try core.checkWriting()
    try withoutActuallyEscaping(onConflict) { onConflict in
      let application = ChangeApplication(core: core, tables: tables, resolve: onConflict)
      try core.savepoint {
        try changeset.withPointer { count, pointer in
          let code = sqlite3changeset_apply(
            core.handle, count, pointer, appliesTable, resolveConflict,
            Unmanaged.passUnretained(application).toOpaque())
          if let failure = application.failure { throw failure }
          if code == SQLITE_ABORT {
            throw DatabaseError(code: .abort, message: "a change does not fit the database")
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
  guard let table, let application = ChangeApplication.at(context) else { return 0 }
  guard let tables = application.tables else { return 1 }
  return tables.contains(String(cString: table).lowercasedASCII) ? 1 : 0
}

private func resolveConflict(
  _ context: UnsafeMutableRawPointer?, _ code: Int32, _ iterator: OpaquePointer?
) -> Int32 {
  guard let iterator, let application = ChangeApplication.at(context) else {
    return SQLITE_CHANGESET_ABORT
  }
  return application.answer(code, iterator)
}

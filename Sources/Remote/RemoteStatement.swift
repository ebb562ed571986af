import CSQLite
import SQLCore

/// A compiled statement of a connection whose SQL runs elsewhere.
///
/// The program's statement is only compiled, against the connection's copy of the engine's schema.
/// In this way, its columns and parameters become known. A substitute runs in its place, on a
/// virtual table that sends the program's statement to the engine. The substitute is `SELECT c0 AS
/// "title" FROM apus_remote(17, ?1)` if the statement returns rows, and otherwise
/// `INSERT INTO apus_remote_run …`. So rows are decoded in the same way as the rows of a file.
final class RemoteStatement: RemoteTemplate {
  let number: Int64
  /// The statement, compiled against the copy of the schema.
  let template: OpaquePointer
  let text: RemoteSQL
  /// The columns that the statement returns.
  let columns: [RemoteText.Column]
  let isReadOnly: Bool
  /// Whether the statement also runs on the copy of the schema, because it changes the schema, or
  /// begins or ends a transaction or savepoint.
  let runsOnCopy: Bool
  let changesSchema: Bool
  let beginsTransaction: Bool
  let isCommit: Bool
  let isRollback: Bool
  /// The name of the savepoint that the statement opens; nil if it opens none.
  let openedSavepoint: String?
  /// The name of the savepoint that the statement releases; nil if it releases none.
  let releasedSavepoint: String?
  /// The version of the schema for which the statement was compiled.
  private let schema: UInt64
  private weak let link: RemoteLink?

  init(
    number: Int64, template: OpaquePointer, effects: StatementEffects, link: RemoteLink
  ) throws {
    self.number = number
    self.template = template
    self.link = link
    schema = link.copiedSchema
    let sql = sqlite3_sql(template).map { String(cString: $0) } ?? ""
    text = try RemoteSQL(sql, parameterCount: Int(sqlite3_bind_parameter_count(template)))
    columns = (0..<sqlite3_column_count(template)).map { index in
      RemoteText.Column(
        name: sqlite3_column_name(template, index).map { String(cString: $0) } ?? "",
        declaredType: sqlite3_column_decltype(template, index).map { String(cString: $0) })
    }
    isReadOnly = sqlite3_stmt_readonly(template) != 0
    let word = text.firstTokens.first
    // Outside of a transaction, SAVEPOINT begins one.
    beginsTransaction = word == "begin" || word == "savepoint"
    isCommit = word == "commit" || word == "end"
    isRollback = word == "rollback"
    let lastName = text.firstTokens.last { $0 != ";" }
    openedSavepoint = word == "savepoint" ? lastName : nil
    releasedSavepoint = word == "release" ? lastName : nil
    changesSchema = effects.contains(.changesSchema)
    let returnsNothing = columns.isEmpty
    // SAVEPOINT and RELEASE also run on the copy. SQLite counts them among the statements that only
    // read, and they return no rows. A PRAGMA without rows also runs on the copy, because it may
    // change a setting on which later changes of the copy's schema depend.
    runsOnCopy =
      changesSchema || effects.contains(.controlsTransaction)
      || returnsNothing && (isReadOnly || effects.contains(.changesConnection))
  }

  deinit {
    link?.forget(number)
  }

  var sql: String { text.sql }

  /// Whether this process has changed the schema since the statement was compiled. The statement
  /// may then return other columns.
  var isOutdated: Bool {
    guard let link else { return false }
    return schema != link.copiedSchema
      || !link.isInTransaction && schema != link.database.latestSchema
  }

  /// The statement that runs in place of the program's statement.
  var substitute: String {
    let parameters = (1...max(1, sqlite3_bind_parameter_count(template)))
      .prefix(Int(sqlite3_bind_parameter_count(template)))
      .map { index in
        sqlite3_bind_parameter_name(template, index).map { String(cString: $0) } ?? "?\(index)"
      }
    guard !columns.isEmpty else {
      let values = ["\(number)"] + parameters
      let names = ["statement"] + parameters.indices.map { "p\($0)" }
      return "INSERT INTO \(RemoteTable.runName) (\(names.joined(separator: ", "))) "
        + "VALUES (\(values.joined(separator: ", ")))"
    }
    let names = columns.enumerated().map { "c\($0) AS \(Identifier($1.name).quoted)" }
    let values = ["\(number)"] + RemoteArgumentGroup.grouped(parameters)
    return "SELECT \(names.joined(separator: ", ")) "
      + "FROM \(RemoteTable.rowsName)(\(values.joined(separator: ", ")))"
  }

  /// Whether a substitute runs in place of the program's statement.
  var hasSubstitute: Bool { !runsOnCopy }
}

/// The values that were bound to a statement, as the virtual table receives them.
struct RemoteArguments {
  private enum Argument {
    case value(DatabaseValue)
    case array(BoundArray)
  }

  private let arguments: [Argument]

  init(_ values: UnsafeMutablePointer<OpaquePointer?>?, from start: Int, to end: Int) throws {
    arguments = try (start..<max(start, end)).flatMap { index -> [Argument] in
      guard let value = values?[index] else { return [.value(.null)] }
      if let group = RemoteArgumentGroup.group(in: value) { return group.arguments.arguments }
      if let array = ArrayTable.array(in: value) { return [.array(array)] }
      guard let copy = DatabaseValue(copying: value) else { throw DatabaseError.outOfMemory }
      return [.value(copy)]
    }
  }

  /// Returns the values that are sent with the statement. An array is sent as two values: one BLOB
  /// with the bytes of all its BLOBs, and the array as JSON.
  func values(for text: RemoteSQL) throws -> [DatabaseValue] {
    try text.isArray.indices.flatMap { index -> [DatabaseValue] in
      guard index < arguments.count else { return [.null] }
      switch arguments[index] {
      case .array(let array): return try array.remoteValues()
      case .value(let value): return text.isArray[index] ? [.null, .null] : [value]
      }
    }
  }
}

/// Several bound values that are passed to the virtual table as one argument. The SQL function
/// `apus_remote_values(?1, ?2, …)` returns such a group.
///
/// A virtual table receives only its first 16 arguments. SQLite would compare each further argument
/// with a column of the rows, and would find no row, because the rows have no such column.
/// Therefore a statement with more parameters passes them in groups.
/// - SeeAlso: <https://www.sqlite.org/bindptr.html>
final class RemoteArgumentGroup {
  fileprivate let arguments: RemoteArguments

  private init(_ arguments: RemoteArguments) {
    self.arguments = arguments
  }

  static let functionName = "apus_remote_values"
  /// The smallest number of parameters that a statement passes in groups.
  static let minimumCount = 16
  /// The maximum number of arguments of a group. SQLite allows at most 127 arguments in the call of
  /// a function.
  static let maximumCount = 100
  /// The name of the type of the pointer. SQLite compares the text of the name, and requires that
  /// its memory is never freed.
  private static let pointerType = StaticString("apus-remote-values")

  private static var type: UnsafePointer<CChar> {
    UnsafeRawPointer(pointerType.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  static func register(on core: ConnectionCore) throws {
    try core.check(
      sqlite3_create_function_v2(
        core.handle, functionName, -1, SQLITE_UTF8, nil,
        { context, count, values in
          do {
            let group = RemoteArgumentGroup(try RemoteArguments(values, from: 0, to: Int(count)))
            sqlite3_result_pointer(
              context, Unmanaged.passRetained(group).toOpaque(), RemoteArgumentGroup.type
            ) { pointer in
              if let pointer { Unmanaged<RemoteArgumentGroup>.fromOpaque(pointer).release() }
            }
          } catch {
            sqlite3_result_error_nomem(context)
          }
        }, nil, nil, nil))
  }

  static func group(in value: OpaquePointer?) -> RemoteArgumentGroup? {
    sqlite3_value_pointer(value, type).map {
      Unmanaged<RemoteArgumentGroup>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Returns the SQL of the arguments by which a substitute passes parameters to the virtual table.
  /// They are the parameters themselves or, if there are many, calls of `apus_remote_values`.
  static func grouped(_ parameters: [String]) -> [String] {
    guard parameters.count >= minimumCount else { return parameters }
    return stride(from: 0, to: parameters.count, by: maximumCount).map { start in
      let part = parameters[start..<min(start + maximumCount, parameters.count)]
      return "\(functionName)(\(part.joined(separator: ", ")))"
    }
  }
}

extension RemoteSettings {
  /// Returns the PRAGMAs that change a session from the settings `old` to these settings. For a new
  /// session, `old` is nil.
  func pragmas(from old: RemoteSettings?) -> [String] {
    var pragmas: [String] = []
    if old?.enforcesForeignKeys != enforcesForeignKeys {
      pragmas.append("PRAGMA foreign_keys = \(enforcesForeignKeys ? "ON" : "OFF")")
    }
    if old?.hasLegacyAlterTable ?? false != hasLegacyAlterTable {
      pragmas.append("PRAGMA legacy_alter_table = \(hasLegacyAlterTable ? "ON" : "OFF")")
    }
    return pragmas
  }
}

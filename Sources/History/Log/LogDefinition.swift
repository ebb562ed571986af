import QueryDSL
import SQLCore

/// The log of a table, declared by `Logged()` in a model's schema: the columns that are logged, in
/// their order, and the triggers that log them.
struct LogDefinition: Sendable {
  let shape: LogShape
  let triggers: [TriggerDefinition]

  /// The name of the table.
  var table: String { shape.table }

  /// A column of the table. Generated columns are not logged, because SQLite calculates them from
  /// the others.
  struct Column {
    let name: String
    /// Whether the column has no affinity and stores every value unchanged. Two equal values may
    /// then have different storage classes, such as 1 and 1.0.
    let hasNoAffinity: Bool
  }

  /// - Parameters:
  ///   - table: the declared table, which has a primary key.
  ///   - existing: the same table as it exists in the file. Columns that are only in the file are
  ///     logged as well, unless the schema drops them.
  ///   - order: the columns in the order in which the existing triggers log them. This order is
  ///     kept if the columns are the same.
  init(
    of table: TableDefinition, beside existing: ExistingTable? = nil, order: [String] = []
  ) {
    var columns = table.columns.filter { $0.generated == nil }.map { column in
      let type = existing?.columns.first { $0.name.isSame(as: column.name) }?.type
      return Column(
        name: column.name,
        hasNoAffinity: column.storageClass == .blob || type.map(Self.hasNoAffinity) ?? false)
    }
    for column in existing?.columns ?? []
    where column.generated == nil && !table.declares(column.name)
      && !table.removes(.column(column.name))
    {
      columns.append(
        Column(name: column.name, hasNoAffinity: Self.hasNoAffinity(column.type)))
    }
    let ordered = order.compactMap { name in columns.first { $0.name.isSame(as: name) } }
    if ordered.count == columns.count, order.count == columns.count { columns = ordered }
    let names = columns.map(\.name)
    let key = table.keyNames.compactMap { name in names.firstIndex { $0.isSame(as: name) } }
    shape = LogShape(table: table.name, columns: names, key: key)
    triggers = Self.triggers(of: table, shape: shape, columns)
  }

  /// - SeeAlso: <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>
  private static func hasNoAffinity(_ type: String) -> Bool {
    let type = type.lowercasedASCII
    return type.isEmpty || type == "any" || type.contains("blob") && !type.contains("int")
  }

  // MARK: Triggers

  private static func triggers(
    of table: TableDefinition, shape: LogShape, _ columns: [Column]
  ) -> [TriggerDefinition] {
    let quoted = shape.columns.map { Identifier($0).quoted }
    let names = shape.columns.indices.map { LogTables.valueColumns($0) }
    let differences = zip(columns, quoted).map { column, name in
      let differs = "OLD.\(name) COLLATE BINARY IS NOT NEW.\(name)"
      return column.hasNoAffinity
        ? "(\(differs) OR typeof(OLD.\(name)) <> typeof(NEW.\(name)))" : differs
    }
    let keyDiffers = shape.key.map { differences[$0] }.joined(separator: " OR ")
    let others = shape.columns.indices.filter { !shape.key.contains($0) }
    let otherDiffers = others.map { differences[$0] }.joined(separator: " OR ")
    func insertion(_ kind: String, _ values: [(column: String, value: String)]) -> String {
      let columns = values.map { "\"\($0.column)\"" }.joined(separator: ", ")
      return "  INSERT INTO \"\(LogTables.change)\" (\"entry\", \"shape\", \"kind\", \(columns)) "
        + "VALUES (\(LogTables.newest), \(shape.id), '\(kind)', "
        + "\(values.map(\.value).joined(separator: ", ")));\n"
    }
    let deleted = insertion("delete", zip(names, quoted).map { ($0.old, "OLD.\($1)") })
    let inserted = insertion("insert", zip(names, quoted).map { ($0.new, "NEW.\($1)") })
    // The key is always logged. Of the other columns, only the values that differ are logged.
    let updated = insertion(
      "update",
      shape.key.map { (names[$0].old, "OLD.\(quoted[$0])") }
        + others.flatMap { index in
          [(names[index].old, "OLD"), (names[index].new, "NEW")].map { column, row in
            (column, "CASE WHEN \(differences[index]) THEN \(row).\(quoted[index]) END")
          }
        })
    let insert = trigger("insert", of: table, "INSERT", inserted)
    let delete = trigger("delete", of: table, "DELETE", deleted)
    // A row that gets another key is logged as a deletion and an insertion. The trigger is declared
    // as UPDATE OF the key's columns. Otherwise, each update of other columns would also run the
    // trigger's program, to evaluate WHEN. The names of the rowid are listed as well, because an
    // update may set an integer key by such a name.
    let keyNames =
      shape.key.map { quoted[$0] } + (shape.key.count == 1 ? ["rowid", "oid", "_rowid_"] : [])
    let rekey = trigger(
      "key", of: table, "UPDATE OF \(keyNames.joined(separator: ", "))", deleted + inserted,
      when: keyDiffers)
    guard !others.isEmpty else { return [insert, rekey, delete] }
    let update = trigger(
      "update", of: table, "UPDATE", updated, when: "NOT (\(keyDiffers)) AND (\(otherDiffers))")
    return [insert, update, rekey, delete]
  }
}

extension LogDefinition {
  private static func trigger(
    _ suffix: String, of table: TableDefinition, _ event: String, _ body: String,
    when condition: String? = nil
  ) -> TriggerDefinition {
    let name = "\(table.name)_log_\(suffix)"
    return TriggerDefinition(
      model: table.model, name: name, table: table.name,
      sql: "CREATE TRIGGER \(Identifier(name).quoted) \(SQLComment.logMark) AFTER \(event) ON "
        + "\(table.quotedName)\n" + (condition.map { "WHEN \($0)\n" } ?? "")
        + "BEGIN\n  \(LogTables.opening);\n\(body)END")
  }
}

extension LogDefinition: OwnedObject {
  static let follower = "the change log"

  var kind: OwnedObjectKind { .log }

  var follower: String? { Self.follower }

  var definitions: [ExistingSchema.Entry] { triggers.flatMap(\.definitions) }

  static func registrations(
    for declared: Declarations, isReadOnly: Bool
  ) -> [Registration] {
    isReadOnly ? [] : [.framing(.changeLog(of: declared.tables))]
  }

  static func didOpen(_ database: Database) throws {
    try database.applyWaitingChanges()
  }

  func change(in migration: OwnedObjectMigration) throws -> OwnedObjectChange? {
    let schema = migration.schema
    let former = schema.renames.formerName(ofTable: table)
    let existing = former.map { schema.logTriggers(of: $0) } ?? []
    let logged = existing.loggedColumns
    var log = self
    // If the definition of the table cannot be read, the error is ignored here, because
    // `TablePlanner` refuses such a table.
    let table = former == nil ? nil : (try? schema.renamedTable(table)) ?? nil
    let tables = migration.declared.tables
    if let table, let definition = tables.first(where: { $0.name.isSame(as: self.table) }) {
      log = LogDefinition(of: definition, beside: table, order: logged)
    }
    guard !existing.isEmpty else {
      guard migration.isWhole else { return nil }
      let owners = log.triggers.compactMap { schema.trigger($0.name) }
      if let owner = owners.first(where: { !$0.isLogTrigger }) {
        return OwnedObjectChange(
          refused: "changes of \(log.table) cannot be logged: a trigger that Apus did not create "
            + "has the name \(owner.name), on \(owner.table); drop it",
          lines: ["Dropped(trigger: \(owner.name.swiftLiteral))"])
      }
      let hasRows = former.map { schema.relation($0) != nil } ?? false
      return OwnedObjectChange(creation: try log.start(in: migration, saysGap: hasRows))
    }
    let isRenamed =
      former.map { schema.renames.isGivenAway($0) || !schema.renames.columns(ofFormer: $0).isEmpty }
      ?? false
    let isSame = log.isSame(as: existing)
    let isConverted =
      migration.rebuild(of: log.table)?.changedColumns.contains { log.shape.index(of: $0) != nil }
      ?? false
    // A migration has two parts if the user's own steps run in between. The first part renames and
    // converts. Only this part sees the rebuild that converts values, so it creates the triggers
    // again. Other differences wait for the second part, in which `isWhole` is true.
    guard isRenamed || isConverted || migration.isWhole && !isSame else { return nil }
    // The log may lack changes in three cases: a rebuild converts values without firing triggers, a
    // trigger of the log was missing, or the triggers did not log one of the table's columns.
    let isBroken =
      isConverted || existing.count != log.triggers.count
      || !isRenamed
        && log.shape.columns.contains { name in
          table?.columns.contains { $0.name.isSame(as: name) } ?? false
            && !logged.contains { $0.isSame(as: name) }
        }
    return OwnedObjectChange(
      isRenamed
        ? "a name in it is changed"
        : existing.contains(where: \.hasFormerFormat)
          ? "the log has a new format"
          : !isSame
            ? "the table has other columns" : "values of the table are changed without triggers",
      drops: existing.drops,
      creation: try log.start(in: migration, saysGap: isBroken, closesEntry: true))
  }

  /// Returns the statements that begin the logging of the table. They create the table's triggers,
  /// and the tables of the log that are missing.
  ///
  /// - Parameters:
  ///   - saysGap: whether to add an entry with a `gap`, which says that earlier changes of the
  ///     table are not in the log.
  ///   - closesEntry: whether to end the open entry, so that all changes of the table in one entry
  ///     have the same columns.
  private func start(
    in migration: OwnedObjectMigration, saysGap: Bool, closesEntry: Bool = false
  ) throws -> [String] {
    let schema = migration.schema
    let isComplete = LogTables.all.allSatisfy { schema.entry($0) != nil }
    let ownColumns = LogTables.changeColumns.count
    let width = try schema.table(LogTables.change).map { ($0.columns.count - ownColumns) / 2 } ?? 0
    let tables =
      (isComplete ? try formatChange(in: migration) : LogTables.creation)
      + LogTables.widening(from: width, to: shape.columns.count)
    // The tables of the log are shared, so the plan of another logged table may already have the
    // same statements.
    return tables.filter { !migration.creation.contains($0) } + [shape.registration]
      + (saysGap || closesEntry ? [LogTables.closing] : [])
      + (saysGap ? [LogTables.gap(in: table)] : []) + triggers.map(\.sql)
  }

  /// Returns the statements that convert the tables of the log to the present format. The index on
  /// the times of the entries stays if triggers of format 1 still use it. Such triggers may be left
  /// on tables that only other programs declare.
  private func formatChange(in migration: OwnedObjectMigration) throws -> [String] {
    let schema = migration.schema
    let isSearched = schema.entries.contains { entry in
      let table = schema.renames.name(ofTable: entry.table)
      return entry.isLogTrigger && entry.hasFormerFormat
        && !migration.declared.owned.contains { $0.kind == .log && $0.table.isSame(as: table) }
    }
    let index = schema.entry(LogTables.timeIndex)
    guard schema.entry(LogTables.entry)?.sql?.contains("AUTOINCREMENT") == true else {
      return index == nil || isSearched ? [] : ["DROP INDEX \"\(LogTables.timeIndex)\""]
    }
    let columns = try schema.table(LogTables.entry)?.columns.map(\.name) ?? []
    return LogTables.conversion(from: columns) + (isSearched ? [index?.sql].compactMap(\.self) : [])
  }
}

extension ExistingSchema {
  /// Returns the columns of a table that triggers write into the log; empty if the table is not
  /// logged.
  static func logged(_ table: String, on connection: Connection) throws -> [String] {
    try connection.fetch(
      (String, String, String?).self,
      """
      SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'trigger' \
      AND tbl_name = \(table) COLLATE NOCASE
      """
    ).map { Entry(kind: .trigger, name: $0.0, table: $0.1, sql: $0.2) }.loggedColumns
  }
}

extension ExistingSchema.Entry {
  /// Whether this is a trigger of the log that was created for format 1.
  fileprivate var hasFormerFormat: Bool { sql?.contains(LogTables.formerTime) ?? false }
}

extension [ExistingSchema.Entry] {
  /// The columns that the log's triggers record, in their order. They are read from the trigger
  /// that logs deletions; empty if there is no such trigger.
  var loggedColumns: [String] {
    // The trigger has a statement of this form, in which `OLD.` stands before each logged column:
    // INSERT INTO "apus_log_change" (…) VALUES (…, 'delete', OLD."id", OLD."title")
    guard
      let sql = first(where: { $0.isLogTrigger && $0.name.hasSuffix("_log_delete") })?.sql
    else { return [] }
    let tokens = SQLTokens(sql).tokens
    return tokens.indices.dropLast(2).compactMap { index in
      tokens[index].isWord("old") && tokens[index + 1].isSign(".") ? tokens[index + 2].value : nil
    }
  }
}

/// Declares that each change of the table is written into the change log of the database.
///
/// ```swift
/// Logged()
/// // CREATE TRIGGER "Post_log_insert" /* Apus log */ AFTER INSERT ON "Post" …
/// // CREATE TRIGGER "Post_log_update" …, "Post_log_key" …, "Post_log_delete" …
/// ```
///
/// Triggers write the old and the new values of each changed row into the tables of the log. They
/// do so in the transaction of the change, whichever program makes the change. `db.log` reads the
/// log.
///
/// The migration creates the tables and the triggers. If the columns of the table change, it
/// creates the triggers again. In a program that opens the database with such a model, each write
/// that changes logged tables becomes one entry of the log. If another program has left an entry
/// open, the write ends this entry first.
///
/// When REPLACE removes a row, SQLite fires the delete triggers only if the setting
/// `recursive_triggers` is on. So opening a database with such a model turns the setting on for the
/// writing connection of this program. Another program must turn the setting on before it writes
/// with REPLACE.
///
/// The order in which SQLite fires the triggers of the table does not matter. But some triggers
/// hide changes from all other triggers. The following triggers cannot be declared together with
/// `Logged()`:
///
/// - a trigger before an update or a deletion that writes the table
/// - a trigger on deletions that writes the table
/// - a trigger after a change that calls `RAISE(IGNORE)`
///
/// See also `AnyLogChange.uncertainColumns`.
///
/// The table needs a primary key. Generated columns are not logged. Columns that the model does not
/// declare are logged from the next migration on. Opening the database throws `ModelError` if the
/// model has no key, is a view, or declares one of the triggers above.
///
/// Each changed row costs one row in the log, with the values that changed. Each write costs two
/// short statements.
/// - SeeAlso: <https://www.sqlite.org/lang_createtrigger.html>
public func Logged<M: TableModel>() -> SchemaElement<M> {
  SchemaElement(
    keeping: OwnedObjectLine("Logged()", follower: LogDefinition.follower) {
      LogDefinition(of: $0)
    })
}

/// Declares that changes of the table are no longer written to the change log. The next migration
/// drops the triggers of `Logged()`. The existing entries of the log stay until they are purged.
///
/// If a model has neither `Logged()` nor `NotLogged()`, migrations keep the triggers, because
/// another program may use the log.
public func NotLogged<M: TableModel>() -> SchemaElement<M> {
  SchemaElement(dropping: .log)
}

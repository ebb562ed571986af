import SQLCore

/// The SQL of a full-text index that a model declares.
package struct SearchIndexDefinition: Hashable, Sendable {
  let model: String
  package let name: String
  /// The name of the table whose rows are indexed.
  package let table: String
  /// The names of the indexed columns. If a rebuild of the table changes their values, a migration
  /// fills the index again.
  package let columns: [String]
  /// The name of the key's column, which is the rowid.
  package let key: String
  /// `CREATE VIRTUAL TABLE …`
  package let createTable: String
  /// `CREATE TABLE "Post_search_pending" …`: creates `pendingTable`.
  package let createPending: String
  /// The ranking function with the weights of the columns, such as `bm25(10.0, 1.0)`.
  let rank: String
  /// Whether the index uses the library's normalizing tokenizer.
  package let normalizes: Bool
  /// The triggers that keep the index up to date.
  package let triggers: [TriggerDefinition]

  /// The statements that create the index and fill it from the rows of the table.
  package var creation: [String] {
    [
      createTable,
      "INSERT INTO \(quotedName) (\(quotedName), rank) VALUES ('rank', '\(rank)')",
      createPending,
      rebuild,
    ]
  }

  /// The name of the table in which triggers keep the indexed text of a row while the row changes.
  package var pendingTable: String { Self.pendingTable(of: name) }

  package static func pendingTable(of index: String) -> String { index + "_pending" }

  /// The statement that fills the index again from the rows of the table.
  package var rebuild: String { "INSERT INTO \(quotedName) (\(quotedName)) VALUES ('rebuild')" }

  /// The approximate number of steps of SQLite's virtual machine that `rebuild` takes for each row.
  package static let stepsPerRow = 19

  /// The statement that deletes all rows of `pendingTable`.
  package var forgetting: String { "DELETE FROM \(Identifier(pendingTable).quoted)" }

  private var quotedName: String { Identifier(name).quoted }
}

extension SearchIndexDefinition {
  /// Returns the full-text index of a model; nil if it declares none. Throws `ModelError` if the
  /// declaration is invalid.
  static func declared<M: TableModel>(
    by model: M.Type, on layout: ModelLayout
  ) throws -> SearchIndexDefinition? {
    try SearchIndex.declared(by: model).map {
      SearchIndexDefinition($0, of: String(nameOf: model), on: layout)
    }
  }

  private init(_ index: SearchIndex, of model: String, on layout: ModelLayout) {
    func text(_ text: String) -> String { "\(DatabaseValue.text(text))" }
    self.model = model
    name = index.name
    table = layout.tableName
    columns = index.columns.map(\.name)
    key = layout.columns[index.key].name
    normalizes = index.tokenizer.normalizes
    // FTS5 keeps the weights in a table of its own, but a migration compares only the texts of
    // definitions. So the comment in the definition also contains the weights.
    rank = "bm25(\(index.columns.map { "\($0.weight)" }.joined(separator: ", ")))"
    var arguments = index.columns.map { column in
      Identifier(column.name).quoted + (column.isUnindexed ? " UNINDEXED" : "")
    }
    arguments.append("content=\(text(layout.tableName))")
    arguments.append("content_rowid=\(text(key))")
    arguments.append("tokenize=\(text(index.tokenizer.sql))")
    if !index.prefixes.isEmpty {
      arguments.append("prefix='\(index.prefixes.map(String.init).joined(separator: " "))'")
    }
    if index.detail != .full { arguments.append("detail=\(index.detail.rawValue)") }
    createTable =
      "CREATE VIRTUAL TABLE \(Identifier(index.name).quoted) \(Self.mark(rank)) "
      + "USING fts5(\(arguments.joined(separator: ", ")))"
    let noted = index.columns.filter { !$0.isUnindexed }.map { ", \(Identifier($0.name).quoted)" }
    createPending =
      "CREATE TABLE \(Identifier(Self.pendingTable(of: index.name)).quoted) "
      + "\(SQLComment.mark) (rowid INTEGER PRIMARY KEY\(noted.joined()))"
    triggers = Self.triggers(of: index, model: model, on: layout)
  }

  /// Returns the comment after the name of the index. By this comment, a migration recognises the
  /// indexes that it may drop.
  private static func mark(_ rank: String) -> String { "/* Apus \(rank) */" }

  // MARK: Triggers

  /// The ends of the triggers' names, such as `_insert` in `Post_search_insert`.
  static let triggerSuffixes = [
    "_insert", "_before_update", "_update", "_key", "_before_delete", "_delete",
  ]

  /// The ends of the names of the triggers that earlier versions of the library created.
  package static let formerTriggerSuffixes = ["_insert", "_update", "_delete"]

  /// Returns the triggers of an index.
  ///
  /// To delete a row from an index, FTS5 needs exactly the text that was indexed. `OLD` may have
  /// another text: if an earlier trigger has written the row again, the index does not have the
  /// text of `OLD` yet, or no longer has it.
  ///
  /// Therefore triggers before and after a change work together. Before an update or a deletion, a
  /// trigger notes the text of the row, while the index still agrees with the row. An existing note
  /// stays as it is. After a change, a trigger deletes the noted text from the index, and adds the
  /// text of the current row. So the order of the triggers does not matter. If OR IGNORE leaves the
  /// row unchanged, the note stays correct.
  private static func triggers(
    of index: SearchIndex, model: String, on layout: ModelLayout
  ) -> [TriggerDefinition] {
    let table = Identifier(index.name).quoted
    let pending = Identifier(pendingTable(of: index.name)).quoted
    let sizes = Identifier(index.name + "_docsize").quoted
    let indexed = index.columns.filter { !$0.isUnindexed }
    let key = layout.columns[index.key].quotedName
    let names = indexed.map { Identifier($0.name).quoted }
    let list = (["rowid"] + names).joined(separator: ", ")
    let row = "SELECT \(([key] + names).joined(separator: ", ")) FROM \(layout.quotedTableName)"
    func isIndexed(_ id: String) -> String { "EXISTS (SELECT 1 FROM \(sizes) WHERE id = \(id))" }
    // SQLite replaces a conflict clause such as OR IGNORE in a trigger by the conflict clause of
    // the statement that fires the trigger. It does not replace the ON CONFLICT clause of an
    // upsert, so an upsert writes the note.
    let note =
      "  INSERT INTO \(pending) (\(list)) \(row) WHERE \(key) = OLD.\(key) "
      + "AND \(isIndexed("OLD.\(key)")) ON CONFLICT (rowid) DO NOTHING;\n"
    func renewal(_ id: String) -> String {
      "  INSERT INTO \(table) (\(table), \(list)) SELECT 'delete', \(list) FROM \(pending) "
        + "WHERE rowid = \(id);\n"
        + "  DELETE FROM \(pending) WHERE rowid = \(id);\n"
        + "  INSERT INTO \(table) (\(list)) \(row) WHERE \(key) = \(id) "
        + "AND NOT \(isIndexed(id));\n"
    }
    // An update can change a generated column without naming it, by assigning the columns from
    // which the generated column is calculated.
    let isGenerated = indexed.contains { layout.columns[$0.index].isGenerated }
    // UPDATE OF compares names, and an update may name the key by its column or as rowid, _rowid_
    // or oid. So the triggers list all these names.
    let keys =
      [key]
      + TableColumn.freeRowIDNames { name in layout.columns.contains { $0.name.isSame(as: name) } }
    let update =
      isGenerated ? "UPDATE" : "UPDATE OF \((keys + names).joined(separator: ", "))"
    let new = renewal("NEW.\(key)")
    let old = renewal("OLD.\(key)")
    let updateOfKey = "UPDATE OF \(keys.joined(separator: ", "))"
    let isRekeyed = "WHEN OLD.\(key) <> NEW.\(key)\n"
    let definitions = [
      ("AFTER INSERT", "", new), ("BEFORE \(update)", "", note), ("AFTER \(update)", "", new),
      ("AFTER \(updateOfKey)", isRekeyed, old), ("BEFORE DELETE", "", note),
      ("AFTER DELETE", "", old),
    ]
    return zip(triggerSuffixes, definitions).map { suffix, trigger in
      let name = index.name + suffix
      return TriggerDefinition(
        model: model, name: name, table: layout.tableName,
        sql: "CREATE TRIGGER \(Identifier(name).quoted) \(SQLComment.mark) "
          + "\(trigger.0) ON \(layout.quotedTableName)\n\(trigger.1)BEGIN\n\(trigger.2)END")
    }
  }
}

extension SearchIndexDefinition {
  /// Throws `ModelError` if two models declare different indexes with the same name.
  static func requireDistinctNames(of indexes: [SearchIndexDefinition]) throws {
    for (position, index) in indexes.enumerated() {
      guard let other = indexes.prefix(position).first(where: { $0.name.isSame(as: index.name) }),
        other.createTable != index.createTable || !other.table.isSame(as: index.table)
      else { continue }
      throw ModelError(
        model: index.model,
        "\(other.model) and \(index.model) declare different full-text indexes with the name "
          + "\(index.name); give one of them another name: "
          + "`FullText(…, name: \("\(index.name)_2".swiftLiteral))`")
    }
  }
}

import SQLCore

/// A full-text or vector index that a migration created in the database.
package struct ExistingSearchIndex {
  package let name: String
  /// The name of the table whose rows are indexed.
  package let table: String
  /// The names of the indexed columns, and of the columns of the table's key.
  package let names: [String]
  package let sql: String
  /// The name of the index's second table. In a vector index, this table has the cells. In a
  /// full-text index, it has the indexed text of a row while the row changes.
  package let pendingTable: String
  /// The kind of the index in messages: `full-text` or `vector`.
  package let type: String

  /// Reads the definition of a table. Returns nil if the table is not an index that Apus created.
  init?(_ entry: ExistingSchema.Entry) {
    guard entry.kind == .table, let sql = entry.sql else { return nil }
    if sql.hasPrefix("CREATE TABLE ") {
      // CREATE TABLE "name" /* Apus vectors: cosine of "Post" ("embedding", "id") */ (…)
      let start = "CREATE TABLE \(Identifier(entry.name).quoted) "
      guard sql.hasPrefix(start + VectorIndexDefinition.mark) else { return nil }
      let comment = SQLTokens(sql).comments(before: 3).first?.text ?? ""
      let names = SQLTokens(String(comment.dropFirst(2).dropLast(2))).tokens
        .filter { $0.kind == .quotedName }.map(\.value)
      guard let table = names.first else { return nil }
      self.init(
        name: entry.name, table: table, names: Array(names.dropFirst()), sql: sql,
        pendingTable: VectorIndexDefinition.cells(of: entry.name), type: "vector")
      return
    }
    guard sql.hasPrefix("CREATE VIRTUAL TABLE ") else { return nil }
    // CREATE VIRTUAL TABLE "name" /* Apus bm25(…) */ USING fts5("title", …, content='Post', …)
    let text = SQLTokens(sql)
    let tokens = text.tokens
    guard tokens.count > 6, text.comments(before: 4).first?.text.hasPrefix("/* Apus ") == true,
      tokens[4].isWord("using"), tokens[5].isWord("fts5")
    else { return nil }
    var names: [String] = []
    var table: String?
    for (index, token) in tokens.enumerated().dropFirst(6) {
      let isFirst = tokens[index - 1].isSign("(") || tokens[index - 1].isSign(",")
      guard isFirst else { continue }
      if token.kind == .quotedName {
        names.append(token.value)
      } else if index + 2 < tokens.count, token.isWord("content") {
        table = tokens[index + 2].value
      } else if index + 2 < tokens.count, token.isWord("content_rowid") {
        names.append(tokens[index + 2].value)
      }
    }
    guard let table else { return nil }
    self.init(
      name: entry.name, table: table, names: names, sql: sql,
      pendingTable: SearchIndexDefinition.pendingTable(of: entry.name), type: "full-text")
  }

  private init(
    name: String, table: String, names: [String], sql: String, pendingTable: String, type: String
  ) {
    self.name = name
    self.table = table
    self.names = names
    self.sql = sql
    self.pendingTable = pendingTable
    self.type = type
  }

  /// Returns whether a trigger belongs to the index.
  package func owns(_ trigger: ExistingSchema.Entry) -> Bool {
    trigger.isOwnTrigger && trigger.table.isSame(as: table)
      && SearchIndexDefinition.triggerSuffixes.contains { trigger.name.isSame(as: name + $0) }
  }
}

extension ExistingSchema {
  /// The full-text indexes and vector indexes that migrations created.
  package var searchIndexes: [ExistingSearchIndex] {
    entries.compactMap { ExistingSearchIndex($0) }
  }

  /// Returns the full-text or vector index with that name, ignoring case; nil if no migration
  /// created such an index.
  package func searchIndex(_ name: String) -> ExistingSearchIndex? {
    entry(name).flatMap { ExistingSearchIndex($0) }
  }

  /// Returns the second table of a full-text or vector index by its name; see
  /// `ExistingSearchIndex.pendingTable`. Returns nil if the table does not exist, or if Apus did
  /// not create it.
  package func pendingTable(_ name: String) -> Entry? {
    guard let entry = entry(name), entry.kind == .table, let sql = entry.sql else { return nil }
    // CREATE TABLE "name" /* Apus */ (…)
    let text = SQLTokens(sql)
    guard text.tokens.count > 3,
      text.comments(before: 3).first?.text == SQLComment.mark
    else { return nil }
    return entry
  }
}

// MARK: Comparing with what models declare

extension ExistingSearchIndex {
  /// Returns whether a renaming changes the indexed table or a column in the index's definition.
  package func isTouched(by renames: Renames) -> Bool {
    renames.isGivenAway(table)
      || renames.columns(ofFormer: table).contains { column in
        names.contains { $0.isSame(as: column.from) }
      }
  }

  /// Returns the schema entries of the index: its table, its second table, and its triggers.
  package func entries(in schema: ExistingSchema) -> [ExistingSchema.Entry] {
    [schema.entry(name), schema.pendingTable(pendingTable)].compactMap(\.self)
      + triggers(in: schema)
  }

  /// Returns the statements that fill a full-text index again from the rows of its table; nil for a
  /// vector index, whose statements depend on its declaration.
  package func filling(in schema: ExistingSchema) -> [String]? {
    guard type == "full-text" else { return nil }
    let (name, pending) = (Identifier(name).quoted, Identifier(pendingTable).quoted)
    return (schema.pendingTable(pendingTable) == nil ? [] : ["DELETE FROM \(pending)"])
      + ["INSERT INTO \(name) (\(name)) VALUES ('rebuild')"]
  }

  fileprivate func triggers(in schema: ExistingSchema) -> [ExistingSchema.Entry] {
    schema.triggers(of: table).filter(owns)
  }

  /// Returns whether the index differs from the declared index only in its triggers, which an
  /// earlier version of the library created.
  ///
  /// If the table also has a trigger that the library did not create, the result is false. The
  /// earlier triggers did not work together with such a trigger, so the index may differ from the
  /// table.
  fileprivate func hasOnlyFormerTriggers(
    of index: SearchIndexDefinition, in schema: ExistingSchema
  ) -> Bool {
    let triggers = schema.triggers(of: table).filter { !$0.isLogTrigger }
    let former = SearchIndexDefinition.formerTriggerSuffixes.map { name + $0 }
    return sql == index.createTable && schema.entry(pendingTable) == nil
      && triggers.count == former.count && triggers.allSatisfy(owns)
      && former.allSatisfy { name in
        triggers.contains { $0.name.isSame(as: name) && $0.hasFormerSearchTrigger }
      }
  }
}

extension ExistingSchema.Entry {
  /// Whether an earlier version of the library created the trigger. Such a trigger deletes the
  /// values of `OLD` from the index.
  fileprivate var hasFormerSearchTrigger: Bool {
    sql.map { $0.contains("\nBEGIN\n  INSERT INTO ") && !$0.contains(" SELECT ") } ?? false
  }
}

extension SearchIndexDefinition: OwnedObject {
  package var kind: OwnedObjectKind { .searchIndex(name) }

  package var follower: String? { "the full-text index" }

  package var definitions: [ExistingSchema.Entry] {
    [(name, createTable), (pendingTable, createPending)].map {
      ExistingSchema.Entry(kind: .table, name: $0, table: $0, sql: $1)
    } + triggers.flatMap(\.definitions)
  }

  package static func registrations(
    for declared: Declarations, isReadOnly: Bool
  ) -> [Registration] {
    declared.searchIndexes.contains(where: \.normalizes) ? [.normalizingTokenizer] : []
  }

  package func change(in migration: OwnedObjectMigration) -> OwnedObjectChange? {
    let schema = migration.schema
    guard let existing = schema.searchIndex(name) else {
      if let owner = schema.foreignOwner(of: [name, pendingTable], triggers, on: table) {
        let free = name.numbered(separator: "_") { migration.declared.takes($0, in: schema) }
        return OwnedObjectChange(
          refused: "the full-text index \(name) cannot be created: Apus did not create \(owner); "
            + "give the index another name", lines: ["FullText(…, name: \(free.swiftLiteral))"])
      }
      guard migration.isWhole else { return nil }
      // If an earlier index of this name no longer exists, its triggers and its second table may
      // still exist. They are dropped first.
      let others = triggers.map { schema.trigger($0.name) } + [schema.pendingTable(pendingTable)]
      return OwnedObjectChange(
        creation: others.compactMap(\.self).drops + creation + triggers.map(\.sql))
    }
    let isRenamed = existing.isTouched(by: schema.renames)
    let isRenewed = !isRenamed && existing.hasOnlyFormerTriggers(of: self, in: schema)
    if isRenamed || migration.isWhole && !isRenewed && !isSame(as: existing.entries(in: schema)) {
      return OwnedObjectChange(
        isRenamed ? "a name in it is changed" : "the schema declares it differently",
        drops: existing.entries(in: schema).drops, of: .searchIndex(existing.name),
        creation: creation + triggers.map(\.sql))
    }
    var change = OwnedObjectChange(
      "its triggers are those of an earlier version; the index itself stays")
    if isRenewed, migration.isWhole {
      change.creation =
        existing.triggers(in: schema).drops + [createPending] + triggers.map(\.sql)
    }
    if let rebuild = migration.rebuild(of: table),
      !(columns + [key]).allSatisfy({ name in
        rebuild.sameColumns.contains { $0.isSame(as: name) }
      })
    {
      let hasNotes = isRenewed && migration.isWhole || schema.pendingTable(pendingTable) != nil
      change.filling = (hasNotes ? [forgetting] : []) + [self.rebuild]
    }
    return change
  }
}

extension ExistingSchema {
  /// Returns an object that has one of the names that the new index needs, such as
  /// `the table Post_search`. The index needs a name for its table, its second table and each of
  /// its triggers. Returns nil if each name is free, or belongs to a second table that Apus
  /// created, or to a trigger that Apus created for this table.
  func foreignOwner(
    of names: [String], _ triggers: [TriggerDefinition], on table: String
  ) -> String? {
    for name in names where pendingTable(name) == nil {
      if let entry = entry(name) { return "the \(entry.kind.rawValue) \(entry.name)" }
    }
    return triggers.lazy.compactMap { trigger($0.name) }
      .first { !$0.isOwnTrigger || !$0.table.isSame(as: table) }
      .map { "the trigger \($0.name)" }
  }
}

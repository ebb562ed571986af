import SQLCore

/// Declares that the model's table is an FTS5 table that already exists in the database.
///
/// ```swift
/// struct Page: Model {
///   @PrimaryKey var id: Int64
///   @Column var title: String
///   @Column var text: String
///
///   static var schema: Schema<Page> {
///     ExistingFullText()
///     Named(\.$id, "rowid")
///   }
/// }
/// let hits = try db.fetch(Page.search("swift").order(by: .rank).limit(20))
/// // SELECT … FROM "Page" JOIN "Page"(?) AS "Page_2" ON "Page"."rowid" = (+"Page_2"."rowid")
/// //   ORDER BY "Page_2"."rank" LIMIT ?
/// ```
///
/// The key of the model is the rowid. The other properties must be all columns of the table, in the
/// same order. A migration never changes the table, and throws `MigrationError` if the table does
/// not exist or has other columns. The rank uses the weights that the FTS5 table itself has.
///
/// SQLite has no upserts for such a table, and returns no rows from its updates and deletions.
/// - SeeAlso: <https://www.sqlite.org/fts5.html>
public func ExistingFullText<M: TableModel>() -> SchemaElement<M> {
  SchemaElement(kind: .existingFullText)
}

/// An FTS5 table that a model expects to exist.
package struct SearchTableDefinition: Sendable {
  let model: String
  package let name: String
  let columns: [String]

  /// Creates the definition of the FTS5 table that a model declares; nil if the model declares no
  /// existing FTS5 table. Throws `ModelError` if the declaration is invalid.
  init?<M: TableModel>(of model: M.Type) throws {
    guard let index = try SearchIndex.declared(by: model), index.isTable else { return nil }
    self.model = String(nameOf: model)
    name = index.name
    columns = index.columns.map(\.name)
  }

  /// Returns the reason why the model cannot use the table in the database; nil if it can.
  package func objection(in schema: ExistingSchema) -> String? {
    guard let entry = schema.relation(name) else {
      return "\(model) declares `ExistingFullText()`, and the database has no table \(name); "
        + "create it first, or declare `FullText(…)` in a model of a table"
    }
    guard let found = entry.columnsOfFullText else {
      return "\(model) declares `ExistingFullText()`, but \(entry.name) is no FTS5 table"
    }
    let isEqual =
      found.count == columns.count && zip(found, columns).allSatisfy { $0.isSame(as: $1) }
    return isEqual
      ? nil
      : "\(model) must declare all columns of the FTS5 table \(entry.name), in their order: "
        + found.joined(separator: ", ")
  }
}

extension ExistingSchema.Entry {
  /// The columns of an FTS5 table in their order; nil for any other table.
  fileprivate var columnsOfFullText: [String]? {
    guard kind == .table, let sql else { return nil }
    // CREATE VIRTUAL TABLE page USING fts5(title, text UNINDEXED, tokenize = 'porter', …)
    let definition = SQLTokens(sql)
    let tokens = definition.tokens
    guard let module = definition.moduleIndex, tokens[module].value.lowercasedASCII == "fts5"
    else { return nil }
    return tokens.indices.dropFirst(module + 2).compactMap { index in
      let isFirst = tokens[index - 1].isSign("(") || tokens[index - 1].isSign(",")
      let isOption = index + 1 < tokens.count && tokens[index + 1].isSign("=")
      return isFirst && !isOption && tokens[index].isName ? tokens[index].value : nil
    }
  }
}

extension SearchTableDefinition {
  /// The statement that creates the FTS5 table with the columns of the model, unless the table
  /// exists: `CREATE VIRTUAL TABLE IF NOT EXISTS "Page" USING fts5("title", "text")`
  package var createTable: String {
    "CREATE VIRTUAL TABLE IF NOT EXISTS \(Identifier(name).quoted) "
      + "USING fts5(\(columns.quotedList))"
  }
}

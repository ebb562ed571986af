import SQLCore

extension TableDefinition {
  /// Reads the declaration of a model. Throws `ModelError` if a line of the model's schema is
  /// invalid.
  init<M: TableModel>(of model: M.Type) throws {
    let layout = try M.layout
    var reader = SchemaReader<M>(layout: layout)
    let elements = layout.schemaElements as? [SchemaElement<M>] ?? M.schema.elements
    for element in elements { try reader.read(element.kind) }
    let columns = try layout.columns.enumerated().map { index, column in
      try reader.column(column, at: index)
    }
    self.init(
      layout.tableName, model: String(nameOf: model), columns: columns,
      keyNames: layout.keyColumns.map { layout.columns[$0].name },
      isWithoutRowID: reader.isWithoutRowID)
    columnNaming = M.columnNaming
    indexes = reader.indexes
    foreignKeys = reader.foreignKeys
    checks = reader.checks
    triggers = try layout.triggers(of: model)
    searchIndexes = try SearchIndexDefinition.declared(by: model, on: layout).map { [$0] } ?? []
    ownedLines = reader.ownedLines
    removals = reader.removals
    renamedColumns = reader.renamed
    formerNames = reader.formerNames
  }
}

/// A reader of a model's schema, which collects the declarations about the table and its columns.
private struct SchemaReader<M: TableModel> {
  let layout: ModelLayout
  var defaults: [Int: String] = [:]
  var collations: [Int: String] = [:]
  var generated: [Int: TableDefinition.Generated] = [:]
  var conversions: [Int: DeclaredConversion] = [:]
  var isWithoutRowID: Bool?
  var indexes: [TableDefinition.Index] = []
  var foreignKeys: [TableDefinition.ForeignKey] = []
  var checks: [TableDefinition.Check] = []
  var ownedLines: [OwnedObjectLine] = []
  var removals: Set<Removal> = []
  var renamed: [(name: String, from: String)] = []
  var formerNames: [String] = []

  init(layout: ModelLayout) {
    self.layout = layout
  }

  private func index(_ path: PartialKeyPath<M>, in line: String) throws -> Int {
    guard let index = layout.index(ofColumn: path) else {
      throw ModelError(M.self, "\(line)(…) needs columns: `\\.$name`, with the dollar sign")
    }
    return index
  }

  private func name(_ path: PartialKeyPath<M>, in line: String) throws -> String {
    layout.columns[try index(path, in: line)].name
  }

  mutating func read(_ kind: SchemaElement<M>.Kind) throws {
    switch kind {
    case .index(let line): indexes.append(try definition(of: line))
    case .foreignKey(let line):
      foreignKeys.append(
        TableDefinition.ForeignKey(
          columns: try line.columns.map { try name($0, in: "ForeignKey") },
          target: try line.target(), onDelete: line.onDelete, onUpdate: line.onUpdate,
          isDeferred: line.isDeferred))
    case .check(let name, let predicates):
      if let condition = try layout.declaration(of: predicates()) {
        checks.append(TableDefinition.Check(condition, name: name))
      }
    case .default(let path, let value):
      let index = try index(path, in: "Default")
      let literal = try value(layout.columns[index].form).literal
      // The literal of a number may be a quotient or a product, which already has parentheses.
      defaults[index] = literal.hasPrefix("(") ? literal : Self.defaultClause(literal)
    case .defaultSQL(let path, let sql):
      defaults[try index(path, in: "Default")] = Self.defaultClause(try sql.declaration)
    case .collated(let path, let collation):
      collations[try index(path, in: "Collated")] = collation.name
    case .generated(let path, let storage, let expression):
      let index = try index(path, in: "Generated")
      guard !layout.columns[index].isPrimaryKey else {
        throw ModelError(M.self, "\(layout.columns[index].name): a key cannot be generated")
      }
      generated[index] = TableDefinition.Generated(
        expression: try layout.declaration(of: expression()), storage: storage)
    case .rowID(let isLeftOut): isWithoutRowID = isLeftOut
    case .renamed(let path, let former):
      renamed.append((try name(path, in: "Renamed"), former))
    case .renamedTable(let former): formerNames.append(former)
    case .dropped(let removal):
      if case .column(let name) = removal, layout.index(named: name) != nil {
        throw ModelError(M.self, "Dropped(\"\(name)\"): a property declares that column")
      }
      removals.insert(removal)
    case .droppedAttribute(let path, let attribute):
      removals.insert(.attribute(column: try name(path, in: "Dropped"), attribute))
    case .converted(let path, let conversion):
      let index = try index(path, in: "Converted")
      let column = layout.columns[index]
      guard !column.isGenerated else {
        throw ModelError(
          M.self, "Converted(…): \(column.name) is a generated column, which cannot be converted")
      }
      guard conversions.updateValue(conversion(column.form), forKey: index) == nil else {
        throw ModelError(
          M.self,
          "\(column.name) has two `Converted` lines; keep the one from the type in the file")
      }
    case .owned(let line):
      try line.check(layout, of: M.self)
      ownedLines.append(line)
    case .vectorIndex(let line):
      let line = try line.object(on: layout)
      try line.check(layout, of: M.self)
      ownedLines.append(line)
    case .stored, .named, .prefixed, .trigger, .fullText, .existingFullText, .cached,
      .cachedResults:
      break
    }
  }

  private func definition(of line: IndexLine<M>) throws -> TableDefinition.Index {
    let terms: [String]
    switch line.terms {
    case .columns(let paths):
      let names = try paths.map { try name($0, in: line.isUnique ? "Unique" : "Index") }
      terms = names.map { Identifier($0).quoted }
    case .expressions(let expressions):
      terms = try expressions().map { term in
        let text = try layout.declaration(of: term)
        return term.isDescending ? text + " DESC" : text
      }
    }
    guard !terms.isEmpty else {
      throw ModelError(M.self, "\(line.isUnique ? "Unique" : "Index")(…) names no column")
    }
    return TableDefinition.Index(
      terms, isUnique: line.isUnique, name: line.name,
      condition: try layout.declaration(of: line.predicates()))
  }

  /// Returns the text after DEFAULT. A literal or keyword stays unchanged; any other expression
  /// gets parentheses.
  private static func defaultClause(_ sql: String) -> String {
    let tokens = SQLTokens(sql).tokens
    let isSigned = tokens.first?.isSign("-") ?? false
    if tokens.dropFirst(isSigned ? 1 : 0).count == 1, let last = tokens.last {
      switch last.kind {
      case .number, .string, .blob: return sql
      case .word where !isSigned:
        let words = ["null", "true", "false", "current_time", "current_date", "current_timestamp"]
        if words.contains(last.value.lowercasedASCII) { return sql }
      default: break
      }
    }
    return "(\(sql))"
  }

  func column(_ column: ModelColumn, at index: Int) throws -> TableDefinition.Column {
    TableDefinition.Column(
      column.name, column.storageClass, isOptional: column.isOptional,
      defaultSQL: defaults[index], collation: collations[index], generated: generated[index],
      conversion: conversions[index],
      type: ColumnType(
        column.type, form: column.form, property: column.property, isKey: column.isPrimaryKey))
  }
}

extension TableDefinition.Column {
  /// Returns whether the text after DEFAULT in a file is the declared default.
  ///
  /// If the declared default is the exact literal of a number, the file may also have the number as
  /// a decimal, as earlier versions of Apus wrote it. SQLite may read that decimal with another
  /// last bit, but the difference is not worth a rebuild.
  package func declares(default text: String) -> Bool {
    guard let defaultSQL else { return false }
    let declared = defaultSQL.normalSQL
    if text.normalSQL == declared { return true }
    guard defaultSQL.hasPrefix("("), let number = Double(text) else { return false }
    return (try? DatabaseValue.real(number).literal)?.normalSQL == declared
  }
}

extension Collation {
  /// The name of the collation in SQL, in quotation marks only if needed.
  package var sql: String { name.isPlainName ? name : Identifier(name).quoted }
}

extension String {
  /// Whether SQL can write the name without quotation marks.
  fileprivate var isPlainName: Bool {
    !isEmpty
      && utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
      }
  }
}

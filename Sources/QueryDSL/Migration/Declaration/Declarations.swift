import SQLCore

/// What the models of a database declare.
struct Declarations: Sendable {
  /// The definitions of a table and its indexes, to be compared to the letter.
  struct Text: Sendable {
    let table: String
    let createTable: String
    let createIndexes: Set<String>
  }

  let tables: [TableDefinition]
  let views: [ViewDefinition]
  let texts: [Text]
  /// What the schemas drop, in one order whoever asks.
  let removals: [Removal]
  /// Conversions that nothing in the file but a note tells to have run.
  let notedConversions: [(table: String, column: String, conversion: DeclaredConversion)]
  /// The exchanges of names, as the database remembers them.
  let exchanges: [String]
  /// The columns of `Unique64` by which keys begin.
  let ids: [IDColumn]

  init(tables: [TableDefinition], views: [ViewDefinition], ids: [IDColumn] = []) {
    self.tables = tables
    self.views = views
    self.ids = ids
    texts = tables.map { table in
      Text(
        table: table.name, createTable: table.problems.isEmpty ? table.createTable : "",
        createIndexes: Set(table.indexes.map(table.createIndex)))
    }
    notedConversions = tables.flatMap { table in
      table.columns.compactMap { column in
        guard let conversion = column.conversion, conversion.needsNote else { return nil }
        return (table.name, column.name, conversion)
      }
    }
    exchanges = Self.exchanges(in: tables)
    removals = tables.flatMap(\.removals).uniqued().sorted { "\($0)" < "\($1)" }
  }

  /// Whether the database has, to the letter, what is declared, and nothing is to be dropped.
  func isExactly(in schema: LiveSchema) -> Bool {
    texts.allSatisfy { $0.isExactly(in: schema) }
      && views.allSatisfy { schema.relation($0.name)?.sql == $0.createView }
      && removals.allSatisfy { $0.isDone(in: schema) }
  }
}

extension Declarations {
  /// The tables, folded, with a conversion that is not noted as done. It costs a statement where a
  /// model declares such a conversion.
  func unconverted(_ log: () throws -> ConversionLog) rethrows -> Set<String> {
    guard !notedConversions.isEmpty else { return [] }
    let log = try log()
    return Set(
      notedConversions.compactMap { table, column, conversion in
        if case .done = log.state(of: conversion, table: table, column: column) { return nil }
        return table.lowercasedASCII
      })
  }
}

extension Removal {
  /// Whether it is gone, where the tables are as declared to the letter.
  fileprivate func isDone(in schema: LiveSchema) -> Bool {
    switch self {
    case .table(let name): schema.relation(name)?.kind != .table
    case .view(let name): schema.relation(name)?.kind != .view
    case .trigger(let name): !schema.hasTrigger(name)
    case .index(let name): schema.entry(name) == nil
    case .column, .foreignKey, .unique, .check, .attribute: true
    }
  }
}

extension Declarations.Text {
  /// Whether the table and its indexes are what is declared, and nothing besides.
  func isExactly(in schema: LiveSchema) -> Bool {
    guard let entry = schema.entry(table), entry.kind == .table, entry.sql == createTable else {
      return false
    }
    // Triggers are no model's: they are listed as kept, or dropped.
    guard schema.triggers(of: table).isEmpty else { return false }
    let found = schema.indexDefinitions(of: table)
    return found.count == createIndexes.count && found.allSatisfy(createIndexes.contains)
  }
}

// MARK: From models

extension Declarations {
  /// As a layout, what a list of models declares is read from their types once a process.
  private static let known = Lock<[[ObjectIdentifier]: Declarations]>([:])

  /// What models declare.
  init(of models: [any Model.Type]) throws {
    let key = models.map { ObjectIdentifier($0) }
    if let known = Self.known.withLock({ $0[key] }) {
      self = known
      return
    }
    var definitions: [TableDefinition] = []
    var views: [ViewDefinition] = []
    var ids: [IDColumn] = []
    try Self.checkNames(of: models)
    // The schemas are the user's code: no lock is held.
    for model in models {
      if let view = model as? any ViewModel.Type {
        views.append(try Self.view(view))
      } else {
        definitions.append(try Self.definition(model))
        if let id = try IDColumn(of: model), !ids.contains(id) { ids.append(id) }
      }
    }
    let declared = Declarations(
      tables: TableDefinition.tables(of: definitions), views: views, ids: ids)
    self = declared
    Self.known.withLock { known in
      // Programs have a few lists; one that makes lists without end keeps none.
      if known.count < 256 { known[key] = declared }
    }
  }

  /// Throws where two types share a table only since both are called as it is: one is in another type or
  /// module, and nobody said that they are one table.
  private static func checkNames(of models: [any Model.Type]) throws {
    var owners: [String: any Model.Type] = [:]
    for model in models where TableNaming.isDefault(of: model) {
      let name = model.tableName
      guard let owner = owners.updateValue(model, forKey: name.lowercasedASCII), owner != model
      else { continue }
      throw ModelError(
        model,
        "\(String(reflecting: owner)) and \(String(reflecting: model)) would share the table \(name) "
          + "by the names of their types; write `static let tableName = \("\(name)2".swiftLiteral)` in "
          + "one, or `static let tableName = \(name.swiftLiteral)` where they are one table")
    }
  }

  private static func definition<M: Model>(_ model: M.Type) throws -> TableDefinition {
    try TableDefinition(of: model)
  }

  private static func view<V: ViewModel>(_ model: V.Type) throws -> ViewDefinition {
    try ViewDefinition(of: model)
  }
}

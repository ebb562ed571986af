import SQLCore

/// The declarations of a list of models: tables, views, and whatever else a migration compares with
/// the file.
package struct Declarations: Sendable {
  package let tables: [TableDefinition]
  package let views: [ViewDefinition]
  /// The triggers of tables and views, without repetitions.
  package let triggers: [TriggerDefinition]
  /// The full-text indexes, each once.
  package let searchIndexes: [SearchIndexDefinition]
  /// The FTS5 tables that must exist already.
  package let searchTables: [SearchTableDefinition]
  /// The objects that migrations create and drop as a whole: triggers, full-text and vector
  /// indexes, and objects of other modules.
  package let owned: [any OwnedObject]
  /// The SQL of tables, indexes, views and triggers. It is compared character by character with the
  /// SQL in the file.
  package let definitions: DeclaredDefinitions
  /// Everything that the schemas declare as dropped, always in the same order.
  package let removals: [Removal]
  /// The conversions that a migration notes in the database once they have run, because the schema
  /// does not show that they have run.
  package let notedConversions: [(table: String, column: String, conversion: DeclaredConversion)]
  /// The exchanges of names, for example between two columns. Each element is the key of the note
  /// that a migration writes into the database when it has made the exchange.
  package let exchanges: [String]
  /// The `Unique64` columns that are the first column of a primary key.
  package let ids: [IDColumn]
  /// The Swift types of the columns, for comparison with the types that are noted in the file.
  package let types: NotedTypes
  /// The SQL of the view in which a migration notes `types`, if the file has no tables of other
  /// models.
  package let notedTypes: String

  package init(
    tables: [TableDefinition], views: [ViewDefinition],
    searchTables: [SearchTableDefinition] = [], ids: [IDColumn] = []
  ) {
    self.tables = tables
    self.views = views
    self.searchTables = searchTables
    self.ids = ids
    triggers = Self.triggers(of: tables, views)
    searchIndexes = uniqued(tables.flatMap(\.searchIndexes)) { $0.name.lowercasedASCII }
    let contributed = tables.filter(\.problems.isEmpty).flatMap { table in
      // Two models of the table may declare the same object.
      uniqued(table.ownedLines.map { $0.object(table) }) { "\($0.kind)".lowercasedASCII }
    }
    owned = triggers + contributed + searchIndexes
    definitions = DeclaredDefinitions(tables: tables, views: views, owned: owned)
    notedConversions = tables.flatMap { table in
      table.columns.compactMap { column in
        guard let conversion = column.conversion, conversion.needsNote else { return nil }
        return (table.name, column.name, conversion)
      }
    }
    exchanges = Self.exchanges(in: tables)
    types = NotedTypes(of: tables)
    notedTypes = types.sql
    removals = uniqued(tables.flatMap(\.removals)).sorted { "\($0)" < "\($1)" }
  }

  /// The Swift types of the objects in `owned`, without repetitions.
  package var ownedTypes: [any OwnedObject.Type] {
    var seen: Set<ObjectIdentifier> = []
    return owned.map { type(of: $0) as any OwnedObject.Type }
      .filter { seen.insert(ObjectIdentifier($0)).inserted }
  }

  /// Returns whether everything that schemas drop is already gone. Call this only if the existing
  /// tables equal their declarations.
  func isWithoutRemovals(in schema: ExistingSchema) -> Bool {
    removals.allSatisfy { $0.isDone(in: schema) || isRedeclared($0) }
  }

  /// Returns whether a schema declares an object that has the name of a dropped trigger, full-text
  /// index or vector index. If so, the declared object has replaced the dropped one.
  private func isRedeclared(_ removal: Removal) -> Bool {
    switch removal {
    case .trigger(let name): TriggerDefinition.named(name, in: triggers) != nil
    case .searchIndex(let name): declares(searchIndex: name)
    default: false
    }
  }

  private static func triggers(
    of tables: [TableDefinition], _ views: [ViewDefinition]
  ) -> [TriggerDefinition] {
    uniqued(tables.flatMap(\.triggers) + views.flatMap(\.triggers)) { $0.name.lowercasedASCII }
  }
}

extension Declarations {
  /// Returns whether a schema declares this part of the database as dropped.
  package func removes(_ removal: Removal) -> Bool { tables.contains { $0.removes(removal) } }

  /// Returns whether a model declares a table or view with that name.
  package func declares(relation name: String) -> Bool {
    tables.contains { $0.name.isSame(as: name) } || views.contains { $0.name.isSame(as: name) }
  }

  /// Returns whether a model declares a full-text or vector index with that name.
  package func declares(searchIndex name: String) -> Bool {
    owned.contains { object in
      if case .searchIndex(let declared) = object.kind { declared.isSame(as: name) } else { false }
    }
  }

  /// Returns whether the name is taken, because a table, view or index of this name exists or is
  /// declared.
  package func takes(_ name: String, in schema: ExistingSchema) -> Bool {
    schema.entry(name) != nil || declares(relation: name)
      || declares(searchIndex: name)
      || searchTables.contains { $0.name.isSame(as: name) }
  }
}

extension Removal {
  /// Returns whether the file no longer has the part that the schema drops. Call this only if the
  /// existing tables equal their declarations.
  fileprivate func isDone(in schema: ExistingSchema) -> Bool {
    switch self {
    case .table(let name): schema.relation(name)?.kind != .table
    case .view(let name): schema.relation(name)?.kind != .view
    case .trigger(let name): !schema.hasTrigger(name)
    case .log: true
    case .searchIndex(let name): !schema.searchIndexes.contains { $0.name.isSame(as: name) }
    case .index(let name): schema.entry(name) == nil
    case .column, .foreignKey, .unique, .check, .attribute: true
    }
  }
}

// MARK: Reading models

extension Declarations {
  /// The declarations that were read before, by their list of models. A process reads the
  /// declarations of each list only once.
  private static let known = Lock<[[ObjectIdentifier]: Declarations]>([:])

  /// Reads the declarations of models. Throws `ModelError` if a declaration is invalid, or if two
  /// models share a table by accident.
  package init(of models: [any TableModel.Type]) throws {
    let key = models.map { ObjectIdentifier($0) }
    if let known = Self.known.withLock({ $0[key] }) {
      self = known
      return
    }
    var definitions: [TableDefinition] = []
    var views: [ViewDefinition] = []
    var searchTables: [SearchTableDefinition] = []
    var ids: [IDColumn] = []
    try Self.checkNames(of: models)
    // Reading a schema runs the user's code, so no lock is held here.
    for model in models {
      if model._isView, let view = model as? any SQLView.Type {
        views.append(try Self.view(view))
      } else if let table = try Self.searchTable(model) {
        searchTables.append(table)
      } else {
        definitions.append(try Self.definition(model))
        if let id = try IDColumn(of: model), !ids.contains(id) { ids.append(id) }
      }
    }
    try TriggerDefinition.requireDistinctNames(
      of: definitions.flatMap(\.triggers) + views.flatMap(\.triggers))
    try SearchIndexDefinition.requireDistinctNames(of: definitions.flatMap(\.searchIndexes))
    try VectorIndexDefinition.requireDistinctNames(in: definitions)
    try TableDefinition.requireVisibleChanges(in: definitions)
    let declared = Declarations(
      tables: Self.tables(of: definitions), views: views, searchTables: searchTables, ids: ids)
    self = declared
    Self.known.withLock { known in
      // A program has only a few lists of models. The limit protects against a program that makes
      // new lists all the time.
      if known.count < 256 { known[key] = declared }
    }
  }

  /// Throws if two types share a table only because they have the same name, for example in
  /// different modules. They may share the table if at least one of them declares `tableName`.
  private static func checkNames(of models: [any TableModel.Type]) throws {
    var owners: [String: any TableModel.Type] = [:]
    for model in models where TableNaming.isDefault(of: model) {
      let name = model.tableName
      guard let owner = owners.updateValue(model, forKey: name.lowercasedASCII), owner != model
      else { continue }
      throw ModelError(
        model,
        "\(String(reflecting: owner)) and \(String(reflecting: model)) would share the table "
          + "\(name) because their types have the same name; write "
          + "`static let tableName = \("\(name)2".swiftLiteral)` in one of them, or, if they are "
          + "to share it, `static let tableName = \(name.swiftLiteral)`")
    }
  }

  /// Returns one definition for each table. Definitions of several models with the same table are
  /// merged.
  package static func tables(of definitions: [TableDefinition]) -> [TableDefinition] {
    var facets: [[TableDefinition]] = []
    for definition in definitions {
      let folded = definition.name.lowercasedASCII
      if let index = facets.firstIndex(where: { $0[0].name.lowercasedASCII == folded }) {
        facets[index].append(definition)
      } else {
        facets.append([definition])
      }
    }
    return facets.map { $0.count == 1 ? $0[0] : .merged($0) }
  }

  private static func definition<M: TableModel>(_ model: M.Type) throws -> TableDefinition {
    try TableDefinition(of: model)
  }

  private static func searchTable<M: TableModel>(
    _ model: M.Type
  ) throws -> SearchTableDefinition? {
    try SearchTableDefinition(of: model)
  }

  private static func view<V: SQLView>(_ model: V.Type) throws -> ViewDefinition {
    try ViewDefinition(of: model)
  }
}

/// A `Unique64` column that is the first column of a primary key. A later column of a key does not
/// count, because the key's index is not sorted by it.
package struct IDColumn: Hashable {
  package let table: String
  let column: String

  init?<M: TableModel>(of model: M.Type) throws {
    let layout = try M.layout
    guard let index = layout.keyColumns.first, layout.columns[index].type is Unique64.Type else {
      return nil
    }
    table = layout.tableName
    column = layout.columns[index].name
  }

  /// The SELECT statement for the greatest id that is not above the limit `?1`. The statement makes
  /// one seek in the key's index.
  fileprivate var greatest: String {
    let column = Identifier(column).quoted
    return "SELECT max(\(column)) AS id FROM \(Identifier(table).quoted) WHERE \(column) <= ?1"
  }
}

extension ConnectionCore {
  /// Moves the id generator past the stored ids, so that no id is generated again after a restart.
  /// Costs one statement for each 100 columns, with one index seek for each column. The tables must
  /// exist.
  package func advanceIDs(past columns: [IDColumn]) throws {
    // SQLite allows at most 500 terms in a compound SELECT.
    var rest = columns[...]
    while !rest.isEmpty {
      let terms = rest.prefix(100).map(\.greatest).joined(separator: " UNION ALL ")
      rest = rest.dropFirst(100)
      let limit = Unique64.generator.advanceLimit
      let greatest = try integer("SELECT max(id) FROM (\(terms))", binding: limit.rawValue)
      if let greatest { Unique64.generator.advance(past: Unique64(rawValue: greatest)) }
    }
  }
}

// These functions are not methods of arrays, because the compiler of Swift 6.3 would crash. It
// crashes when it resolves a method call on the result of `fetch` and considers one of these
// functions as a candidate.

/// Returns the elements without repetitions. The first of equal elements stays.
package func uniqued<Element: Hashable>(_ elements: [Element]) -> [Element] {
  var seen: Set<Element> = []
  return elements.filter { seen.insert($0).inserted }
}

/// Returns the elements without repetitions of a key. The first element with each key stays.
package func uniqued<Element>(_ elements: [Element], by key: (Element) -> String) -> [Element] {
  var seen: Set<String> = []
  return elements.filter { seen.insert(key($0)).inserted }
}

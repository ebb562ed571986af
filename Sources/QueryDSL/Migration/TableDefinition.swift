import SQLCore

/// A table as a model declares it, in SQL's terms.
struct TableDefinition {
  struct ColumnDefinition {
    let name: String
    let storageClass: StorageClass
    let isOptional: Bool
    /// The declared default, as an SQL literal.
    var defaultLiteral: String?
    /// What old rows get where nothing is declared: zero or empty, for the types that have it.
    let fallbackLiteral: String?

    var quotedName: String { Identifier(name).quoted }

    /// `"title" TEXT NOT NULL DEFAULT 'x'`
    func sql(addingDefault: Bool = false) -> String {
      var text = "\(quotedName) \(storageClass.rawValue)"
      if !isOptional { text += " NOT NULL" }
      if let literal = defaultLiteral ?? (addingDefault && !isOptional ? fallbackLiteral : nil) {
        text += " DEFAULT \(literal)"
      }
      return text
    }
  }

  struct IndexDefinition: Hashable {
    let name: String
    let columns: [String]
    let isUnique: Bool
  }

  struct ForeignKeyDefinition: Hashable {
    let columns: [String]
    let target: ForeignKeyTarget
    let onDelete: ForeignKeyAction
    let onUpdate: ForeignKeyAction

    var sql: String {
      var text = "REFERENCES \(Identifier(target.table).quoted)"
      text += " (\(Identifier(target.column).quoted))"
      if onDelete != .noAction { text += " ON DELETE \(onDelete.rawValue)" }
      if onUpdate != .noAction { text += " ON UPDATE \(onUpdate.rawValue)" }
      return text
    }
  }

  let model: any Model.Type
  let name: String
  private(set) var columns: [ColumnDefinition]
  let keyNames: [String]
  let hasRowIDKey: Bool
  let indexes: [IndexDefinition]
  private(set) var foreignKeys: [ForeignKeyDefinition]

  var quotedName: String { Identifier(name).quoted }

  init<M: Model>(of model: M.Type) throws {
    let layout = try M.layout
    self.model = model
    name = layout.tableName
    keyNames = layout.keyColumns.map { layout.columns[$0].name }
    hasRowIDKey = layout.rowIDColumn != nil
    var defaults: [Int: String] = [:]
    var indexes: [IndexDefinition] = []
    var foreignKeys: [ForeignKeyDefinition] = []
    func columnName(_ path: PartialKeyPath<M>, in line: String) throws -> String {
      guard let index = layout.index(ofColumn: path) else {
        throw ModelError(M.self, "\(line)(…) needs columns: `\\.$name`, with the dollar sign")
      }
      return layout.columns[index].name
    }
    for element in M.schema.elements {
      switch element.kind {
      case .index(let paths, let isUnique):
        let names = try paths.map { try columnName($0, in: isUnique ? "Unique" : "Index") }
        let joined = names.joined(separator: "_")
        let name = "\(layout.tableName)_\(isUnique ? "unique" : "on")_\(joined)"
        // `a_b` and `a`, `b` would be called alike.
        let isTaken = indexes.contains { $0.name == name && $0.columns != names }
        indexes.append(
          IndexDefinition(
            name: isTaken ? "\(name)_\(names.count)" : name, columns: names, isUnique: isUnique))
      case .foreignKey(let paths, let target, let onDelete, let onUpdate):
        foreignKeys.append(
          ForeignKeyDefinition(
            columns: try paths.map { try columnName($0, in: "ForeignKey") }, target: try target(),
            onDelete: onDelete, onUpdate: onUpdate))
      case .default(let path, let value):
        guard let index = layout.index(ofColumn: path) else {
          throw ModelError(M.self, "Default(…) needs a column: `\\.$name`, with the dollar sign")
        }
        defaults[index] = try value(layout.columns[index].form).databaseValue.description
      case .stored: break
      }
    }
    self.indexes = indexes
    self.foreignKeys = foreignKeys
    columns = layout.columns.enumerated().map { index, column in
      ColumnDefinition(
        name: column.name, storageClass: column.storageClass, isOptional: column.isOptional,
        defaultLiteral: defaults[index], fallbackLiteral: Self.fallback(for: column.type))
    }
  }

  /// Zero of the numbers, the empty text and bytes; no other type has a value that stands for none.
  private static func fallback(for type: any ColumnValue.Type) -> String? {
    switch type {
    case is any FixedWidthInteger.Type, is Bool.Type: "0"
    case is any BinaryFloatingPoint.Type: "0.0"
    case is String.Type: "''"
    case is any RangeReplaceableCollection<UInt8>.Type: "x''"
    default: nil
    }
  }

  func declares(_ column: String) -> Bool {
    columns.contains { $0.name.lowercasedASCII == column.lowercasedASCII }
  }

  /// The facets of one table, each knowing what the others say of its columns: their foreign keys,
  /// their defaults, and that a column which another lacks needs one.
  static func sharing(_ facets: [TableDefinition]) -> [TableDefinition] {
    guard facets.count > 1 else { return facets }
    var foreignKeys: [ForeignKeyDefinition] = []
    for key in facets.flatMap(\.foreignKeys) where !foreignKeys.contains(key) {
      foreignKeys.append(key)
    }
    return facets.map { facet in
      var shared = facet
      shared.foreignKeys = foreignKeys.filter { $0.columns.allSatisfy(facet.declares) }
      for index in facet.columns.indices where shared.columns[index].defaultLiteral == nil {
        let column = facet.columns[index]
        let name = column.name.lowercasedASCII
        let others = facets.flatMap(\.columns).filter { $0.name.lowercasedASCII == name }
        let isNeeded = !column.isOptional && !facets.allSatisfy { $0.declares(column.name) }
        shared.columns[index].defaultLiteral =
          others.lazy.compactMap(\.defaultLiteral).first
          ?? (isNeeded ? column.fallbackLiteral : nil)
      }
      return shared
    }
  }

  /// `CREATE TABLE …`, STRICT.
  var createTable: String {
    var lines: [String] = []
    for column in columns {
      var line = column.sql()
      if hasRowIDKey, column.name == keyNames[0] {
        // PRIMARY KEY comes before NOT NULL by habit.
        line = "\(column.quotedName) INTEGER PRIMARY KEY" + (column.isOptional ? "" : " NOT NULL")
      }
      lines.append(line)
    }
    if !hasRowIDKey {
      let names = keyNames.map { Identifier($0).quoted }.joined(separator: ", ")
      lines.append("PRIMARY KEY (\(names))")
    }
    for key in foreignKeys {
      let names = key.columns.map { Identifier($0).quoted }.joined(separator: ", ")
      lines.append("FOREIGN KEY (\(names)) \(key.sql)")
    }
    return "CREATE TABLE \(quotedName) (\n  " + lines.joined(separator: ",\n  ") + "\n) STRICT"
  }

  /// `CREATE INDEX …`
  func createIndex(_ index: IndexDefinition) -> String {
    let names = index.columns.map { Identifier($0).quoted }.joined(separator: ", ")
    return "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(Identifier(index.name).quoted) "
      + "ON \(quotedName) (\(names))"
  }
}

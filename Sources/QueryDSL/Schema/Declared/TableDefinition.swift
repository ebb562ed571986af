import SQLCore

/// A table as its models declare it, with names and expressions in SQL.
package struct TableDefinition {
  /// A column, with the Swift type that a migration needs to know.
  package struct Column {
    package var name: String
    package var storageClass: StorageClass
    package var isOptional: Bool
    /// The declared default: a literal, or an expression in parentheses.
    package var defaultSQL: String?
    /// Whether the default is implied instead of declared, because another model of the table lacks
    /// the column and inserts rows without it.
    package var hasImpliedDefault = false
    package var collation: String?
    package var generated: Generated?
    /// The conversion of values from an earlier type to the column's type.
    package var conversion: DeclaredConversion?
    /// The column's Swift type and property. Error messages name them, and a migration checks
    /// whether the type can read the stored values.
    package var type: ColumnType

    init(
      _ name: String, _ storageClass: StorageClass, isOptional: Bool = false,
      defaultSQL: String? = nil, collation: String? = nil, generated: Generated? = nil,
      conversion: DeclaredConversion? = nil, type: ColumnType? = nil
    ) {
      self.name = name
      self.storageClass = storageClass
      self.isOptional = isOptional
      self.defaultSQL = defaultSQL
      self.collation = collation
      self.generated = generated
      self.conversion = conversion
      self.type = type ?? ColumnType(storageClass: storageClass, isOptional: isOptional, name: name)
    }

    /// The value that existing rows get if no default is declared and `MigrationOptions` allow it:
    /// zero or an empty value. Nil if the type has no such value or is optional.
    package var fallbackLiteral: String? { type.isOptional ? nil : type.fallbackLiteral }
  }

  /// The expression of a generated column.
  package struct Generated: Hashable {
    package var expression: String
    package var storage: GeneratedStorage
  }

  package struct Index: Hashable {
    /// The name that the schema declares; nil if Apus makes a name from the terms. In the SQL, the
    /// comment `SQLComment.mark` follows a declared name.
    package var givenName: String?
    /// The SQL of each term: a column or an expression, with its collation and its direction.
    package var terms: [String]
    package var isUnique: Bool
    package var condition: String?

    init(
      _ terms: [String], isUnique: Bool = false, name: String? = nil, condition: String? = nil
    ) {
      self.terms = terms
      self.isUnique = isUnique
      givenName = name
      self.condition = condition
    }
  }

  package struct ForeignKey: Hashable {
    package var columns: [String]
    package var target: ForeignKeyTarget
    package var onDelete: ForeignKeyAction
    package var onUpdate: ForeignKeyAction
    package var isDeferred: Bool

    init(
      columns: [String], target: ForeignKeyTarget, onDelete: ForeignKeyAction = .noAction,
      onUpdate: ForeignKeyAction = .noAction, isDeferred: Bool = false
    ) {
      self.columns = columns
      self.target = target
      self.onDelete = onDelete
      self.onUpdate = onUpdate
      self.isDeferred = isDeferred
    }
  }

  package struct Check: Hashable {
    package var name: String?
    package var condition: String

    init(_ condition: String, name: String? = nil) {
      self.condition = condition
      self.name = name
    }
  }

  package struct Problem {
    package let reason: String
    /// A line of Swift that the error offers as a correction.
    package let line: String
  }

  /// The name of the model; several names if models share the table.
  package var model: String
  package var name: String
  package var columns: [Column]
  package var keyNames: [String]
  /// The rule that makes the name of a column from the name of its property.
  var columnNaming = ColumnNaming.asDeclared
  /// Whether the table is WITHOUT ROWID; nil if the schema does not say.
  package var isWithoutRowID: Bool?
  package var indexes: [Index] = []
  package var foreignKeys: [ForeignKey] = []
  package var checks: [Check] = []
  var triggers: [TriggerDefinition] = []
  var searchIndexes: [SearchIndexDefinition] = []
  /// Elements such as `Logged()` and `VectorIndex(…)`. Each adds an object to the table.
  var ownedLines: [OwnedObjectLine] = []
  package var removals: Set<Removal> = []
  /// The renamed columns: `name` is the declared name, and `from` a former name.
  package var renamedColumns: [(name: String, from: String)] = []
  /// The former names of the table.
  package var formerNames: [String] = []
  /// The reasons why the models' declarations of the table are invalid.
  package var problems: [Problem] = []

  init(
    _ name: String, model: String? = nil, columns: [Column], keyNames: [String],
    isWithoutRowID: Bool? = nil
  ) {
    self.name = name
    self.model = model ?? name
    self.columns = columns
    self.keyNames = keyNames
    self.isWithoutRowID = isWithoutRowID
  }

  package var quotedName: String { Identifier(name).quoted }

  /// Whether the key is an alias of the rowid.
  package var hasRowIDKey: Bool {
    isWithoutRowID != true && keyNames.count == 1
      && column(keyNames[0])?.storageClass == .integer
  }

  package func column(_ name: String) -> Column? {
    columns.first { $0.name.isSame(as: name) }
  }

  package func declares(_ column: String) -> Bool { self.column(column) != nil }

  package func isKey(_ column: String) -> Bool {
    keyNames.contains { $0.isSame(as: column) }
  }

  package func removes(_ removal: Removal) -> Bool {
    removals.contains { $0.folded == removal.folded }
  }
}

extension TableDefinition {
  /// The names of the triggers that the schema drops, sorted.
  package var removedTriggers: [String] {
    removals.compactMap { if case .trigger(let name) = $0 { name } else { nil } }.sorted()
  }
}

extension Removal {
  /// The removal in a form for comparison: its names in lower case, and the text of a CHECK
  /// normalised.
  fileprivate var folded: Removal {
    switch self {
    case .column(let name): .column(name.lowercasedASCII)
    case .index(let name): .index(name.lowercasedASCII)
    case .trigger(let name): .trigger(name.lowercasedASCII)
    case .searchIndex(let name): .searchIndex(name.lowercasedASCII)
    case .log: .log
    case .view(let name): .view(name.lowercasedASCII)
    case .table(let name): .table(name.lowercasedASCII)
    case .foreignKey(let names): .foreignKey(names.map(\.lowercasedASCII))
    case .unique(let names): .unique(names.map(\.lowercasedASCII))
    case .check(let text): .check(text.normalSQL.joined(separator: " "))
    case .attribute(let name, let attribute): .attribute(column: name.lowercasedASCII, attribute)
    }
  }
}

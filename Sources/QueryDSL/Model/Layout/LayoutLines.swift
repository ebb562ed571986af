import SQLCore

/// The lines of a schema that affect the layout of its model or row type, and so all of its SQL.
struct LayoutLines {
  private(set) var forms: [Int: StoredForm] = [:]
  private(set) var names: [Int: String] = [:]
  /// The prefixes of groups, by the index of the first column.
  private var prefixes: [Int: String] = [:]
  private(set) var generated: Set<Int> = []
  private(set) var isWithoutRowID = false
  private(set) var cacheLimits: CacheLimits?
  private(set) var resultLimits: CacheLimits?
  /// All lines of the schema, as `[SchemaElement<M>]`. They are kept because evaluating a schema
  /// creates its key paths, which is the most expensive part of opening a database for the first
  /// time.
  private(set) var elements: Any = ()

  /// - Parameter index: returns the index of the column that a key path names; its second argument
  ///   is the name of the line, for errors.
  init<M: ResultRow>(
    of model: M.Type, index: (PartialKeyPath<M>, String) throws -> Int
  ) throws {
    let elements = M.schema.elements
    self.elements = elements
    for element in elements {
      switch element.kind {
      case .stored(let path, let form): forms[try index(path, "Stored")] = form
      case .named(let path, let name): names[try index(path, "Named")] = name
      case .prefixed(let path, let prefix): prefixes[try index(path, "Prefixed")] = prefix
      case .generated(let path, _, _): generated.insert(try index(path, "Generated"))
      case .rowID(let isLeftOut): isWithoutRowID = isLeftOut
      case .cached(let limits): cacheLimits = limits
      case .cachedResults(let limits): resultLimits = limits
      case .index, .foreignKey, .check, .default, .defaultSQL, .collated, .trigger, .fullText,
        .existingFullText, .logged, .renamed, .renamedTable, .dropped, .droppedAttribute,
        .converted:
        break
      }
    }
  }
  /// Returns the name of a column by the naming of its model: in a group, with the group's prefix.
  func name(of field: ModelFields.ColumnField, by naming: ColumnNaming) -> String {
    guard let (start, property, column) = field.group else { return naming.name(of: field.name) }
    // A name that the group declares is kept.
    let isNamed = column.name != column.property && !column.property.contains(".$")
    return (prefixes[start] ?? naming.name(of: property) + "_")
      + (isNamed ? column.name : naming.name(of: column.name))
  }
}

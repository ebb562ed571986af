import SQLCore

/// The lines of a schema that affect the layout of its model or row type, and so all of its SQL.
struct LayoutLines {
  private(set) var forms: [Int: StoredForm] = [:]
  private(set) var names: [Int: String] = [:]
  private(set) var generated: Set<Int> = []
  private(set) var isWithoutRowID = false
  private(set) var cacheLimits: CacheLimits?
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
      case .generated(let path, _, _): generated.insert(try index(path, "Generated"))
      case .rowID(let isLeftOut): isWithoutRowID = isLeftOut
      case .cached(let limits): cacheLimits = limits
      case .index, .foreignKey, .check, .default, .defaultSQL, .collated, .trigger, .fullText,
        .existingFullText, .logged, .renamed, .renamedTable, .dropped, .droppedAttribute,
        .converted:
        break
      }
    }
  }
}

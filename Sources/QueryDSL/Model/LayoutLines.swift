import SQLCore

/// What a schema says of the layout of its model or row: the lines that count before any SQL is written.
struct LayoutLines {
  private(set) var forms: [Int: StoredForm] = [:]
  private(set) var names: [Int: String] = [:]
  private(set) var generated: Set<Int> = []
  private(set) var isWithoutRowID = false
  /// All lines, `[SchemaElement<M>]`: evaluating a schema makes its key paths, which costs more than
  /// anything else of opening a database for the first time.
  private(set) var elements: Any = ()

  /// - Parameter index: the column that a key path names, with the line in which it stands.
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
      case .index, .foreignKey, .check, .default, .defaultSQL, .collated, .renamed, .renamedTable,
        .dropped, .droppedAttribute, .converted:
        break
      }
    }
  }
}

import SQLCore

/// A column of a model, as far as SQL needs to know it.
@usableFromInline
package struct ModelColumn: Sendable {
  @usableFromInline package let name: String
  /// The name of the property.
  let property: String
  @usableFromInline package let type: any ColumnValue.Type
  package let isOptional: Bool
  package let isPrimaryKey: Bool
  @usableFromInline package let form: StoredForm
  package let storageClass: StorageClass
  /// Whether SQLite calculates it: it is read and never written.
  package let isGenerated: Bool

  /// The name in double quotes.
  package let quotedName: String
}

/// What is known of a model's type: its columns, where they lie, and an instance whose columns name
/// themselves. Read once a type and kept for ever.
///
/// `@unchecked Sendable`: everything in it is written before anybody else sees it; the instance is
/// only read.
@usableFromInline
package final class ModelLayout: @unchecked Sendable {
  /// The number by which the shape of a query names the model.
  package let number: UInt16
  package let model: any ResultRow.Type
  /// The name of the table; of a row that has none, of its type.
  package let tableName: String
  package let quotedTableName: String
  @usableFromInline package let columns: [ModelColumn]
  package let slots: ColumnSlots
  package let keyColumns: [Int]
  /// How the model's `ID` lies in memory: plain values, in the order of `keyColumns`.
  let keySlots: ColumnSlots
  /// The other ways in which programs spell the key.
  let keySpellings: [KeySpelling]
  /// The one key column that is the rowid, where there is one.
  package let rowIDColumn: Int?
  /// Whether the table has a rowid, which WITHOUT ROWID leaves out.
  let hasRowID: Bool
  let orders: ColumnOrders
  /// What SQLite calculates, to be read back when a model was written.
  let generatedColumns: [Int]
  private let roundedColumns: [Int]
  /// The lines of the model's schema, `[SchemaElement<M>]`, as they were evaluated once.
  let schemaElements: Any
  private let ignored: [(offset: Int, type: any IgnoredWrapper.Type)]
  /// What finds the columns by their key paths.
  @usableFromInline let names: Names

  /// Whether a loaded model has properties besides its columns.
  var hasIgnored: Bool { !ignored.isEmpty }

  private init<M: ResultRow>(
    of model: M.Type, number: UInt16, fields: ModelFields, lines: LayoutLines
  ) throws {
    self.number = number
    self.model = model
    tableName = (model as? any Model.Type)?.tableName ?? String(describing: model)
    quotedTableName = Identifier(tableName).quoted
    ignored = fields.ignored
    let naming = (model as? any Model.Type)?.columnNaming ?? .asDeclared
    let columns = try fields.columns.enumerated().map { index, field in
      let form = lines.forms[index] ?? .standard
      let name = lines.names[index] ?? naming.name(of: field.name)
      guard let storageClass = field.wrapper.valueType.storageClass(as: form),
        storageClass != .null
      else {
        throw ModelError(
          M.self, "\(field.name): \(field.wrapper.valueType) has no stored form `.\(form)`")
      }
      return ModelColumn(
        name: name, property: field.name, type: field.wrapper.valueType,
        isOptional: field.wrapper.valueType.isOptional,
        isPrimaryKey: field.wrapper.isPrimaryKey, form: form, storageClass: storageClass,
        isGenerated: lines.generated.contains(index), quotedName: Identifier(name).quoted)
    }
    try Self.checkNames(columns, of: M.self)
    slots = ColumnSlots(
      fields.columns.enumerated().map { index, field in
        field.wrapper.slot(offset: field.offset, form: lines.forms[index] ?? .standard)
      },
      stride: MemoryLayout<M>.stride)
    names = Names(
      instance: UnsafeRawPointer(fields.makeNamingInstance(of: M.self)), slots: slots)
    let keyColumns = columns.indices.filter { columns[$0].isPrimaryKey }
    self.columns = columns
    self.keyColumns = keyColumns
    let keys = keyColumns.map { columns[$0] }
    roundedColumns = columns.indices.filter { columns[$0].form.isApproximate }
    keySlots =
      try (model as? any Model.Type).map { try KeyLayout.slots(ofKeyOf: $0, for: keys) }
      ?? ColumnSlots([], stride: 0)
    keySpellings = KeySpelling.others(
      of: columns, keyColumns: keyColumns, slots: slots, keySlots: keySlots,
      strides: (slots.stride, keySlots.stride))
    hasRowID = !lines.isWithoutRowID
    rowIDColumn =
      hasRowID && keys.count == 1 && keys[0].storageClass == .integer ? keyColumns[0] : nil
    schemaElements = lines.elements
    generatedColumns = columns.indices.filter { columns[$0].isGenerated }
    orders = ColumnOrders(of: columns, rowIDColumn: rowIDColumn)
    if let key = keys.first(where: \.isOptional), rowIDColumn == nil {
      throw ModelError(
        M.self,
        "\(key.name): only a single key of an integer type may be optional; "
          + "the database assigns no other")
    }
  }

  /// Reads the layout of a type.
  static func make<Row: ResultRow>(of row: Row.Type, number: UInt16) throws -> ModelLayout {
    let fields = try ModelFields(of: row)
    let lines = try declaredLines(of: row, fields)
    return try ModelLayout(of: row, number: number, fields: fields, lines: lines)
  }

  /// What a schema says of the layout.
  private static func declaredLines<M: ResultRow>(
    of model: M.Type, _ fields: ModelFields
  ) throws -> LayoutLines {
    // The schema's key paths are resolved against an instance, which needs no forms yet.
    let naming = fields.makeNamingInstance(of: M.self)
    defer {
      naming.assumingMemoryBound(to: M.self).deinitialize(count: 1)
      naming.deallocate()
    }
    let instance = naming.assumingMemoryBound(to: M.self)
    return try LayoutLines(of: M.self) { path, line in
      guard let index = (instance.pointee[keyPath: path] as? any AnyColumnReference)?.index else {
        throw ModelError(M.self, "\(line)(…) needs a column: `\\.$name`, with the dollar sign")
      }
      return index
    }
  }

  /// Named by a strategy or a line, two columns may meet that the properties kept apart.
  private static func checkNames(
    _ columns: [ModelColumn], of model: any ResultRow.Type
  ) throws {
    var seen: Set<String> = []
    for column in columns {
      guard !column.name.isEmpty, !column.name.utf8.contains(0) else {
        throw ModelError(model, "\"\(column.name)\" cannot be the name of a column")
      }
      guard seen.insert(column.name.lowercasedASCII).inserted else {
        throw ModelError(
          model, "\(column.name): two columns differ by case alone, which SQL ignores")
      }
    }
  }

  /// The index of the column that a key path names; nil where it names none.
  @inlinable
  package func index<M: ResultRow, Value>(of path: KeyPath<M, ColumnReference<Value>>) -> Int? {
    names.index(of: path)
  }

  package func index<M: ResultRow>(ofColumn path: PartialKeyPath<M>) -> Int? {
    let reference = names.instance.assumingMemoryBound(to: M.self).pointee[keyPath: path]
    return (reference as? any AnyColumnReference)?.index
  }

  /// The index of the column of that name, without case as in SQL.
  package func index(named name: String) -> Int? {
    let folded = name.lowercasedASCII
    return columns.firstIndex { $0.name.lowercasedASCII == folded }
  }

  /// Gives those of the written columns whose declared form holds less than their type, such as a
  /// Julian day, the value that will read back. Of the others it is what was read.
  func round(
    _ model: UnsafeMutableRawPointer, written columns: UnsafeBufferPointer<UInt16>
  ) throws {
    for index in roundedColumns where columns.contains(UInt16(truncatingIfNeeded: index)) {
      let column = self.columns[index]
      let memory = model + Int(slots.slots[index].offset)
      let stored = try column.type.databaseValue(ofColumnAt: memory, as: column.form)
      try slots.assign(stored, toColumn: index, of: model)
    }
  }

  /// Sets to nil what a loaded model holds besides its columns.
  func initializeIgnored(in model: UnsafeMutableRawPointer) {
    for property in ignored { property.type.initializeNil(at: model + property.offset) }
  }
}

extension StoredForm {
  /// Whether a value may read back as another than the one that was stored.
  fileprivate var isApproximate: Bool {
    switch self {
    case .unixSeconds, .referenceSeconds: true
    default: dateUnit > 1
    }
  }
}

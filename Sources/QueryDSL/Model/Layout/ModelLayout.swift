import SQLCore

/// A column of a model, with the facts about it that SQL needs.
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
  /// Whether the column is generated: SQLite calculates its value, so the column is read but not
  /// written.
  package let isGenerated: Bool

  /// The name in double quotes.
  package let quotedName: String
}

/// The layout of a model's type: its columns, their offsets in memory, and an instance in which
/// each column holds its index instead of a value. A layout is made once for each type and lives
/// for ever.
///
/// `@unchecked Sendable`: all members are written before other threads can see the layout, and the
/// instance is only read.
@usableFromInline
package final class ModelLayout: @unchecked Sendable {
  /// The number by which queries and cached statements refer to the layout.
  package let number: UInt16
  package let model: any ResultRow.Type
  /// The name of the table; for a row type without a table, the name of the type.
  package let tableName: String
  package let quotedTableName: String
  @usableFromInline package let columns: [ModelColumn]
  package let slots: ColumnSlots
  package let keyColumns: [Int]
  /// The layout of the model's `ID` in memory: plain values, in the order of `keyColumns`.
  let keySlots: ColumnSlots
  /// The other spellings of the key, which other programs may have written, such as a UUID in upper
  /// case.
  let keySpellings: [KeySpelling]
  /// The index of the key column that is the rowid, if there is one.
  package let rowIDColumn: Int?
  /// Whether the model is a view. A view has no rows of its own.
  package let isView: Bool
  /// Whether the table has a rowid, because it is not declared WITHOUT ROWID.
  let hasRowID: Bool
  /// The cache that the schema declares; nil if rows are not cached.
  @usableFromInline let caching: ModelCaching?
  /// The number of the model's row cache. It is nil if the rows are not cached, or if their keys do
  /// not have 8 bytes.
  let wordCache: Int?
  /// The cache of results that the schema declares; nil if results are not cached.
  let resultCaching: CachedModel?
  let orders: ColumnOrders
  /// The generated columns, which are read back after a model is written.
  let generatedColumns: [Int]
  /// The columns whose stored form is less precise than their type, such as dates in whole seconds.
  let roundedColumns: [Int]
  /// The elements of the model's schema, as `[SchemaElement<M>]`; they are evaluated once.
  let schemaElements: Any
  private let ignored: [(offset: Int, type: any IgnoredWrapper.Type)]
  /// The value that finds the columns by their key paths.
  @usableFromInline let names: Names

  /// Whether the model has `@Ignored` properties. Loading a model must set them to nil.
  var hasIgnored: Bool { !ignored.isEmpty }

  private init<M: ResultRow>(
    of model: M.Type, number: UInt16, fields: ModelFields, lines: LayoutLines
  ) throws {
    self.number = number
    self.model = model
    tableName = (model as? any TableModel.Type)?.tableName ?? String(nameOf: model)
    quotedTableName = Identifier(tableName).quoted
    isView = (model as? any TableModel.Type)?._isView ?? false
    ignored = fields.ignored
    let naming = (model as? any TableModel.Type)?.columnNaming ?? .asDeclared
    let isTable = (model as? any TableModel.Type).map { !$0._isView } ?? false
    let columns = try fields.columns.enumerated().map { index, field in
      let form = lines.forms[index] ?? field.group?.column.form ?? .standard
      guard field.group == nil || form == field.group?.column.form else {
        throw ModelError(
          M.self,
          "Stored(\\.$\(field.name), …): the form of a column in a group is the same wherever the "
            + "group is; write the line in the schema of the group")
      }
      let name = lines.names[index] ?? lines.name(of: field, by: naming)
      let type = field.valueType
      guard let storageClass = type.storageClass(as: form),
        storageClass != .null
      else {
        throw ModelError(
          M.self, "\(field.name): \(type) has no stored form `.\(form)`")
      }
      guard !isTable || !(type.nonOptional is HighlightedText.Type) else {
        throw ModelError(
          M.self,
          "\(field.name): a HighlightedText cannot be stored; declare a String, and store `text`")
      }
      return ModelColumn(
        name: name, property: field.name, type: type, isOptional: type.isOptional,
        isPrimaryKey: field.wrapper.isPrimaryKey, form: form, storageClass: storageClass,
        isGenerated: lines.generated.contains(index), quotedName: Identifier(name).quoted)
    }
    try Self.checkNames(columns, of: M.self)
    slots = ColumnSlots(
      zip(fields.columns, columns).map { field, column in field.slot(form: column.form) },
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
    caching =
      if let limits = lines.cacheLimits {
        try ModelCaching(
          of: M.self, limits: limits, number: number, tableName: tableName, key: keySlots)
      } else {
        nil
      }
    wordCache = caching.flatMap { $0.hasWordKeys ? $0.model.number : nil }
    resultCaching =
      if let limits = lines.resultLimits {
        CachedModel(.results, ofLayout: Int(number), table: tableName, limits: limits)
      } else {
        nil
      }
    if resultCaching != nil { ResultCaching.isDeclared.store(true, ordering: .releasing) }
    if keys.isEmpty, lines.isWithoutRowID {
      throw ModelError(M.self, "WithoutRowID() needs a primary key; declare a @PrimaryKey")
    }
    if let key = keys.first(where: \.isOptional), rowIDColumn == nil {
      throw ModelError(
        M.self,
        "\(key.name): only a single key of an integer type may be optional; "
          + "the database cannot assign other keys")
    }
  }

  /// Makes the layout of a type from its stored properties and its schema.
  static func make<Row: ResultRow>(of row: Row.Type, number: UInt16) throws -> ModelLayout {
    let fields = try ModelFields(of: row)
    let lines = try declaredLines(of: row, fields)
    return try ModelLayout(of: row, number: number, fields: fields, lines: lines)
  }

  /// Returns the elements of the schema that affect the layout.
  private static func declaredLines<M: ResultRow>(
    of model: M.Type, _ fields: ModelFields
  ) throws -> LayoutLines {
    // The key paths in the elements of the schema are resolved by this instance. It can be made
    // before the elements are read, because it does not depend on them.
    let naming = fields.makeNamingInstance(of: M.self)
    defer {
      naming.assumingMemoryBound(to: M.self).deinitialize(count: 1)
      naming.deallocate()
    }
    let instance = naming.assumingMemoryBound(to: M.self)
    return try LayoutLines(of: M.self) { path, line in
      if line == "Prefixed", let group = instance.pointee[keyPath: path] as? any AnyGroupReference {
        let start = group.firstIndex ?? 0
        let count = fields.columns.count { $0.group?.start == start }
        guard count == group.columnCount else {
          throw ModelError(
            M.self,
            "Prefixed(…): for a group in a group, write the line in the schema of the outer group")
        }
        return start
      }
      guard let index = (instance.pointee[keyPath: path] as? any AnyColumnReference)?.index else {
        throw ModelError(M.self, "\(line)(…) needs a column: `\\.$name`, with the dollar sign")
      }
      return index
    }
  }

  /// Throws `ModelError` if two columns have the same name because of a naming rule or an element
  /// of the schema, or if a name is not valid.
  private static func checkNames(
    _ columns: [ModelColumn], of model: any ResultRow.Type
  ) throws {
    var seen: Set<String> = []
    for column in columns {
      guard !column.name.isEmpty, !column.name.utf8.contains(0) else {
        throw ModelError(
          model,
          "\"\(column.name)\" cannot be the name of a column; a name must not be empty or contain "
            + "U+0000")
      }
      guard seen.insert(column.name.lowercasedASCII).inserted else {
        throw ModelError(
          model,
          columns.contains { $0.property.contains(".$") && $0.name.isSame(as: column.name) }
            ? "\(column.name): two columns have this name; give the group another prefix, by "
              + "`Prefixed(\\.$group, \"…\")`, or one column another name, by `Named`"
            : "\(column.name): two columns differ only by case, which SQL ignores; rename one")
      }
    }
  }

  /// Returns the index of the column with that name; case is ignored, as in SQL.
  package func index(named name: String) -> Int? {
    columns.firstIndex { $0.name.isSame(as: name) }
  }

  /// Replaces written values by the values that will be read back. This is needed only for columns
  /// whose stored form is less precise than their type, such as a Date stored as a Julian day.
  func round(
    _ model: UnsafeMutableRawPointer, written columns: UnsafeBufferPointer<UInt16>
  ) throws {
    for index in roundedColumns where columns.contains(UInt16(truncatingIfNeeded: index)) {
      let column = self.columns[index]
      let memory = model + Int(slots.slots[index].offset)
      let stored = try slots.slots[index].type._databaseValue(
        ofColumnAt: memory, as: column.form)
      try slots.assign(stored, toColumn: index, of: model)
    }
  }

  /// Sets the `@Ignored` properties of a loaded model to nil.
  func initializeIgnored(in model: UnsafeMutableRawPointer) {
    for property in ignored { property.type.initializeNil(at: model + property.offset) }
  }

  /// Sets the `@Ignored` properties to the values that they have in another instance.
  func setIgnored(in model: UnsafeMutableRawPointer, toThoseIn other: UnsafeRawPointer) {
    for property in ignored {
      property.type.set(propertyAt: model + property.offset, toThatAt: other + property.offset)
    }
  }
}

extension StoredForm {
  /// Whether a value may change if it is stored in this form and read back.
  fileprivate var isApproximate: Bool {
    switch self {
    case .unixSeconds, .referenceSeconds: true
    default: dateUnit > 1
    }
  }
}

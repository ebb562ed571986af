import SQLCore
@_spi(Reflection) import Swift

/// The stored properties of a model's type, divided into columns and `@Ignored` properties.
struct ModelFields {
  struct ColumnField {
    /// The name of the property. For a column in a group, this name is made of the name of the
    /// group's property and the name of the property inside the group, as in `home.$city`.
    let name: String
    let offset: Int
    let wrapper: any ColumnWrapper.Type
    /// The group that the column belongs to; nil for other columns. `start` is the index of the
    /// group's first column, `property` is the name of the group's property in the model, and
    /// `column` is this column as the group declares it.
    var group: (start: Int, property: String, column: ModelColumn)?
    var isInOptionalGroup = false

    var valueType: any ColumnValue.Type {
      isInOptionalGroup && !wrapper.valueType.isOptional
        ? wrapper.valueType.optional : wrapper.valueType
    }

    func slot(form: StoredForm) -> ColumnSlot {
      isInOptionalGroup
        ? wrapper.slotInOptionalGroup(offset: offset, form: form)
        : wrapper.slot(offset: offset, form: form)
    }
  }

  private(set) var columns: [ColumnField] = []
  private(set) var ignored: [(offset: Int, type: any IgnoredWrapper.Type)] = []

  init<Row: ResultRow>(of model: Row.Type) throws {
    guard let fields = FieldReflection.fields(of: model) else {
      throw ModelError(
        model, model is any TableModel.Type ? "a model must be a struct" : "a row must be a struct")
    }
    for field in fields {
      let name = Self.propertyName(ofField: field.name)
      if let wrapper = field.type as? any ColumnWrapper.Type {
        guard !Self.isNested(wrapper.valueType) else {
          throw ModelError(model, "\(name): an optional of an optional cannot be a column")
        }
        columns.append(ColumnField(name: name, offset: field.offset, wrapper: wrapper))
      } else if let wrapper = field.type as? any GroupWrapper.Type {
        try append(try wrapper.fields(), named: name, at: field.offset, of: model, wrapper)
      } else if let wrapper = field.type as? any IgnoredWrapper.Type {
        ignored.append((field.offset, wrapper))
      } else {
        throw ModelError(
          model,
          "the stored property \(field.name): \(field.type) is not a column; "
            + (field.type is any _ColumnGroupValue.Type
              ? "write @Embedded before it"
              : "write @Column before it or, for an optional that is not stored, @Ignored"))
      }
    }
    try checkNames(of: model)
  }

  /// Adds the columns of a group. In memory, they are parts of the group's property, which is at
  /// `offset` in the model.
  private mutating func append(
    _ group: (fields: ModelFields, columns: [ModelColumn]), named property: String,
    at offset: Int, of model: any ResultRow.Type, _ wrapper: any GroupWrapper.Type
  ) throws {
    let start = columns.count
    for (field, column) in zip(group.fields.columns, group.columns) {
      guard !column.isPrimaryKey else {
        throw ModelError(
          model,
          "\(property).\(field.name): a key cannot be in a group; write @PrimaryKey before a "
            + "property of the model")
      }
      columns.append(
        ColumnField(
          name: "\(property).$\(field.name)", offset: offset + field.offset,
          wrapper: field.wrapper, group: (start, property, column),
          isInOptionalGroup: field.isInOptionalGroup || wrapper.isOptionalGroup))
    }
    ignored += group.fields.ignored.map { (offset + $0.offset, $0.type) }
  }

  /// Returns the name of a property from the name of its stored field. The field of a wrapper has
  /// the same name with an underscore before it. If the name is not an identifier, the field's name
  /// is in backticks, with U+00A0 for each space.
  private static func propertyName(ofField field: String) -> String {
    guard field.count > 2, field.hasPrefix("`"), field.hasSuffix("`") else {
      return String(field.hasPrefix("_") ? field.dropFirst() : field[...])
    }
    let name = field.dropFirst().dropLast().replacing("\u{A0}", with: " ")
    return String(name.hasPrefix("_") ? name.dropFirst() : name[...])
  }

  private func checkNames<Row: ResultRow>(of model: Row.Type) throws {
    guard columns.count <= 2_000 else {
      throw ModelError(model, "it has more than 2,000 columns, which exceeds SQLite's limit")
    }
    guard !columns.isEmpty || model is any Model.Type else {
      throw ModelError(model, "a row needs at least one @Column")
    }
    guard let table = (model as? any TableModel.Type)?.tableName else { return }
    guard !(model is any Model.Type) || columns.contains(where: { $0.wrapper.isPrimaryKey }) else {
      throw ModelError(
        model,
        "it has no primary key; write @PrimaryKey before the property that is the key, or "
          + "`TableModel` in place of `Model` if the table has no key")
    }
    guard !table.isEmpty, !table.utf8.contains(0),
      !table.hasFoldedPrefix("sqlite_")
    else {
      throw ModelError(
        model,
        "\"\(table)\" cannot be the name of a table; a name must not be empty, contain U+0000 or "
          + "begin with sqlite_")
    }
  }

  private static func isNested(_ type: any ColumnValue.Type) -> Bool {
    type.isOptional && type.nonOptional.isOptional
  }

  /// Allocates an instance of the model in which each column holds its index instead of a value.
  func makeNamingInstance<M: ResultRow>(of model: M.Type) -> UnsafeMutableRawPointer {
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: max(1, MemoryLayout<M>.size), alignment: MemoryLayout<M>.alignment)
    for (index, column) in columns.enumerated() {
      column.wrapper.initialize(naming: index, at: memory + column.offset)
    }
    for property in ignored { property.type.initializeNil(at: memory + property.offset) }
    return memory
  }
}

/// A stored property of a struct or class: its name, its offset in memory, and its type.
package struct StoredField {
  package let name: String
  package let offset: Int
  package let type: Any.Type
}

/// A reader of the stored properties of a struct or class. It needs no instance of the type,
/// because `_forEachField` of the standard library reads the runtime's metadata. Only this file
/// uses `_forEachField`. On Apple's platforms, the function exists too, and needs the same SPI
/// import.
package enum FieldReflection {
  /// Returns the stored properties in the order of their declaration; nil if the type is not a
  /// struct, or if the runtime does not report all of its fields.
  package static func fields<Fields>(of type: Fields.Type) -> [StoredField]? {
    isStruct(type) ? fields(of: type, options: []) : nil
  }

  /// Returns the stored properties of a class with their offsets in an instance, beginning with the
  /// properties of its superclasses; nil if the type is not a class.
  package static func fields<Fields>(ofClass type: Fields.Type) -> [StoredField]? {
    // Swift 6 rejects `.classType`, because the standard library declares it as a variable. Its raw
    // value is 1.
    type is AnyClass ? fields(of: type, options: _EachFieldOptions(rawValue: 1)) : nil
  }

  private static func fields<Fields>(
    of type: Fields.Type, options: _EachFieldOptions
  ) -> [StoredField]? {
    var fields: [StoredField] = []
    let isComplete = _forEachField(of: type, options: options) { name, offset, fieldType, _ in
      fields.append(StoredField(name: String(cString: name), offset: offset, type: fieldType))
      return true
    }
    return isComplete ? fields : nil
  }

  /// Returns whether a type is a struct. The runtime reports the kind of a type, such as struct,
  /// only for the type of a field. So this function asks for the fields of `Holder`, whose only
  /// field has the given type.
  private static func isStruct<Kind>(_: Kind.Type) -> Bool {
    var isStruct = false
    _ = _forEachField(of: Holder<Kind>.self, options: []) { _, _, _, kind in
      isStruct = kind == .struct
      return true
    }
    return isStruct
  }

  private struct Holder<Kind> {
    let field: Kind
  }
}

/// The wrapper type of a column, with the information that a layout needs about the column.
protocol ColumnWrapper {
  associatedtype Value: ColumnValue
  static var isPrimaryKey: Bool { get }
}

extension Column: ColumnWrapper {
  static var isPrimaryKey: Bool { false }
}

extension PrimaryKey: ColumnWrapper {
  static var isPrimaryKey: Bool { true }
}

extension ColumnWrapper {
  static var valueType: any ColumnValue.Type { Value.self }

  static func slot(offset: Int, form: StoredForm) -> ColumnSlot {
    ColumnSlot(offset: offset, type: Value.self, form: form)
  }

  /// The slot of a column in an optional group. If the group is nil, the column has no value, and
  /// NULL is written.
  static func slotInOptionalGroup(offset: Int, form: StoredForm) -> ColumnSlot {
    Value.isOptional
      ? slot(offset: offset, form: form)
      : ColumnSlot(offset: offset, type: ValueInGroup<Value>.self, form: form)
  }

  /// Initialises the memory of a column so that it holds the column's index instead of a value.
  static func initialize(naming index: Int, at column: UnsafeMutableRawPointer) {
    column.initializeMemory(as: ColumnStorage<Value>.self, to: ColumnStorage(naming: index))
  }
}

/// A wrapper type of a property that is not a column.
protocol IgnoredWrapper {
  static func initializeNil(at property: UnsafeMutableRawPointer)
  static func set(propertyAt property: UnsafeMutableRawPointer, toThatAt other: UnsafeRawPointer)
}

extension Ignored: IgnoredWrapper {
  static func initializeNil(at property: UnsafeMutableRawPointer) {
    property.initializeMemory(as: Ignored<Wrapped>.self, to: Ignored())
  }

  static func set(propertyAt property: UnsafeMutableRawPointer, toThatAt other: UnsafeRawPointer) {
    property.assumingMemoryBound(to: Ignored<Wrapped>.self).pointee =
      other.assumingMemoryBound(to: Ignored<Wrapped>.self).pointee
  }
}

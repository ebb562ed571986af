import Apus

/// A property of a type that will be generated.
struct PlannedProperty {
  let column: String
  let name: String
  let type: PropertyType
  var isOptional: Bool
  var isKey = false
  /// The description of the column; nil for a view or a virtual table.
  let description: TableDescription.Column?

  /// The type as Swift writes it.
  var typeText: String { type.name + (isOptional ? "?" : "") }
  /// The key path of the column.
  var path: String { "\\.$\(name)" }
}

/// A type that will be generated for a table or view.
struct PlannedModel {
  enum Kind: Equatable {
    /// A table with a key.
    case model
    /// A table with no key, or with a key that a model cannot have.
    case tableModel
    /// A table or view whose rows are only read.
    case row(reason: String)
  }

  let source: SourceTable
  let typeName: String
  private(set) var kind: Kind
  private(set) var properties: [PlannedProperty] = []
  private(set) var notes: [String] = []

  var table: TableDescription? {
    if case .table(let description) = source.kind { description } else { nil }
  }

  var isRow: Bool { if case .row = kind { true } else { false } }

  func property(_ column: String) -> PlannedProperty? {
    properties.first { $0.column.isSameName(as: column) }
  }

  /// The properties of the key, in the order of the key.
  var key: [PlannedProperty] {
    kind == .model ? (table?.keyColumns ?? []).compactMap(property) : []
  }

  init(_ source: SourceTable, typeName: String) {
    self.source = source
    self.typeName = typeName
    switch source.kind {
    case .table(let table): kind = table.keyColumns.isEmpty ? .tableModel : .model
    case .view: kind = .row(reason: "it is a view, whose query is SQL")
    case .virtual: kind = .row(reason: "it is a virtual table")
    }
    planProperties()
  }

  private mutating func planProperties() {
    let types = source.columns.indices.map(type(ofColumn:))
    var keyColumns = table?.keyColumns ?? []
    // A key may hold NULL in SQLite, unless it is the rowid or the table is WITHOUT ROWID.
    let nulls = source.columns.indices.filter { index in
      keyColumns.contains { $0.isSameName(as: source.columns[index].name) }
        && source.surveys[index].nullCount > 0
    }
    if kind == .model, !nulls.isEmpty {
      // If an integer key may be NULL, a migration assumes that the database assigns its values.
      let isInteger =
        keyColumns.count == 1 && source.surveys[nulls[0]].classes.isSubset(of: [.integer])
      kind =
        isInteger && table?.hasRowIDKey == false
        ? .row(reason: "its key is an integer that is not the rowid, and holds NULL") : .tableModel
      keyColumns = []
      notes.append("The key holds NULL, so that no key is declared here; the table keeps its own.")
    }
    var taken: Set<String> = []
    let isID = keyColumns.count == 1 && SwiftName.property(keyColumns[0]) == "id"
    // The name `id` is reserved for the key, or for a computed property that returns the key.
    if kind == .model, !isID { taken.insert("id") }
    for (index, column) in source.columns.enumerated() {
      guard !column.name.isEmpty else {
        notes.append("The column whose name is empty cannot be a property.")
        if column.isNotNull { kind = .row(reason: "a column has an empty name") }
        continue
      }
      let isKey = keyColumns.contains { $0.isSameName(as: column.name) }
      let wanted = SwiftName.property(column.name)
      let name =
        isKey && isID ? "id" : SwiftName.free(wanted == "id" && !isID ? idName : wanted, taken)
      taken.insert(name)
      properties.append(
        PlannedProperty(
          column: column.name, name: name, type: types[index],
          isOptional: isOptional(index, isKey: isKey), isKey: isKey,
          description: table?.columns.first { $0.name.isSameName(as: column.name) }))
    }
    orderKey(keyColumns)
    refuseMisfits(types)
  }

  /// Puts the properties of the key into the order of the key's columns, because the key of a model
  /// has the order of its properties. All other properties keep their places.
  private mutating func orderKey(_ columns: [String]) {
    let places = properties.indices.filter { properties[$0].isKey }
    let ordered = columns.compactMap(property)
    guard places.count == ordered.count else { return }
    for (place, property) in zip(places, ordered) { properties[place] = property }
  }

  /// The name of the property for a column that is named `id`, but is not the key.
  private var idName: String { kind == .model ? "idColumn" : "id" }

  private func type(ofColumn index: Int) -> PropertyType {
    let column = source.columns[index]
    let described = table?.columns.first { $0.name.isSameName(as: column.name) }
    // The rowid is never a date, even if its name and its values look like a date.
    if let table, table.hasRowIDKey, table.keyColumns[0].isSameName(as: column.name) {
      return PropertyType("Int")
    }
    let isCoreData = source.columns.contains { $0.name == "Z_PK" }
    return TypeGuess(
      name: column.name, declaredType: described?.type ?? column.declaredType,
      recordedForm: described?.form, survey: source.surveys[index],
      isStrict: table?.isStrict ?? false, isOfTable: table != nil, isOfCoreData: isCoreData
    ).type
  }

  private func isOptional(_ index: Int, isKey: Bool) -> Bool {
    guard let table else { return true }
    let column = source.columns[index]
    if isKey { return table.hasRowIDKey }
    return !column.isNotNull || source.surveys[index].nullCount > 0
  }

  /// Changes the kind to `row` if a migration to the model would change the table. Rows of this
  /// kind are only read.
  private mutating func refuseMisfits(_ types: [PropertyType]) {
    guard table != nil, !isRow else { return }
    for (index, column) in source.columns.enumerated() {
      if let misfit = types[index].misfit, source.columns[index].generation == .none {
        kind = .row(reason: misfit)
      } else if column.isNotNull, source.surveys[index].nullCount > 0 {
        kind = .row(reason: "\(column.name) is declared NOT NULL and holds NULL")
      } else if types[index].name == "AnyValue" {
        kind = .row(reason: types[index].misfit ?? "\(column.name) has no type")
      }
    }
    if properties.isEmpty { kind = .row(reason: "it has no column that could be a property") }
  }
}

extension String {
  /// Returns whether both names are the same for SQLite, which ignores the case of ASCII letters.
  func isSameName(as other: String) -> Bool {
    utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.lowered == $1.lowered }
  }
}

extension UInt8 {
  fileprivate var lowered: UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
  }
}

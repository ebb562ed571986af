import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The Swift type of a column, with the questions that a migration asks about it. Answers are
/// computed on demand, because most migrations need none.
struct ColumnType: Sendable {
  let type: any ColumnValue.Type
  let storedForm: StoredForm
  /// The name of the property, as a key path writes it.
  let property: String

  init(_ type: any ColumnValue.Type, form: StoredForm, property: String) {
    self.type = type
    storedForm = form
    self.property = property
  }

  /// Creates the type that holds every value of a storage class.
  init(storageClass: StorageClass, isOptional: Bool, name property: String) {
    let type: any ColumnValue.Type =
      switch storageClass {
      case .integer: isOptional ? Int64?.self : Int64.self
      case .real: isOptional ? Double?.self : Double.self
      case .text: isOptional ? String?.self : String.self
      case .blob, .null: isOptional ? [UInt8]?.self : [UInt8].self
      }
    self.init(type, form: .standard, property: property)
  }

  private var wrapped: any ColumnValue.Type {
    (type as? any OptionalColumnValue.Type)?.wrappedType ?? type
  }

  /// The name of the type, without the question mark of an optional.
  var name: String { String(describing: wrapped) }
  var isOptional: Bool { type.isOptional }

  /// The name of the type for a line to paste: with its enclosing types, without modules.
  var qualifiedName: String { String(reflecting: wrapped).withoutModules ?? name }

  /// Throws if the type cannot read a stored value.
  func read(_ value: DatabaseValue) throws {
    try type.check(value, as: storedForm)
  }

  /// Whether the type can read every value of its storage class.
  var readsAll: Bool {
    let wrapped = wrapped
    return wrapped is Int.Type || wrapped is Int64.Type || wrapped is Double.Type
      || wrapped is any RangeReplaceableCollection<UInt8>.Type
  }

  /// The forms that a storage class identifies. REAL identifies none, because it stores dates in
  /// several forms.
  private static let forms: [StoredForm] = [.standard, .bytes, .iso8601]

  /// Whether the type has several stored forms. Values of such a type are converted by reading and
  /// writing them, not by CAST.
  var hasForms: Bool {
    Self.forms.contains { $0 != .standard && type.storageClass(as: $0) != nil }
  }

  /// Returns the conversion from an old storage class to the form of the column; nil if the type
  /// has no form that the storage class identifies.
  func form(_ old: StorageClass) -> ValueConversion? {
    guard let oldForm = Self.forms.first(where: { type.storageClass(as: $0) == old }) else {
      return nil
    }
    return type.conversion(from: oldForm, to: storedForm)
  }

  /// The zero or empty value of the type, as Swift writes it: `0`, `""`. nil if the type has none.
  var emptyValue: String? {
    let wrapped = wrapped
    return switch wrapped {
    case is any FixedWidthInteger.Type, is any BinaryFloatingPoint.Type: "0"
    case is Bool.Type: "false"
    case is String.Type: "\"\""
    case is any RangeReplaceableCollection<UInt8>.Type: "\(name)()"
    default: nil
    }
  }

  /// The zero or empty value of the type, as SQL writes it; nil if the type has none or is
  /// optional.
  var fallbackLiteral: String? {
    switch type {
    case is any FixedWidthInteger.Type, is Bool.Type: "0"
    case is any BinaryFloatingPoint.Type: "0.0"
    case is String.Type: "''"
    case is any RangeReplaceableCollection<UInt8>.Type: "x''"
    default: nil
    }
  }

  /// Returns the line of a schema that gives existing rows a value in a new column.
  func defaultLine(_ value: String) -> String { "Default(\(path), \(value))" }

  /// The key path to the property, as a line of a schema writes it.
  var path: String { "\\.$\(property)" }

  /// Returns the declaration of the property, as a model writes it.
  func declaration(_ wrapper: String = "@Column", isOptional: Bool? = nil) -> String {
    "\(wrapper) var \(property.isSwiftName ? property : "`\(property)`"): \(qualifiedName)"
      + (isOptional ?? self.isOptional ? "?" : "")
  }

  /// Returns an SQL expression that gives each row a different value that the type can read; nil if
  /// there is no such expression, as for an enumeration.
  func distinctSQL(_ storageClass: StorageClass, rowID: String?) -> String? {
    func reads(_ value: DatabaseValue) -> Bool { (try? read(value)) != nil }
    switch storageClass {
    case .integer where reads(.integer(1_234_567)), .real where reads(.real(1_234_567)):
      return rowID ?? "abs(random() >> 1)"
    case .text where reads("1234567"):
      return rowID.map { "CAST(\($0) AS TEXT)" } ?? "abs(random() >> 1) || ''"
    case .text where reads("01234567-89ab-cdef-0123-456789abcdef"):
      let parts = [4, 2, 2, 2, 6].map { "hex(randomblob(\($0)))" }
      return "lower(\(parts.joined(separator: " || '-' || ")))"
    case .blob where reads(.blob(Data(0..<16))):
      return "randomblob(16)"
    default:
      return nil
    }
  }
}

extension ColumnType {
  /// Returns the forms in which the type is stored in a storage class.
  func forms(in storageClass: StorageClass) -> [StoredForm] {
    StoredForm.allCases.filter { type.storageClass(as: $0) == storageClass }
  }

  /// Converts a value from another form to the form of the column; returns nil if the value would
  /// change.
  func converted(_ value: DatabaseValue, from form: StoredForm) -> DatabaseValue? {
    type.converted(value, from: form, to: storedForm)
  }

  /// Whether the type can read a value in a form.
  func reads(_ value: DatabaseValue, as form: StoredForm) -> Bool {
    (try? type.check(value, as: form)) != nil
  }

  /// Whether a value is exactly what the type writes in a form.
  func isWritten(_ value: DatabaseValue, as form: StoredForm) -> Bool {
    type.converted(value, from: form, to: form) == value
  }
}

extension ColumnValue {
  /// Throws if the type cannot read a stored value.
  fileprivate static func check(_ value: DatabaseValue, as form: StoredForm) throws {
    _ = try value.read(Self.self, as: form)
  }

  fileprivate static func converted(
    _ value: DatabaseValue, from oldForm: StoredForm, to form: StoredForm
  ) -> DatabaseValue? {
    guard let old = try? value.read(Self.self, as: oldForm),
      let stored = try? old.databaseValue(as: form),
      let new = try? stored.read(Self.self, as: form)
    else { return nil }
    return isStoredAlike(old, new) ? stored : nil
  }

  fileprivate static func conversion(
    from oldForm: StoredForm, to form: StoredForm
  ) -> ValueConversion {
    ValueConversion { value in try value.read(Self.self, as: oldForm).databaseValue(as: form) }
  }
}

extension TableDefinition {
  /// The line that gives a model a table of its own.
  var otherNameLine: String { "static let tableName = \("\(name)2".swiftLiteral)" }
}

extension String {
  /// The text as a Swift string literal.
  var swiftLiteral: String { debugDescription }

  /// Whether the text is a Swift identifier that needs no backticks.
  var isSwiftName: Bool {
    let words: Set = [
      "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import",
      "init", "inout", "internal", "let", "operator", "private", "precedencegroup", "protocol",
      "public", "rethrows", "static", "struct", "subscript", "typealias", "var", "break", "case",
      "catch", "continue", "default", "defer", "do", "else", "fallthrough", "for", "guard", "if",
      "in", "repeat", "return", "throw", "switch", "where", "while", "Any", "as", "await", "false",
      "is", "nil", "self", "Self", "super", "throws", "true", "try", "_", "Type", "Protocol",
    ]
    guard let first = unicodeScalars.first, first == "_" || first.properties.isXIDStart,
      !words.contains(self)
    else { return false }
    return unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isXIDContinue }
  }
}

extension String {
  /// The name of a type without its modules; nil for a type inside a function, which cannot be
  /// named elsewhere.
  fileprivate var withoutModules: String? {
    guard !contains("(unknown context") else { return nil }
    var result = ""
    var path: [Substring] = []
    var start = startIndex
    func flush(_ end: Index) {
      path.append(self[start..<end])
      result += (path.count > 1 ? path.dropFirst() : path[...]).joined(separator: ".")
      path = []
    }
    for index in indices {
      switch self[index] {
      case ".":
        path.append(self[start..<index])
        start = self.index(after: index)
      case "<", ">", ",", " ", "(", ")":
        flush(index)
        result.append(self[index])
        start = self.index(after: index)
      default: break
      }
    }
    flush(endIndex)
    return result
  }

  /// A property name made of the words of a column name: `its weight` becomes `itsWeight`.
  fileprivate var propertyName: String {
    let words = unicodeScalars.split { !$0.properties.isXIDContinue }.map { String($0) }
    let joined = words.enumerated().map { index, word in
      index == 0 ? word : word.prefix(1).uppercased() + word.dropFirst()
    }.joined()
    guard let first = joined.unicodeScalars.first else { return "column" }
    return first.properties.isXIDStart || first == "_" ? joined : "_\(joined)"
  }
}

extension TableDefinition {
  /// Returns the lines that declare an existing column as a property. If the property cannot have
  /// the name of the column, or that name is taken by another member, a second line, `Named(…)`,
  /// maps the property to the column.
  func propertyLine(forColumn name: String, type: String) -> String {
    // Each model has an `id`, and a type `ID`.
    let taken = Set(columns.map(\.type.property) + ["id", "ID"])
    var property = name.isSwiftName || name.propertyName == name ? name : name.propertyName
    if taken.contains(property) {
      property = "stored" + property.prefix(1).uppercased() + property.dropFirst()
    }
    while taken.contains(property) { property += "2" }
    let line = "@Column var \(property.isSwiftName ? property : "`\(property)`"): \(type)"
    return property == name
      ? line : "\(line)\nNamed(\\.$\(property), \(name.swiftLiteral))"
  }
}

extension [String] {
  /// The texts as Swift string literals, separated by commas.
  var swiftList: String { map(\.swiftLiteral).joined(separator: ", ") }
}

extension StorageClass {
  /// The Swift type that holds all values of the storage class, for a line to paste.
  var swiftType: String {
    switch self {
    case .integer: "Int64"
    case .real: "Double"
    case .text: "String"
    case .blob, .null: "[UInt8]"
    }
  }
}

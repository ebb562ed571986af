import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a migration must know of the Swift type of a column; found out when it is asked for, which it
/// seldom is.
struct ColumnType: Sendable {
  let type: any ColumnValue.Type
  let storedForm: StoredForm
  /// The property, as a key path names it.
  let property: String

  init(_ type: any ColumnValue.Type, form: StoredForm, property: String) {
    self.type = type
    storedForm = form
    self.property = property
  }

  /// The type that holds every value of a storage class.
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

  /// The type as it is written, without the question mark.
  var name: String { String(describing: wrapped) }
  var isOptional: Bool { type.isOptional }

  /// The type as a line to paste names it, with the types around it.
  var qualifiedName: String { String(reflecting: wrapped).withoutModules ?? name }

  /// Throws where a stored value is none of the type.
  func read(_ value: DatabaseValue) throws {
    try type.check(value, as: storedForm)
  }

  /// Whether every value of the storage class is one of the type.
  var readsAll: Bool {
    let wrapped = wrapped
    return wrapped is Int.Type || wrapped is Int64.Type || wrapped is Double.Type
      || wrapped is any RangeReplaceableCollection<UInt8>.Type
  }

  /// The forms that a storage class tells; REAL has several for a date, and tells none.
  private static let forms: [StoredForm] = [.standard, .bytes, .iso8601]

  /// Whether it can be stored in several forms: its values are not cast, but read and written.
  var hasForms: Bool {
    Self.forms.contains { $0 != .standard && type.storageClass(as: $0) != nil }
  }

  /// How values of a storage class become those of the column, where the type has a form in it.
  func form(_ old: StorageClass) -> ValueConversion? {
    guard let oldForm = Self.forms.first(where: { type.storageClass(as: $0) == old }) else {
      return nil
    }
    return type.conversion(from: oldForm, to: storedForm)
  }

  /// A value in Swift that stands for none: `0`, `""`.
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

  /// Zero of the numbers, the empty text and bytes; no other type has a value that stands for none.
  var fallbackLiteral: String? {
    switch type {
    case is any FixedWidthInteger.Type, is Bool.Type: "0"
    case is any BinaryFloatingPoint.Type: "0.0"
    case is String.Type: "''"
    case is any RangeReplaceableCollection<UInt8>.Type: "x''"
    default: nil
    }
  }

  /// The line of a schema that gives old rows a value in a new column.
  func defaultLine(_ value: String) -> String { "Default(\(path), \(value))" }

  /// The property as a line of a schema names it.
  var path: String { "\\.$\(property)" }

  /// The property as a model declares it.
  func declaration(_ wrapper: String = "@Column", isOptional: Bool? = nil) -> String {
    "\(wrapper) var \(property.isSwiftName ? property : "`\(property)`"): \(qualifiedName)"
      + (isOptional ?? self.isOptional ? "?" : "")
  }

  /// An expression that gives each row a value of its own that the type reads; nil where there is
  /// none, as for an enumeration.
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
  /// The forms that the type has in a storage class.
  func forms(in storageClass: StorageClass) -> [StoredForm] {
    StoredForm.allCases.filter { type.storageClass(as: $0) == storageClass }
  }

  /// A value of another form in the form of the column; nil if it would not be the same value.
  func converted(_ value: DatabaseValue, from form: StoredForm) -> DatabaseValue? {
    type.converted(value, from: form, to: storedForm)
  }

  /// Whether a value is of the type in some form.
  func reads(_ value: DatabaseValue, as form: StoredForm) -> Bool {
    (try? type.check(value, as: form)) != nil
  }

  /// Whether a value is what the type itself writes in a form.
  func isWritten(_ value: DatabaseValue, as form: StoredForm) -> Bool {
    type.converted(value, from: form, to: form) == value
  }
}

extension ColumnValue {
  /// Throws where a stored value is none of the type.
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
  /// A line that gives a model another table.
  var otherNameLine: String { "static let tableName = \("\(name)2".swiftLiteral)" }
}

extension String {
  /// The text as Swift writes it.
  var swiftLiteral: String { debugDescription }

  /// Whether Swift takes it for a name as it is.
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
  /// The name of a type without the modules in it; nil for one inside a function, which no other place
  /// can name.
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

  /// A name of a property made of the words of a column's name: `its weight` is `itsWeight`.
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
  /// A line that declares a column which the table has. Where the property cannot be called as the
  /// column, a second line names it; no other member may be called so.
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
  /// Texts as Swift writes them, one behind another.
  var swiftList: String { map(\.swiftLiteral).joined(separator: ", ") }
}

extension StorageClass {
  /// The Swift type that holds its values, in the words of a line to paste.
  var swiftType: String {
    switch self {
    case .integer: "Int64"
    case .real: "Double"
    case .text: "String"
    case .blob, .null: "[UInt8]"
    }
  }
}

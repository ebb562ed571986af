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
  /// Whether it is a column of the primary key.
  let isKey: Bool

  init(
    _ type: any ColumnValue.Type, form: StoredForm, property: String, isKey: Bool = false
  ) {
    self.type = type
    storedForm = form
    self.property = property
    self.isKey = isKey
  }

  /// The type that holds every value of a storage class.
  init(
    storageClass: StorageClass, isOptional: Bool, name property: String, isKey: Bool = false
  ) {
    let type: any ColumnValue.Type =
      switch storageClass {
      case .integer: isOptional ? Int64?.self : Int64.self
      case .real: isOptional ? Double?.self : Double.self
      case .text: isOptional ? String?.self : String.self
      case .blob, .null: isOptional ? [UInt8]?.self : [UInt8].self
      }
    self.init(type, form: .standard, property: property, isKey: isKey)
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
    case is any RangeReplaceableCollection<UInt8>.Type: "\(qualifiedName)()"
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
  ///
  /// The initial value of the property is code that only an initialiser of the model runs: the zero
  /// of its type stands in its place, and the line says what it is for.
  func defaultLine(_ value: String) -> String {
    "Default(\(path), \(value))  // the value that existing rows get"
  }

  /// The property as a line of a schema names it.
  var path: String { property.columnPath }

  /// The property as a model declares it. A key is optional only if it was declared so.
  func declaration(isOptional: Bool? = nil) -> String {
    let isOptional = isKey ? self.isOptional : isOptional ?? self.isOptional
    return "\(isKey ? "@PrimaryKey" : "@Column") var \(property.escapedName): \(qualifiedName)"
      + (isOptional ? "?" : "")
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

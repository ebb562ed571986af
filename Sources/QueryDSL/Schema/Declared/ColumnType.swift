import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The Swift type of a column, with the facts that a migration needs. Most properties are computed
/// on demand, because most migrations need none of them.
package struct ColumnType: Sendable {
  package let type: any ColumnValue.Type
  package let storedForm: StoredForm
  /// The name of the model's property, as a key path writes it: `title`, or `home.$city` for a
  /// property in a column group.
  package let property: String
  /// Whether the column belongs to the primary key.
  package let isKey: Bool

  init(
    _ type: any ColumnValue.Type, form: StoredForm, property: String, isKey: Bool = false
  ) {
    self.type = type
    storedForm = form
    self.property = property
    self.isKey = isKey
  }

  /// Creates the type of a column from its storage class: `Int64` for INTEGER, for example.
  package init(
    storageClass: StorageClass, isOptional: Bool, name property: String, isKey: Bool = false
  ) {
    let type = storageClass.propertyType
    self.init(isOptional ? type.optional : type, form: .standard, property: property, isKey: isKey)
  }

  /// The name of the type, without the question mark of an optional.
  package var name: String { String(describing: type.nonOptional) }
  package var isOptional: Bool { type.isOptional }

  /// The name of the type, as the code in an error message writes it, such as `Post.Status`. The
  /// name has the enclosing types, but no module.
  package var qualifiedName: String { String(reflecting: type.nonOptional).withoutModules ?? name }

  /// Throws if the type cannot read a stored value.
  package func read(_ value: DatabaseValue) throws {
    try type.check(value, as: storedForm)
  }

  /// Whether the type can read every value of its storage class.
  package var readsAll: Bool {
    let type = type.nonOptional
    return type is Int.Type || type is Int64.Type || type is Double.Type
      || type is any RangeReplaceableCollection<UInt8>.Type
  }

  /// The stored forms that can be recognised by the storage class of a value. A UUID in a BLOB, for
  /// example, has the form `.bytes`. The form of a REAL cannot be recognised, because dates have
  /// several forms in REAL.
  private static let forms: [StoredForm] = [.standard, .bytes, .iso8601]

  /// Whether the type has several stored forms, as `Date` and `UUID` have. Values of such a type
  /// are converted by reading and writing them, not by CAST.
  package var hasForms: Bool {
    Self.forms.contains { $0 != .standard && type.storageClass(as: $0) != nil }
  }

  /// Returns a conversion from values with the storage class `old` to the column's stored form.
  /// Returns nil if that storage class does not identify the stored form of the values.
  package func form(_ old: StorageClass) -> ValueConversion? {
    guard let oldForm = Self.forms.first(where: { type.storageClass(as: $0) == old }) else {
      return nil
    }
    return type.conversion(from: oldForm, to: storedForm)
  }

  /// The zero or empty value of the type in Swift: `0`, `""`. Nil if the type has none.
  package var emptyValue: String? {
    return switch type.nonOptional {
    case is any FixedWidthInteger.Type, is any BinaryFloatingPoint.Type: "0"
    case is Bool.Type: "false"
    case is String.Type: "\"\""
    case is any RangeReplaceableCollection<UInt8>.Type: "\(qualifiedName)()"
    default: nil
    }
  }

  /// The zero or empty value of the type in SQL; nil if the type has none or is optional.
  var fallbackLiteral: String? {
    switch type {
    case is any FixedWidthInteger.Type, is Bool.Type: "0"
    case is any BinaryFloatingPoint.Type: "0.0"
    case is String.Type: "''"
    case is any RangeReplaceableCollection<UInt8>.Type: "x''"
    default: nil
    }
  }

  /// Returns a `Default(…)` line that a user can paste into a schema. It gives existing rows a
  /// value in a new column.
  ///
  /// The library cannot read the initial value of the property, because only an initialiser of the
  /// model computes it. A comment after the `Default` says what the value is for.
  package func defaultLine(_ value: String) -> String {
    "Default(\(path), \(value))  // the value that existing rows get"
  }

  /// The key path of the property in a schema, such as `\.$title`.
  package var path: String { property.columnPath }

  /// Returns the declaration of the property in a model, or in a group of columns. `isOptional` has
  /// no effect on a property of the key.
  ///
  /// - Parameter isOpen: whether to declare the property as the `OpenEnum` of its enumeration.
  package func declaration(isOptional: Bool? = nil, isOpen: Bool = false) -> String {
    let isOptional = isKey ? self.isOptional : isOptional ?? self.isOptional
    let name = (property.propertiesOfGroups.last ?? property).escapedName
    return "\(isKey ? "@PrimaryKey" : "@Column") var \(name): "
      + (isOpen ? "OpenEnum<\(qualifiedName)>" : qualifiedName)
      + (isOptional ? "?" : "")
  }

  /// Whether the type is an enumeration that throws if it reads an unknown raw value. `OpenEnum`
  /// does not throw.
  package var isClosedEnumeration: Bool {
    type.nonOptional is any RawRepresentable.Type && !name.hasPrefix("OpenEnum<")
  }

  /// Returns an SQL expression that gives each row a different value that the type can read; nil if
  /// no such expression exists, for example for an enumeration.
  package func distinctSQL(_ storageClass: StorageClass, rowID: String?) -> String? {
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
  /// Returns the stored forms of the type whose values have the given storage class.
  package func forms(in storageClass: StorageClass) -> [StoredForm] {
    StoredForm.allCases.filter { type.storageClass(as: $0) == storageClass }
  }

  /// Converts a value from another stored form to the column's form. Returns nil if the column's
  /// form cannot hold exactly the same value.
  package func converted(_ value: DatabaseValue, from form: StoredForm) -> DatabaseValue? {
    type.converted(value, from: form, to: storedForm)
  }

  /// Returns whether the type can read the value, if it is stored in the given form.
  package func reads(_ value: DatabaseValue, as form: StoredForm) -> Bool {
    (try? type.check(value, as: form)) != nil
  }

  /// Returns whether the type can read the value in the given form, and would write it back
  /// unchanged.
  package func isWritten(_ value: DatabaseValue, as form: StoredForm) -> Bool {
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
    // The last lines are not written as `isStoredAlike(old, new) ? stored : nil`. Because
    // `DatabaseValue` has a nil literal, this `nil` would be the SQL value NULL.
    guard isStoredAlike(old, new) else { return nil }
    return stored
  }

  fileprivate static func conversion(
    from oldForm: StoredForm, to form: StoredForm
  ) -> ValueConversion {
    ValueConversion { value in try value.read(Self.self, as: oldForm).databaseValue(as: form) }
  }
}

/// A conversion that a schema declares, from the values of a column's old type to its new type.
package struct DeclaredConversion: Sendable {
  package let source: StoredType
  package let target: StoredType
  package let convert: @Sendable (DatabaseValue) throws -> DatabaseValue

  /// Whether the conversion only replaces NULL by a value. Such a conversion has already run if the
  /// existing column is NOT NULL.
  package var onlyFillsNull: Bool {
    source.isSame(as: target) && source.isOptional && !target.isOptional
  }

  /// Whether a note in the file must record that the conversion has run. The note is necessary if
  /// the old and the new type have the same storage class, because the conversion then does not
  /// change the schema. A conversion that only replaces NULL needs no note.
  package var needsNote: Bool { source.storageClass == target.storageClass && !onlyFillsNull }
}

/// A Swift type and the form in which its values are stored.
package struct StoredType: Sendable {
  /// The name of the type, without the question mark of an optional.
  package let name: String
  let form: StoredForm
  package let storageClass: StorageClass?
  let isOptional: Bool

  init<Value: ColumnValue>(_ type: Value.Type, form: StoredForm) {
    name = String(describing: type.nonOptional)
    self.form = form
    storageClass = type.storageClass(as: form)
    isOptional = type.isOptional
  }

  /// Returns whether both have the same Swift type and the same stored form. An optional counts as
  /// its wrapped type: `String?` as `String`.
  func isSame(as other: StoredType) -> Bool { name == other.name && form == other.form }

  /// The type and the form, as text: `Date`, `Date as iso8601`
  package var note: String { form == .standard ? name : "\(name) as \(form)" }
}

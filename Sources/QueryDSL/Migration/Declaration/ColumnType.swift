import SQLCore

/// What a migration must know of the Swift type of a column.
struct ColumnType: Sendable {
  /// The type as it is written, without the question mark.
  let name: String
  let isOptional: Bool
  /// The property, as a key path names it.
  let property: String
  /// Throws where a stored value is none of the type.
  let read: @Sendable (DatabaseValue) throws -> Void
  /// Whether every value of the storage class is one of the type.
  let readsAll: Bool
  /// Whether it can be stored in several forms: its values are not cast, but read and written.
  let hasForms: Bool
  /// How values of a storage class become those of the column, where the type has a form in it.
  let form: @Sendable (StorageClass) -> ValueConversion?
  /// A value in Swift that stands for none: `0`, `""`.
  let emptyValue: String?

  init<Value: ColumnValue>(_ type: Value.Type, form: StoredForm, property: String) {
    let wrapped = (type as? any OptionalColumnValue.Type)?.wrappedType ?? type
    name = String(describing: wrapped)
    isOptional = type.isOptional
    self.property = property
    read = { value in _ = try value.read(type, as: form) }
    readsAll =
      wrapped is Int.Type || wrapped is Int64.Type || wrapped is Double.Type
      || wrapped is any RangeReplaceableCollection<UInt8>.Type
    hasForms = Self.forms.contains { $0 != .standard && type.storageClass(as: $0) != nil }
    self.form = { old in
      guard let oldForm = Self.forms.first(where: { type.storageClass(as: $0) == old }) else {
        return nil
      }
      return ValueConversion { value in
        try value.read(type, as: oldForm).databaseValue(as: form)
      }
    }
    emptyValue =
      switch wrapped {
      case is any FixedWidthInteger.Type, is any BinaryFloatingPoint.Type: "0"
      case is Bool.Type: "false"
      case is String.Type: "\"\""
      case is any RangeReplaceableCollection<UInt8>.Type: "\(wrapped)()"
      default: nil
      }
  }

  /// The forms that a storage class tells; REAL has several for a date, and tells none.
  private static let forms: [StoredForm] = [.standard, .bytes, .iso8601]

  /// The type that holds every value of a storage class.
  init(storageClass: StorageClass, isOptional: Bool, name property: String) {
    func make<Value: ColumnValue>(_ type: Value.Type) -> ColumnType {
      isOptional
        ? ColumnType(Value?.self, form: .standard, property: property)
        : ColumnType(type, form: .standard, property: property)
    }
    switch storageClass {
    case .integer: self = make(Int64.self)
    case .real: self = make(Double.self)
    case .text: self = make(String.self)
    case .blob, .null: self = make([UInt8].self)
    }
  }

  /// The property as a line of a schema names it.
  var path: String { "\\.$\(property)" }
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

import SQLCore

/// A conversion that a schema declares: how the values of a column become those of its new type.
struct DeclaredConversion: Sendable {
  let source: StoredType
  let target: StoredType
  let convert: @Sendable (DatabaseValue) throws -> DatabaseValue

  /// Whether the conversion only gives NULL a value. NOT NULL in the existing table then shows that
  /// it has run.
  var onlyFillsNull: Bool {
    source.isSame(as: target) && source.isOptional && !target.isOptional
  }

  /// Whether the column has the same storage class before and after the conversion. Then only a
  /// note shows whether it has run.
  var needsNote: Bool { source.storageClass == target.storageClass && !onlyFillsNull }
}

/// A Swift type and the form in which its values are stored.
struct StoredType: Sendable {
  /// The name of the type, without the question mark of an optional.
  let name: String
  let form: StoredForm
  let storageClass: StorageClass?
  let isOptional: Bool

  init<Value: ColumnValue>(_ type: Value.Type, form: StoredForm) {
    name = String(describing: type.nonOptional)
    self.form = form
    storageClass = type.storageClass(as: form)
    isOptional = type.isOptional
  }

  /// Whether both types store the same values in the same way, NULL aside.
  func isSame(as other: StoredType) -> Bool { name == other.name && form == other.form }

  /// `Date`, `Date as iso8601`
  var note: String { form == .standard ? name : "\(name) as \(form)" }
}

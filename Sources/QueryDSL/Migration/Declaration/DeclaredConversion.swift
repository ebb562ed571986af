import SQLCore

/// A conversion that a schema declares: how the values of a column become those of its new type.
struct DeclaredConversion: Sendable {
  let source: StoredType
  let target: StoredType
  let convert: @Sendable (DatabaseValue) throws -> DatabaseValue

  /// Whether it does no more than give NULL a value: whether it ran is then told by NOT NULL.
  var onlyFillsNull: Bool {
    source.isSame(as: target) && source.isOptional && !target.isOptional
  }

  /// Whether the column declares one storage class before and after it: then nothing in the file but
  /// a note of its own says whether it ran.
  var needsNote: Bool { source.storageClass == target.storageClass && !onlyFillsNull }
}

/// A Swift type and the form in which its values are stored.
struct StoredType: Sendable {
  /// The type as it is written, without the question mark of an optional.
  let name: String
  let form: StoredForm
  let storageClass: StorageClass?
  let isOptional: Bool

  init<Value: ColumnValue>(_ type: Value.Type, form: StoredForm) {
    let wrapped: any ColumnValue.Type = (type as? any OptionalColumnValue.Type)?.wrappedType ?? type
    name = String(describing: wrapped)
    self.form = form
    storageClass = type.storageClass(as: form)
    isOptional = type.isOptional
  }

  /// The same values, stored alike, but for NULL.
  func isSame(as other: StoredType) -> Bool { name == other.name && form == other.form }

  /// `Date`, `Date as iso8601`
  var note: String { form == .standard ? name : "\(name) as \(form)" }
}

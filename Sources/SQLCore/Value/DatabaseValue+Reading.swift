extension DatabaseValue {
  /// The value as `Value`; throws `ColumnValueError` where it is none.
  ///
  /// - Parameter form: the form in which it is stored, where the type has more than one.
  public func read<Value: ColumnValue>(
    _ type: Value.Type = Value.self, as form: StoredForm = .standard
  ) throws -> Value {
    try withUnsafePointer(to: self) { try Value(Cell(copy: $0, form: form)) }
  }
}

extension DatabaseValue {
  /// Reads the value as `Value`. Throws `ColumnValueError` if it is not a value of that type.
  ///
  /// - Parameter form: the form in which it is stored, if the type has more than one.
  public func read<Value: ColumnValue>(
    _ type: Value.Type = Value.self, as form: StoredForm = .standard
  ) throws -> Value {
    try withUnsafePointer(to: self) { try Value(Cell(copy: $0, form: form)) }
  }
}

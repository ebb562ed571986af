extension String {
  /// Creates the unqualified name of a type, as `String(describing:)` gives it.
  ///
  /// `String(describing:)` first asks whether the metatype conforms to the protocols of
  /// descriptions. No metatype does, but for a type that is new to the process the runtime searches
  /// all conformances of the program for each question: half of the cost of opening a database with
  /// models for the first time.
  init(nameOf type: Any.Type) {
    self = _typeName(type, qualified: false)
  }
}

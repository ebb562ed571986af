extension SQL: Hashable {
  /// Returns whether two pieces have the same text and bind the same values.
  ///
  /// A user interface that follows a query uses it to find out whether the query has changed.
  public static func == (left: SQL, right: SQL) -> Bool {
    left.text == right.text
      && left.bindings.elementsEqual(right.bindings) { $0.isSame(as: $1) }
  }

  /// Hashes the text and the values.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(text)
    for binding in bindings { binding.hashContent(into: &hasher) }
  }
}

extension BoundValue {
  fileprivate func isSame(as other: BoundValue) -> Bool {
    switch (self, other) {
    case (.value(let left), .value(let right)): left == right
    case (.array(let left), .array(let right)): left.values == right.values
    case (.zeroBlob(let left), .zeroBlob(let right)): left == right
    case (.unstorable(let left), .unstorable(let right)): left.description == right.description
    case (.argument(let left), .argument(let right)): left == right
    default: false
    }
  }

  fileprivate func hashContent(into hasher: inout Hasher) {
    switch self {
    case .value(let value): hasher.combine(value)
    case .array(let array): hasher.combine(array.values)
    case .zeroBlob(let count): hasher.combine(count)
    case .unstorable(let error): hasher.combine(error.description)
    case .argument(let argument): hasher.combine(argument)
    }
  }
}

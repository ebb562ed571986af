import SQLCore

/// An argument in a call of a prepared query; programs do not use it directly.
public struct _PreparedArgument: Sendable {
  @usableFromInline
  enum Content: Sendable {
    case value(any ColumnValue)
    case list([any ColumnValue])
  }

  @usableFromInline let content: Content

  @inlinable
  init(content: Content) {
    self.content = content
  }
}

extension _PreparedArgument {
  /// Binds the argument wherever it occurs as a single value.
  func bind(to binder: inout _ArgumentBinder) throws {
    switch content {
    case .value(let value): try binder.bind(value)
    case .list: try binder.skipList()
    }
  }

  /// Returns what is bound for a part of the argument: the value, a row count, the list, or whether
  /// the list contains nil.
  func bound(_ argument: BoundArgument) throws -> BoundValue {
    switch (content, argument.part) {
    case (.value(let value), .value): return BoundValue(value, as: argument.form)
    case (.value(let value), .rowCount):
      let bound = BoundValue(value)
      if case .value(.integer(let count)) = bound, count >= 0 { return bound }
      throw QueryError("LIMIT and OFFSET cannot be negative: \(value)")
    case (.list(let values), .list):
      return .array(
        BoundArray(
          try values.compactMap { value in
            let stored = try value.databaseValue(as: argument.form)
            return stored.isNull ? nil : stored
          }))
    case (.list(let values), .listHasNil):
      return BoundValue(try values.contains { try $0.databaseValue(as: argument.form).isNull })
    case (.value(let value), .prefixEnd), (.value(let value), .prefixEndIgnoringCase):
      return TextRange.end(ofPrefix: value, argument.part)
    case (.value, .list), (.value, .listHasNil), (.list, .value), (.list, .rowCount),
      (.list, .prefixEnd), (.list, .prefixEndIgnoringCase):
      throw QueryError(
        "argument \(argument.index + 1) does not fit its parameter: one is a list, and the other a "
          + "single value")
    }
  }
}

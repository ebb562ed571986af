import SQLCore

// SQLite uses a partial index only if the condition of the query implies the condition of the
// index. SQLite compares both conditions before any value is bound. Therefore `"readAt" IS ?` never
// implies `"readAt" IS NULL`. SQLite can use the value of `"isDone" = ?`, but only by compiling the
// statement again each time a value is bound.
//
// For this reason, nil, true and false are written into the SQL, as in the declaration of a partial
// index. A comparison then has at most three SQL texts. Usually it has only one, because the value
// is most often a literal of the program. All other values are bound.

extension SQLToken {
  /// Returns one token that stands for this comparison together with its value, such as `IS NULL`.
  /// Returns nil if the value must be bound instead.
  ///
  /// - Parameter isBool: Whether the value is a Bool, which is stored as 0 or 1.
  @usableFromInline
  package func literal(of value: BoundValue, isBool: Bool) -> SQLToken? {
    guard case .value(let value) = value else { return nil }
    switch (value, self) {
    case (.null, .isSame): return .isNull
    case (.null, .isNotSame): return .isNotNull
    case (.integer(let number), _) where isBool: return comparison(withOne: number != 0)
    default: return nil
    }
  }

  private func comparison(withOne isOne: Bool) -> SQLToken? {
    switch self {
    case .equal: isOne ? .equalOne : .equalZero
    case .notEqual: isOne ? .notEqualOne : .notEqualZero
    case .isSame: isOne ? .isOne : .isZero
    case .isNotSame: isOne ? .isNotOne : .isNotZero
    default: nil
    }
  }

  /// Whether the token also contains the value of the comparison, as in `= 1` and `IS NULL`. No
  /// right operand follows such a token.
  var containsValue: Bool {
    switch self {
    case .isNull, .isNotNull: true
    case .equalOne, .equalZero, .notEqualOne, .notEqualZero: true
    case .isOne, .isZero, .isNotOne, .isNotZero: true
    default: false
    }
  }

  /// Whether the comparison tests for equality, such as `=`, `IS` and `IS NULL`.
  package var isEquality: Bool {
    switch self {
    case .equal, .equalOne, .equalZero, .isSame, .isOne, .isZero, .isNull: true
    default: false
    }
  }
}

import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Collation: ExpressibleByStringLiteral {
  /// Makes a collation from its name.
  public init(stringLiteral name: String) { self.init(name) }
}

extension SQLExpression {
  /// Returns the value with another collation, for comparing, sorting and indexes.
  /// SQL: `a COLLATE "NOCASE"`
  ///
  /// SQLite applies the collation to the whole operand of a comparison, even if the collated text
  /// is only a part of the operand. For example, `t.collated(.noCase).concat("!")` is also compared
  /// without case. A collation in a condition of CASE or `iif` does not apply to the result.
  /// - SeeAlso: <https://www.sqlite.org/datatype3.html#assigning_collating_sequences_from_sql>
  public func collated(_ collation: Collation) -> SQLExpression {
    SQLExpression(.collate(node, collation.name), form: form)
  }

  /// Converts the value to another storage class. SQL: `CAST(a AS INTEGER)`
  ///
  /// In a cast to a number, text that does not begin with a number becomes 0. The result is read as
  /// `type`. A value that is not valid for the type throws `ColumnValueError`. A cast to `Decimal`
  /// is written as `decimal(a)`, which throws `DatabaseError` for text that is not a number. A cast
  /// of a text to `UUID` is written as `lower(a)`.
  ///
  /// A date can be stored in several forms, and CAST does not convert between the forms. A date can
  /// therefore be cast only to the kind of value that its column stores: a number or a text. No
  /// other type can be cast to `Date`, and only a text can be cast to `UUID`. Casts that are not
  /// possible throw `QueryError` when the query is rendered.
  /// - SeeAlso: <https://www.sqlite.org/lang_expr.html#castexpr>
  @_disfavoredOverload
  public func cast<Result: ColumnValue>(to type: Result.Type) -> SQLExpression<Result> {
    cast(of: type)
  }

  /// Converts the value to another storage class; NULL stays NULL. SQL: `CAST(a AS INTEGER)`
  public func cast<Wrapped: ColumnValue, Result: ColumnValue>(
    to type: Result.Type
  ) -> SQLExpression<Result?> where Value == Wrapped? {
    cast(of: Result?.self)
  }

  /// Returns the name of the storage class: `null`, `integer`, `real`, `text` or `blob`.
  /// SQL: `typeof(a)`
  public func typeof() -> SQLExpression<String> {
    SQLExpression<String>(
      .function("typeof", [node]).compared(
        as: String.self, .standard, like: [], despite: node.containsCollation))
  }

  /// Converts the expression to `type`. The result does not keep the collation of its earlier type.
  /// For example, if a decimal is cast to text, SQLite does not compare the text by the collation
  /// of decimals.
  private func cast<Result: ColumnValue>(of type: Result.Type) -> SQLExpression<Result> {
    let (source, result) = (Value.castType, type.castType)
    // A Date or a UUID that is cast to its own type is returned unchanged. A CAST would lose its
    // stored form, which is needed to read and to compare the value.
    if source == result, source == Date.self || source == UUID.self {
      return SQLExpression<Result>(node, form: form)
    }
    if let error = mistake(casting: source, to: result) {
      return SQLExpression<Result>(.invalid(error))
    }
    let converted = result == UUID.self ? .function("lower", [node]) : node.cast(to: type)
    let isText = Value.storageClass(as: form) == .text && Value.collationName == nil
    return SQLExpression<Result>(
      converted.compared(
        as: type, .standard, like: [], despite: !isText && node.containsCollation))
  }

  /// Returns the error for a CAST of a date or a UUID that would change the value; nil if the CAST
  /// is possible.
  private func mistake(
    casting source: any ColumnValue.Type, to result: any ColumnValue.Type
  ) -> QueryError? {
    let stored = Value.storageClass(as: form) ?? Value.storageClass
    let isNumber =
      result.storageClass == .integer || result.storageClass == .real || result == Decimal.self
    let hint: String
    if result == Date.self {
      hint =
        "CAST does not make a date; write SQL that returns microseconds since 1970, in "
        + "SQLExpression<Date>(sql:)"
    } else if result == UUID.self, stored != .text || source != String.self {
      hint = "only a text can be cast to a UUID"
    } else if source == Date.self, isNumber == (stored == .text) {
      hint =
        "a date in the form .\(form) is \(stored.rawValue); use unixSeconds(), component(_:) or "
        + "strftime(_:)"
    } else if source == UUID.self, stored != result.storageClass {
      hint = "a UUID in the form .\(form) is \(stored.rawValue)"
    } else {
      return nil
    }
    return QueryError("\(Value.self).cast(to: \(result).self): \(hint)")
  }
}

extension ColumnValue {
  /// The type that decides how the values are stored: the type of the raw value for a
  /// raw-representable type, and the wrapped type for an optional.
  fileprivate static var castType: any ColumnValue.Type {
    nonOptional.rawType.map { $0.castType } ?? nonOptional
  }
}

extension SQLExpression where Value == Bool? {
  /// Makes an expression whose value is the result of a condition: true, false or NULL.
  /// SQL: `(a > ?)`
  public init(_ predicate: SQLPredicate) {
    self.init(.predicate(predicate.node))
  }
}

extension SQLExpression where Value == Double {
  /// Returns a random number that is at least 0 and less than 1.
  /// SQL: `((random() & 9007199254740991) / 9007199254740992.0)`
  public static func random() -> SQLExpression {
    // The SQL takes 53 random bits, because a Double can hold a number of 53 bits exactly.
    SQLExpression(.constant("((random() & 9007199254740991) / 9007199254740992.0)"))
  }
}

extension ExpressionNode {
  /// Converts the expression to a type. Some types, such as Decimal, have a function for this,
  /// which is written as `decimal(a)`. An expression is converted to any other type by CAST.
  fileprivate func cast(to type: any ColumnValue.Type) -> ExpressionNode {
    if let functions = (type as? any AdditiveColumnValue.Type)?.arithmetic {
      return .function(functions.conversion, [self])
    }
    return .cast(self, type.storageClass)
  }
}

import SQLCore

// SQLite's functions on text. Upper and lower case are those of ASCII; lengths and places count
// Unicode scalars from 1, and a text is as long as what stands before its first U+0000.
// https://www.sqlite.org/lang_corefunc.html

extension SQLExpression where Value: TextColumnValue {
  /// The text with the capitals of ASCII made small. SQL: `lower(a)`
  public func lower() -> SQLExpression { text("lower") }

  /// The text with the small letters of ASCII made capitals. SQL: `upper(a)`
  public func upper() -> SQLExpression { text("upper") }

  /// How many Unicode scalars it has. SQL: `length(a)`
  public func length() -> SQLExpression<Value.IntegerResult> {
    SQLExpression<Value.IntegerResult>(.function("length", [node]))
  }

  /// Without spaces at both ends. SQL: `trim(a)`
  public func trim() -> SQLExpression { text("trim") }

  /// Without any of these characters at both ends. SQL: `trim(a, ?)`
  public func trim(_ characters: String) -> SQLExpression { text("trim", bound(characters)) }

  /// Without spaces before it. SQL: `ltrim(a)`
  public func ltrim() -> SQLExpression { text("ltrim") }

  /// Without any of these characters before it. SQL: `ltrim(a, ?)`
  public func ltrim(_ characters: String) -> SQLExpression { text("ltrim", bound(characters)) }

  /// Without spaces behind it. SQL: `rtrim(a)`
  public func rtrim() -> SQLExpression { text("rtrim") }

  /// Without any of these characters behind it. SQL: `rtrim(a, ?)`
  public func rtrim(_ characters: String) -> SQLExpression { text("rtrim", bound(characters)) }

  /// With each occurrence of a text replaced by another. SQL: `replace(a, ?, ?)`
  public func replace(_ part: String, with other: String) -> SQLExpression {
    text("replace", bound(part), bound(other))
  }

  /// From a place on, counted from 1; a negative place counts from the end. SQL: `substr(a, ?)`
  public func substr(_ start: Int) -> SQLExpression {
    text("substr", .value(BoundValue(start)))
  }

  /// So many scalars from a place on, counted from 1. SQL: `substr(a, ?, ?)`
  public func substr(_ start: Int, _ length: Int) -> SQLExpression {
    text("substr", .value(BoundValue(start)), .value(BoundValue(length)))
  }

  /// Where a text first stands in it, counted from 1; 0 where it does not. SQL: `instr(a, ?)`
  public func instr(_ part: String) -> SQLExpression<Value.IntegerResult> {
    SQLExpression<Value.IntegerResult>(.function("instr", [node, bound(part)]))
  }

  /// Where a text first stands in it, counted from 1; 0 where it does not. SQL: `instr(a, b)`
  public func instr(_ part: SQLExpression) -> SQLExpression<Value.IntegerResult> {
    SQLExpression<Value.IntegerResult>(.function("instr", [node, part.node]))
  }

  /// Both texts, one behind the other. SQL: `a || ?`
  public func concat(_ other: String) -> SQLExpression {
    SQLExpression(.binary(.concat, node, bound(other)))
  }

  /// Both texts, one behind the other. SQL: `a || b`
  public func concat(_ other: SQLExpression) -> SQLExpression {
    SQLExpression(.binary(.concat, node, other.node))
  }

  /// The number of its first Unicode scalar. SQL: `unicode(a)`
  public func unicode() -> SQLExpression<Int?> { SQLExpression<Int?>(.function("unicode", [node])) }

  /// Its bytes in hexadecimal. SQL: `hex(a)`
  public func hex() -> SQLExpression<String> { SQLExpression<String>(.function("hex", [node])) }

  private func text(_ name: String, _ arguments: ExpressionNode...) -> SQLExpression {
    SQLExpression(.function(name, [node] + arguments))
  }

  private func bound(_ text: String) -> ExpressionNode { .value(BoundValue(text)) }
}

extension SQLExpression where Value: TextColumnValue {
  /// Matches a pattern: `%` stands for any text, `_` for one character; ASCII without case.
  ///
  /// SQL: `a LIKE ?`, with `ESCAPE ?` where a sign is given that makes the next one literal.
  /// Unknown where the text is NULL.
  /// - SeeAlso: <https://www.sqlite.org/lang_expr.html#like>
  public func like(_ pattern: String, escape: Character? = nil) -> SQLPredicate {
    matches(.like, .value(BoundValue(pattern)), escape)
  }

  /// Matches a pattern that is itself an expression. SQL: `a LIKE b`
  public func like(pattern: SQLExpression, escape: Character? = nil) -> SQLPredicate {
    matches(.like, pattern.node, escape)
  }

  /// Matches a pattern of file names: `*` stands for any text, `?` for one character, `[a-z]` for
  /// one of several; with case. SQL: `a GLOB ?`
  public func glob(_ pattern: String) -> SQLPredicate {
    matches(.glob, .value(BoundValue(pattern)), nil)
  }

  /// Matches a pattern of file names that is itself an expression. SQL: `a GLOB b`
  public func glob(pattern: SQLExpression) -> SQLPredicate {
    matches(.glob, pattern.node, nil)
  }

  private func matches(
    _ sign: SQLToken, _ pattern: ExpressionNode, _ escape: Character?
  ) -> SQLPredicate {
    SQLPredicate(
      .match(sign, node, pattern, escape: escape.map { .value(BoundValue(String($0))) }))
  }
}

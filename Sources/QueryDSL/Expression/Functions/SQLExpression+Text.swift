import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// SQLite's functions on text. SQLite changes the case of ASCII letters only. Lengths and positions
// count Unicode scalars, and positions begin at 1. A length counts only the scalars before the
// first U+0000. https://www.sqlite.org/lang_corefunc.html

extension SQLExpression where Value: TextColumnValue {
  /// Returns the text with ASCII letters in lower case. SQL: `lower(a)`
  public func lower() -> SQLExpression { text("lower") }

  /// Returns the text with ASCII letters in upper case. SQL: `upper(a)`
  public func upper() -> SQLExpression { text("upper") }

  /// Returns the number of Unicode scalars. SQL: `length(a)`
  public func length() -> SQLExpression<Value.IntegerResult> {
    SQLExpression<Value.IntegerResult>(.function("length", [node]))
  }

  /// Returns the number of bytes of the text in UTF-8. SQL: `length(CAST(a AS BLOB))`
  ///
  /// Unlike `length`, it counts the whole text, also after U+0000. SQLite's own `octet_length`
  /// exists only since 3.43.
  public func octetLength() -> SQLExpression<Value.IntegerResult> {
    SQLExpression<Value.IntegerResult>(.function("length", [.cast(node, .blob)]))
  }

  /// Removes spaces from both ends. SQL: `trim(a)`
  public func trim() -> SQLExpression { text("trim") }

  /// Removes any of these characters from both ends. SQL: `trim(a, ?)`
  public func trim(_ characters: String) -> SQLExpression { text("trim", bound(characters)) }

  /// Removes spaces from the start. SQL: `ltrim(a)`
  public func ltrim() -> SQLExpression { text("ltrim") }

  /// Removes any of these characters from the start. SQL: `ltrim(a, ?)`
  public func ltrim(_ characters: String) -> SQLExpression { text("ltrim", bound(characters)) }

  /// Removes spaces from the end. SQL: `rtrim(a)`
  public func rtrim() -> SQLExpression { text("rtrim") }

  /// Removes any of these characters from the end. SQL: `rtrim(a, ?)`
  public func rtrim(_ characters: String) -> SQLExpression { text("rtrim", bound(characters)) }

  /// Replaces each occurrence of a text by another. SQL: `replace(a, ?, ?)`
  public func replace(_ part: String, with other: String) -> SQLExpression {
    text("replace", bound(part), bound(other))
  }

  /// Replaces each occurrence of a text by another. SQL: `replace(a, b, c)`
  public func replace(_ part: SQLExpression, with other: SQLExpression) -> SQLExpression {
    text("replace", part.node, other.node)
  }

  /// Returns the text from a position on; a negative position counts from the end.
  /// SQL: `substr(a, ?)`
  public func substr(_ start: Int) -> SQLExpression {
    text("substr", .value(BoundValue(start)))
  }

  /// Returns `length` scalars from a position on. SQL: `substr(a, ?, ?)`
  public func substr(_ start: Int, _ length: Int) -> SQLExpression {
    text("substr", .value(BoundValue(start)), .value(BoundValue(length)))
  }

  /// Returns the text from a position on. SQL: `substr(a, b)`
  public func substr(_ start: SQLExpression<Int>) -> SQLExpression { text("substr", start.node) }

  /// Returns `length` scalars from a position on. SQL: `substr(a, b, c)`
  public func substr(_ start: SQLExpression<Int>, _ length: SQLExpression<Int>) -> SQLExpression {
    text("substr", start.node, length.node)
  }

  /// Returns the position of the first occurrence of `part`, counted from 1; 0 if this text does
  /// not contain `part`.
  /// SQL: `instr(a, ?)`
  public func instr(_ part: String) -> SQLExpression<Value.IntegerResult> {
    SQLExpression<Value.IntegerResult>(.function("instr", [node, bound(part)]))
  }

  /// Returns the position of the first occurrence of `part`, counted from 1; 0 if this text does
  /// not contain `part`.
  /// SQL: `instr(a, b)`
  public func instr(_ part: SQLExpression) -> SQLExpression<Value.IntegerResult> {
    SQLExpression<Value.IntegerResult>(.function("instr", [node, part.node]))
  }

  /// Returns the text followed by another text. SQL: `a || ?`
  public func concat(_ other: String) -> SQLExpression {
    SQLExpression(.binary(.concat, node, bound(other)))
  }

  /// Returns the text followed by another text. SQL: `a || b`
  public func concat(_ other: SQLExpression) -> SQLExpression {
    SQLExpression(.binary(.concat, node, other.node))
  }

  /// Returns the code of the first Unicode scalar; NULL for an empty text. SQL: `unicode(a)`
  public func unicode() -> SQLExpression<Int?> { SQLExpression<Int?>(.function("unicode", [node])) }

  /// Returns the bytes in hexadecimal. SQL: `hex(a)`
  public func hex() -> SQLExpression<String> { SQLExpression<String>(.function("hex", [node])) }

  private func text(_ name: String, _ arguments: ExpressionNode...) -> SQLExpression {
    SQLExpression(.function(name, [node] + arguments))
  }

  private func bound(_ text: String) -> ExpressionNode { .value(BoundValue(text)) }
}

extension SQLExpression where Value: ArithmeticColumnValue {
  /// Returns the Unicode scalar with this code as a text, such as `A` for 65. SQL: `char(a)`
  ///
  /// If the code is negative or greater than 0x10FFFF, the result is U+FFFD. For NULL, the result
  /// is U+0000. The code of a surrogate, 0xD800 to 0xDFFF, gives a text that is not UTF-8, and
  /// reading it throws `ColumnValueError`.
  public func char() -> SQLExpression<String> { SQLExpression<String>(.function("char", [node])) }
}

extension SQLExpression where Value: TextColumnValue {
  /// Tests whether the text matches a pattern: `%` stands for any text, `_` for one character.
  /// ASCII letters match in either case.
  ///
  /// SQL: `a LIKE ?`, or `a LIKE ? ESCAPE ?` with `escape`. After the `escape` character, `%` and
  /// `_` in the pattern stand for themselves. If the text is NULL, the result is NULL.
  /// - SeeAlso: <https://www.sqlite.org/lang_expr.html#like>
  public func like(_ pattern: String, escape: Character? = nil) -> SQLPredicate {
    matches(.like, .value(BoundValue(pattern)), escape)
  }

  /// Tests whether the text matches a LIKE pattern. The pattern is an expression, such as a column.
  /// SQL: `a LIKE b`
  public func like(pattern: SQLExpression, escape: Character? = nil) -> SQLPredicate {
    matches(.like, pattern.node, escape)
  }

  /// Tests whether the text matches a file name pattern: `*` stands for any text, `?` for one
  /// character, `[a-z]` for one character of a range. Letters match only in the same case.
  /// SQL: `a GLOB ?`
  public func glob(_ pattern: String) -> SQLPredicate {
    matches(.glob, .value(BoundValue(pattern)), nil)
  }

  /// Tests whether the text matches a GLOB pattern. The pattern is an expression, such as a column.
  /// SQL: `a GLOB b`
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

extension SQLExpression where Value == Data {
  /// Returns the number of bytes. SQL: `length(a)`
  public func octetLength() -> SQLExpression<Int> {
    SQLExpression<Int>(.function("length", [node]))
  }
}

extension SQLExpression where Value == Data? {
  /// Returns the number of bytes; NULL if there is no value. SQL: `length(a)`
  public func octetLength() -> SQLExpression<Int?> {
    SQLExpression<Int?>(.function("length", [node]))
  }
}

/// A range of texts that contains all texts with a prefix, and as few other texts as possible.
///
/// SQLite compares texts by their bytes in the encoding of the file. In little-endian UTF-16, the
/// order of the bytes is not the order of the scalars. The end of the range is therefore the prefix
/// with its last scalar replaced by a scalar whose bytes are greater in every encoding.
struct TextRange {
  /// The least text: the prefix.
  let start: DatabaseValue
  /// The end, which is greater than every text with the prefix. If no text is greater, the end is
  /// an empty BLOB, because SQLite sorts every BLOB after all texts.
  let end: DatabaseValue

  /// Makes a range of texts that are compared by their bytes.
  init(prefix: String) {
    start = .text(prefix)
    end = Self.end(of: prefix.unicodeScalars) { Self.next($0) }
  }

  /// Makes a range for the collation NOCASE, from a prefix in lower case.
  init(prefixInLowerCase prefix: String) {
    start = .text(prefix)
    // NOCASE compares capital letters as if they were small letters. So the scalar that follows `@`
    // in this order is `[`, and not `A`. After a U+0000, NOCASE compares only the lengths of the
    // texts.
    end = Self.end(of: prefix.unicodeScalars.prefix { $0.value != 0 }) { scalar in
      Self.next(scalar).map { $0 == "A" ? "[" : $0 }
    }
  }

  /// Returns the end of the range for a prefix that is an argument of a prepared query. `part` says
  /// whether the collation is NOCASE. If the argument is nil, the end is NULL.
  static func end(ofPrefix argument: any ColumnValue, _ part: BoundArgument.Part) -> BoundValue {
    let bound = BoundValue(argument)
    guard case .value(.text(let prefix)) = bound else { return bound }
    return .value(
      part == .prefixEnd
        ? TextRange(prefix: prefix).end
        : TextRange(prefixInLowerCase: prefix.lowercasedASCII).end)
  }

  private static func end(
    of prefix: some BidirectionalCollection<Unicode.Scalar>,
    _ next: (Unicode.Scalar) -> Unicode.Scalar?
  ) -> DatabaseValue {
    var scalars = Array(prefix)
    while let last = scalars.popLast() {
      guard let next = next(last) else { continue }
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars)
      text.append(next)
      return .text(String(text))
    }
    return .blob(Data())
  }

  /// Returns the next scalar whose bytes are greater than those of `scalar` in UTF-8 and in both
  /// byte orders of UTF-16.
  ///
  /// Returns nil if the next scalar would be a surrogate, or needs a surrogate pair in UTF-16.
  private static func next(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    let value = scalar.value
    guard value < 0xFFFF else { return nil }
    return Unicode.Scalar(value & 0xFF == 0xFF ? value + 0x100 : value + 1)
  }
}

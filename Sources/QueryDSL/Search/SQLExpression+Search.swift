import SQLCore

// These methods search for a text inside another text. Unlike in `like` and `glob`, no character of
// the searched text has a special meaning, and U+0000 is a character like any other.
//
// Texts are compared scalar by scalar, as in SQL: an accented letter does not match the pair of
// letter and combining accent, which Swift considers equal.
// https://www.sqlite.org/lang_corefunc.html#instr

extension SQLExpression where Value: TextColumnValue {
  /// Tests whether the text contains another text. The result is unknown if the text is NULL. Every
  /// text contains the empty text.
  ///
  /// ```swift
  /// Post.where { $0.$title.contains("100%") }
  /// // … WHERE instr("title", ?) > 0
  /// ```
  /// Letters match only in the same case. SQLite cannot use an index for this test: it reads every
  /// text.
  public func contains(_ part: String) -> SQLPredicate {
    contains(bound(part))
  }

  /// Tests whether the text contains another text; unknown if either text is NULL.
  /// SQL: `instr(a, b) > 0`
  public func contains<Part: TextColumnValue>(_ part: SQLExpression<Part>) -> SQLPredicate {
    contains(part.node)
  }

  /// Tests whether the text begins with another text. The result is unknown if the text is NULL.
  /// Every text begins with the empty text.
  ///
  /// ```swift
  /// Post.where { $0.$title.hasPrefix("Sw") }
  /// // … WHERE "title" COLLATE "BINARY" >= ? AND "title" COLLATE "BINARY" < ?
  /// //   AND instr("title", ?) = 1
  /// ```
  /// Letters match only in the same case. The two comparisons are a range that contains all texts
  /// with the prefix, so an index on the column finds the range with one seek. COLLATE keeps the
  /// range correct if the file declares another collation for the column.
  public func hasPrefix(_ prefix: String) -> SQLPredicate {
    let range = TextRange(prefix: prefix)
    return isInRange(.binary, .value(range.start), .value(range.end), hasPrefix(bound(prefix)))
  }

  /// Tests whether the text begins with another text; unknown if either text is NULL.
  /// SQL: `instr(a, b) = 1`
  ///
  /// SQLite can use an index only if `prefix` is a parameter of a prepared query. In this case, the
  /// SQL is the same as that of `hasPrefix` with a Swift text.
  public func hasPrefix<Prefix: TextColumnValue>(_ prefix: SQLExpression<Prefix>) -> SQLPredicate {
    let test = hasPrefix(prefix.node)
    guard case .parameter(let parameter) = prefix.node else { return test }
    return isInRange(
      .binary, parameter.bound(as: .standard), parameter.prefixEnd(.prefixEnd), test)
  }

  /// Tests whether the text ends with another text. The result is unknown if the text is NULL.
  /// Every text ends with the empty text.
  ///
  /// ```swift
  /// Post.where { $0.$title.hasSuffix(".swift") }
  /// // … WHERE substr(CAST("title" || '.' AS BLOB), -length(CAST(? AS BLOB))) = CAST(? AS BLOB)
  /// ```
  /// Letters match only in the same case. SQLite cannot use an index for this test. The SQL adds a
  /// full stop to both texts, so that neither is empty. It compares bytes, because SQLite ends a
  /// text at U+0000 when it counts from the end.
  public func hasSuffix(_ suffix: String) -> SQLPredicate {
    ends(with: bound(suffix + "."))
  }

  /// Tests whether the text ends with another text; unknown if either text is NULL.
  ///
  /// SQL: `substr(CAST(a || '.' AS BLOB), -length(CAST(b || '.' AS BLOB))) = …`
  public func hasSuffix<Suffix: TextColumnValue>(_ suffix: SQLExpression<Suffix>) -> SQLPredicate {
    ends(with: .binary(.concat, suffix.node, .constant("'.'")))
  }

  private func bound(_ text: String) -> ExpressionNode { .value(BoundValue(text)) }

  /// Returns the condition that the text is in the range of all texts with a prefix, and that a
  /// further test is true:
  /// `a COLLATE "BINARY" >= ? AND a COLLATE "BINARY" < ? AND …`
  private func isInRange(
    _ collation: Collation, _ start: BoundValue, _ end: BoundValue, _ test: SQLPredicate
  ) -> SQLPredicate {
    let text = ExpressionNode.collate(node, collation.name)
    return SQLPredicate(
      .all([
        .compare(.greaterOrEqual, text, .value(start)), .compare(.less, text, .value(end)),
        test.node,
      ]))
  }

  fileprivate func contains(_ part: ExpressionNode) -> SQLPredicate {
    SQLPredicate(.compare(.greater, .function("instr", [node, part]), .constant("0")))
  }

  fileprivate func hasPrefix(_ prefix: ExpressionNode) -> SQLPredicate {
    SQLPredicate(.compare(.equal, .function("instr", [node, prefix]), .constant("1")))
  }

  /// Returns the condition that the text ends with a suffix, to which a full stop is already added:
  /// `substr(CAST(a || '.' AS BLOB), -length(CAST(b AS BLOB))) = CAST(b AS BLOB)`.
  ///
  /// Bytes are compared because `substr` and `length` end a text at U+0000. The full stop prevents
  /// an empty BLOB, for which `substr` gives NULL.
  fileprivate func ends(with suffix: ExpressionNode) -> SQLPredicate {
    let text = ExpressionNode.cast(.binary(.concat, node, .constant("'.'")), .blob)
    let bytes = ExpressionNode.cast(suffix, .blob)
    let end = ExpressionNode.function("substr", [text, .negative(.function("length", [bytes]))])
    return SQLPredicate(.compare(.equal, end, bytes))
  }
}

extension SQLExpression where Value: TextColumnValue {
  /// Returns the folded text: its letters are in one case, so texts that differ only in case become
  /// equal. SQL: `apus_fold(a)`, or `apus_fold_ascii(a)` for ASCII
  ///
  /// `CaseFolding.fold` does the same to a Swift text.
  /// ```swift
  /// Author.where { $0.$name.folded(.unicode) == CaseFolding.unicode.fold(name) }
  /// ```
  public func folded(_ folding: CaseFolding) -> SQLExpression {
    SQLExpression(.function(folding.function, [node]))
  }

  /// Tests whether the text contains another text, ignoring the case of letters. The result is
  /// unknown if the text is NULL.
  ///
  /// ```swift
  /// Post.where { $0.$title.contains("straße", ignoringCase: .unicode) }
  /// // … WHERE instr(apus_fold("title"), ?) > 0          with "strasse"
  /// ```
  /// SQLite cannot use an index for this test: it folds and searches every text.
  public func contains(_ part: String, ignoringCase folding: CaseFolding) -> SQLPredicate {
    folded(folding).contains(folding.fold(part))
  }

  /// Tests whether the text contains another text, ignoring the case of letters; unknown if either
  /// text is NULL.
  /// SQL: `instr(apus_fold(a), apus_fold(b)) > 0`
  public func contains<Part: TextColumnValue>(
    _ part: SQLExpression<Part>, ignoringCase folding: CaseFolding
  ) -> SQLPredicate {
    folded(folding).contains(part.folded(folding))
  }

  /// Tests whether the text begins with another text, ignoring the case of letters. The result is
  /// unknown if the text is NULL.
  ///
  /// ```swift
  /// Post.where { $0.$title.hasPrefix("sw", ignoringCase: .ascii) }
  /// // … WHERE "title" COLLATE "NOCASE" >= ? AND "title" COLLATE "NOCASE" < ?
  /// //   AND instr(apus_fold_ascii("title"), ?) = 1
  /// Post.where { $0.$title.hasPrefix("straße", ignoringCase: .unicode) }
  /// // … WHERE instr(apus_fold("title"), ?) = 1
  /// ```
  /// With `.ascii`, an index with the collation NOCASE finds the rows with one seek:
  /// `Index { $0.$title.collated(.noCase) }`. With `.unicode`, SQLite cannot use an index.
  public func hasPrefix(_ prefix: String, ignoringCase folding: CaseFolding) -> SQLPredicate {
    let folded = folding.fold(prefix)
    let test = self.folded(folding).hasPrefix(bound(folded))
    guard folding == .ascii else { return test }
    let range = TextRange(prefixInLowerCase: folded)
    return isInRange(.noCase, .value(range.start), .value(range.end), test)
  }

  /// Tests whether the text begins with another text, ignoring the case of letters; unknown if
  /// either text is NULL. SQL: `instr(apus_fold(a), apus_fold(b)) = 1`
  public func hasPrefix<Prefix: TextColumnValue>(
    _ prefix: SQLExpression<Prefix>, ignoringCase folding: CaseFolding
  ) -> SQLPredicate {
    let test = folded(folding).hasPrefix(prefix.folded(folding).node)
    guard folding == .ascii, case .parameter(let parameter) = prefix.node else { return test }
    return isInRange(
      .noCase, parameter.bound(as: .standard), parameter.prefixEnd(.prefixEndIgnoringCase), test)
  }

  /// Tests whether the text ends with another text, ignoring the case of letters. The result is
  /// unknown if the text is NULL.
  /// SQL: the SQL of `hasSuffix`, with `apus_fold(a)`
  public func hasSuffix(_ suffix: String, ignoringCase folding: CaseFolding) -> SQLPredicate {
    folded(folding).hasSuffix(folding.fold(suffix))
  }

  /// Tests whether the text ends with another text, ignoring the case of letters; unknown if either
  /// text is NULL.
  public func hasSuffix<Suffix: TextColumnValue>(
    _ suffix: SQLExpression<Suffix>, ignoringCase folding: CaseFolding
  ) -> SQLPredicate {
    folded(folding).hasSuffix(suffix.folded(folding))
  }
}

extension ParameterNode {
  /// Returns the end of the range of texts that begin with a prefix: `Sx` for the prefix `Sw`. The
  /// end itself is outside the range.
  fileprivate func prefixEnd(_ part: BoundArgument.Part) -> BoundValue {
    guard let value else { return .argument(BoundArgument(index, as: .standard, part: part)) }
    return TextRange.end(ofPrefix: value, part)
  }
}

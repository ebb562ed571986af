import SQLCore

/// The names in which a question about the existing rows is asked.
enum QuestionNames {
  /// Those before any step runs.
  case former
  /// Those after all renamings, before a table is rebuilt.
  case renamed
}

extension TablePlanner {
  /// Returns an expression of a declaration as a question about the existing rows, with the values
  /// that its columns will have. Returns nil if one of them is not known yet: that of a declared
  /// conversion, of a new column or of one that will be calculated.
  func question(_ expression: String, _ names: QuestionNames) -> String? {
    let formerNames =
      names == .former ? oldColumnNames.mapValues { Identifier($0).quoted } : [:]
    var values = formerNames
    for token in SQLTokens(expression).tokens where token.isName {
      guard let column = declared.column(token.value) else { continue }
      let existing = live.column(column.name)
      let isSameGeneration =
        column.generated.map { generated in
          existing?.generated.map(generated.isSame) == true
        } ?? true
      guard isSameGeneration else { return nil }
      let name = column.name.lowercasedASCII
      guard let source = sources[name], !source.isSame else {
        guard existing != nil else { return nil }
        continue
      }
      guard !source.sql.contains("apus_convert(") else { return nil }
      values[name] = "(\(source.sql.replacing(formerNames, onlyQuoted: true)))"
    }
    return expression.replacing(values)
  }
}

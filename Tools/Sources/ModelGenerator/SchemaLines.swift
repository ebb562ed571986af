import Apus

/// The lines of a model's schema, and the comments about definitions for which there is no line.
struct SchemaLines {
  private let model: PlannedModel
  private let others: [PlannedModel]
  private(set) var lines: [String] = []
  private(set) var comments: [String] = []

  init(of model: PlannedModel, among others: [PlannedModel]) {
    self.model = model
    self.others = others
    addColumns()
    guard let table = model.table, !model.isRow else { return }
    if table.isWithoutRowID { lines.append("WithoutRowID()") }
    for columns in table.uniqueColumns { addUnique(columns) }
    for index in model.source.indexes { add(index) }
    for key in table.foreignKeys { add(key) }
    for check in table.checks { add(check) }
    for trigger in model.source.triggers { comments.append("Trigger in the file: \(trigger)") }
  }

  // MARK: Columns

  private mutating func addColumns() {
    for property in model.properties {
      if property.name != property.column {
        lines.append("Named(\(property.path), \(property.column.swiftLiteral))")
      }
      if property.type.form != .standard {
        lines.append("Stored(\(property.path), as: .\(property.type.form))")
      }
      guard !model.isRow, let column = property.description else { continue }
      if let expression = column.expression, !expression.hasParameterMark {
        let storage = column.isStored ? ", .stored" : ""
        lines.append(
          "Generated(\(property.path)\(storage)) { _ in "
            + "SQLExpression(sql: \(expression.swiftLiteral)) }")
      }
      addDefault(column, property)
      if let collation = column.collation, !collation.isSameName(as: "BINARY") {
        lines.append("Collated(\(property.path), \(Self.collation(collation)))")
      }
    }
  }

  private mutating func addDefault(
    _ column: TableDescription.Column, _ property: PlannedProperty
  ) {
    guard let text = column.defaultText else { return }
    if text.isPlainDefault {
      // The parentheses are removed, because the library adds them.
      let sql = text.hasPrefix("(") ? String(text.dropFirst().dropLast()) : text
      lines.append("Default(\(property.path), sql: \(sql.swiftLiteral))")
    } else {
      comments.append("Default of \(column.name) in the file: \(text)")
    }
  }

  private static func collation(_ name: String) -> String {
    switch name.uppercased() {
    case "NOCASE": ".noCase"
    case "RTRIM": ".trimmed"
    default: "Collation(\(name.swiftLiteral))"
    }
  }

  // MARK: Indexes

  private mutating func addUnique(_ columns: [String]) {
    let properties = columns.compactMap(model.property)
    guard properties.count == columns.count else { return }
    lines.append("Unique(\(properties.map(\.path).joined(separator: ", ")))")
  }

  private mutating func add(_ index: SourceTable.Index) {
    guard let line = line(of: index) else {
      comments.append("Index in the file: \(index.sql)")
      return
    }
    lines.append(line)
  }

  /// Returns the line that declares an index; nil if no line can declare the index, for example an
  /// index on expressions.
  private func line(of index: SourceTable.Index) -> String? {
    let properties = index.terms.map { $0.column.flatMap(model.property) }
    guard properties.allSatisfy({ $0 != nil }) else { return nil }
    let word = index.isUnique ? "Unique" : "Index"
    let name = "name: \(index.name.swiftLiteral)"
    var condition: String?
    if index.isPartial {
      guard let text = index.sql.partAfterWhere, !text.hasParameterMark else { return nil }
      condition = "_ in SQLPredicate(sql: \(text.swiftLiteral))"
    }
    // Only the SQL shows whether an index names a collation. If it names none, it has the
    // collations of its columns.
    let namesCollation = index.sql.lowercased().contains("collate")
    if !namesCollation, !index.terms.contains(where: \.isDescending) {
      let paths = properties.compactMap { $0?.path }.joined(separator: ", ")
      return "\(word)(\(paths), \(name))" + (condition.map { " { \($0) }" } ?? "")
    }
    guard !namesCollation else { return nil }
    let terms = zip(properties, index.terms).map { property, term in
      "$0.$\(property?.name ?? "")\(term.isDescending ? ".descending" : "")"
    }
    return "\(word)(\(name)) { \(terms.joined(separator: "; ")) }"
      + (condition.map { " where: { \($0) }" } ?? "")
  }

  // MARK: Constraints

  private mutating func add(_ key: TableDescription.ForeignKey) {
    guard let line = line(of: key) else {
      comments.append(
        "Foreign key in the file: (\(key.columns.joined(separator: ", "))) to \(key.target)"
          + (key.targetColumns.isEmpty ? "" : " (\(key.targetColumns.joined(separator: ", ")))"))
      return
    }
    lines.append(line)
  }

  /// Returns the line that declares a foreign key; nil if no line can declare it. This is so, for
  /// example, if a column has another type than its target, or if the target columns are neither
  /// the key of a model nor unique.
  private func line(of key: TableDescription.ForeignKey) -> String? {
    guard let target = others.first(where: { $0.source.name.isSameName(as: key.target) }),
      target.kind == .model, let table = target.table, (1...3).contains(key.columns.count)
    else { return nil }
    let names = key.targetColumns.isEmpty ? table.keyColumns : key.targetColumns
    let isUnique =
      ([table.keyColumns] + table.uniqueColumns).contains { columns in
        columns.count == names.count && zip(columns, names).allSatisfy { $0.isSameName(as: $1) }
      }
    let columns = key.columns.compactMap(model.property)
    let targets = names.compactMap(target.property)
    guard isUnique, columns.count == key.columns.count, targets.count == columns.count,
      zip(columns, targets).allSatisfy({
        $0.type.name == $1.type.name && $0.type.form == $1.type.form
      })
    else { return nil }
    if columns.count > 1 {
      // The compiler accepts a foreign key if each column is as optional as its target. It also
      // accepts two optional columns whose targets are not optional.
      let areAlike = zip(columns, targets).allSatisfy { $0.isOptional == $1.isOptional }
      let areOptional =
        columns.count == 2 && columns.allSatisfy(\.isOptional)
        && !targets.contains(where: \.isOptional)
      guard areAlike || areOptional else { return nil }
    }
    let first = targets.enumerated().map { index, property in
      "\\\(target.typeName).$\(property.name)"
    }
    var line = "ForeignKey(\(columns.map(\.path).joined(separator: ", ")), references: "
    line += first.joined(separator: ", ")
    if key.onDelete != .noAction { line += ", onDelete: .\(key.onDelete)" }
    if key.onUpdate != .noAction { line += ", onUpdate: .\(key.onUpdate)" }
    if key.isDeferred { line += ", deferred: true" }
    return line + ")"
  }

  private mutating func add(_ check: TableDescription.Check) {
    guard !check.condition.hasParameterMark else {
      comments.append("Check in the file: \(check.condition)")
      return
    }
    let name = check.name.map { "(\($0.swiftLiteral))" } ?? ""
    lines.append("Check\(name) { _ in SQLPredicate(sql: \(check.condition.swiftLiteral)) }")
  }
}

extension String {
  /// Whether a fragment of SQL seems to have a parameter, or has a comment or U+0000.
  fileprivate var hasParameterMark: Bool {
    contains("?") || contains("--") || contains("/*") || contains("\u{0}")
  }

  /// Whether a model can declare the default with the same SQL. This is possible for a literal, a
  /// keyword such as `current_time`, or an expression in parentheses.
  fileprivate var isPlainDefault: Bool {
    guard !hasParameterMark, !contains("\""), !contains("`"), !contains("["),
      let first = unicodeScalars.first
    else { return false }
    let words = ["null", "true", "false", "current_time", "current_date", "current_timestamp"]
    if words.contains(lowercased()) { return true }
    if first == "'" || first == "(" { return true }
    if lowercased().hasPrefix("x'") { return true }
    let digits = first == "-" ? dropFirst() : self[...]
    return digits.unicodeScalars.first.map { ("0"..."9").contains($0) } ?? false
  }

  /// The condition in the SQL of a partial index: the text after WHERE. Nil if there is no WHERE.
  fileprivate var partAfterWhere: String? {
    var depth = 0
    var quote: Character?
    var hasTerms = false
    var index = startIndex
    while index < endIndex {
      let character = self[index]
      if let open = quote {
        if character == open { quote = nil }
      } else if character == "'" || character == "\"" || character == "`" {
        quote = character
      } else if character == "[" {
        quote = "]"
      } else if character == "(" {
        depth += 1
        hasTerms = true
      } else if character == ")" {
        depth -= 1
      } else if depth == 0, hasTerms, self[index...].prefix(5).lowercased() == "where" {
        let condition = self[self.index(index, offsetBy: 5)...]
        return String(condition.drop { $0.isWhitespace })
      }
      index = self.index(after: index)
    }
    return nil
  }
}

import ToolOutput

/// The Swift names for the names in a file.
enum SwiftName {
  /// Returns the name of a type for a table: `user_accounts` becomes `UserAccounts`.
  static func type(_ name: String) -> String {
    let joined = words(of: name).map(\.capitalizedFirst).joined()
    let type = joined.startsLikeName ? joined : "Table" + joined
    // A reserved name would hide a type that generated code uses.
    return reservedTypes.contains(type) ? type + "Row" : type
  }

  /// Returns the name of a property for a column: `author_id` becomes `authorID`.
  static func property(_ name: String) -> String {
    let words = words(of: name)
    guard let first = words.first else { return "column" }
    let joined = first.loweredFirst + words.dropFirst().map(\.capitalizedWord).joined()
    let property =
      joined.startsLikeName ? joined : "column" + words.map(\.capitalizedFirst).joined()
    return reservedProperties.contains(property) ? property + "Column" : property
  }

  /// Returns a name that is not taken, with a number if needed.
  static func free(_ name: String, _ taken: Set<String>) -> String {
    guard taken.contains(name) else { return name }
    var number = 2
    while taken.contains("\(name)\(number)") { number += 1 }
    return "\(name)\(number)"
  }

  /// Returns the property as Swift declares it, in backticks if it is a keyword.
  static func escaped(_ property: String) -> String {
    keywords.contains(property) ? "`\(property)`" : property
  }

  /// Returns the property as a label in a call, where most keywords need no backticks.
  static func label(_ property: String) -> String {
    ["inout", "let", "var"].contains(property) ? "`\(property)`" : property
  }

  // MARK: Words

  /// Divides a name at `_` and at all characters that a Swift name cannot contain.
  private static func words(of name: String) -> [String] {
    let words = name.unicodeScalars.split { !$0.properties.isXIDContinue || $0 == "_" }
      .map { String($0) }
    // If all letters of the name are capitals, a capital does not begin a word. The words are then
    // converted to lower case.
    let isShouted = !name.contains(where: \.isLowercase)
    return words.map { isShouted && $0.count > 1 ? $0.lowercased() : $0 }
  }

  private static let keywords: Set = [
    "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import",
    "init", "inout", "internal", "let", "operator", "private", "precedencegroup", "protocol",
    "public", "rethrows", "static", "struct", "subscript", "typealias", "var", "break", "case",
    "catch", "continue", "default", "defer", "do", "else", "fallthrough", "for", "guard", "if",
    "in", "repeat", "return", "throw", "switch", "where", "while", "Any", "as", "await", "false",
    "is", "nil", "self", "Self", "super", "throws", "true", "try", "Type", "Protocol",
  ]

  /// Types that generated code uses, and common types that a generated type should not hide.
  private static let reservedTypes: Set = [
    "AllModels", "AllOf", "Any", "AnyOf", "AnyValue", "Apus", "Array", "Bool", "Cell", "Character",
    "Check", "Codable", "Collated", "Collation", "Column", "ColumnReference", "ColumnValue",
    "Columns", "CommonTable", "Connection", "Converted", "Data", "Database", "DatabaseValue",
    "Date", "DateText", "Decimal", "Default", "Delete", "Dictionary", "Distinct", "Double",
    "Dropped",
    "Encodable", "Equatable", "Error", "Exists", "Float", "ForeignKey", "Foundation", "From",
    "FullText", "Generated", "GroupBy", "Hashable", "Having", "ID", "Identifiable", "Identifier",
    "Ignored", "Index", "Insert", "Int", "Int64", "JSON", "Join", "LeftJoin", "Limit", "Model",
    "Named", "Never", "Offset", "Optional", "OrderBy", "PrimaryKey", "Protocol", "Query", "Raise",
    "Renamed", "RenamedTable", "Result", "ResultRow", "Row", "SQL", "SQLExpression", "SQLPredicate",
    "SQLView", "Schema", "SchemaElement", "Select", "Self", "Sendable", "Series", "Set",
    "StorageClass", "Stored", "StoredForm", "String", "Swift", "TableModel", "Task", "Trigger",
    "Type", "UInt8", "URL", "UUID", "Unique", "Unique64", "Update", "Values", "View", "Void",
    "Where", "With", "WithRowID", "WithoutRowID",
  ]

  /// Names that already have another meaning in a model, or in every type.
  private static let reservedProperties: Set = [
    "customMirror", "hashValue", "self", "Type", "Protocol", "_",
  ]
}

extension String {
  /// Whether the first character may begin a Swift name.
  fileprivate var startsLikeName: Bool {
    guard let first = unicodeScalars.first else { return false }
    return first.properties.isXIDStart
  }

  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }

  /// The text as a later word of a name: capitalized, or all in capitals if it is an abbreviation.
  fileprivate var capitalizedWord: String {
    ["id", "url", "uuid", "json", "html", "ip"].contains(lowercased())
      ? uppercased() : capitalizedFirst
  }

  /// The name with its first word in lower case: `URLText` becomes `urlText`, `ID` becomes `id`.
  fileprivate var loweredFirst: String {
    let capitals = prefix { $0.isUppercase }
    if capitals.count == count { return lowercased() }
    // If several capitals come first, the last of them begins the next word.
    let end = capitals.count > 1 ? capitals.count - 1 : capitals.count
    return prefix(end).lowercased() + dropFirst(end)
  }

  /// The text as a Swift string literal, on one line.
  var swiftLiteral: String {
    let short: [Unicode.Scalar: String] = [
      "\"": "\\\"", "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r",
    ]
    return "\"" + escaped(short) { !$0.isPlain } + "\""
  }

  /// The text in a form for comments: on one line, and with escapes for characters that are not
  /// shown as themselves.
  var inComment: String { escaped(["\n": " ", "\t": " "]) { !$0.isPlain } }
}

extension Unicode.Scalar {
  /// Whether the character is shown as itself, and does not affect the characters around it.
  fileprivate var isPlain: Bool {
    if isASCII { return value >= 0x20 && value != 0x7F }
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .format, .unassigned, .privateUse,
      .surrogate:
      return false
    default: return true
    }
  }
}

import SQLCore

// Names and texts as a line to paste has them.

extension String {
  /// The text as Swift writes it.
  var swiftLiteral: String { debugDescription }

  /// The text in a comment at the end of a line.
  var inComment: String { contains(where: \.isNewline) ? swiftLiteral : self }

  /// Whether Swift takes it for a name as it is.
  var isSwiftName: Bool { isIdentifier && !Self.words.contains(self) }

  /// The name of a property, in backticks where Swift needs them.
  var escapedName: String { isSwiftName ? self : "`\(self)`" }

  /// The key path of the column of a property with that name, `\.$title`, or `\.$home.$city` for
  /// `home.$city`. After the dollar sign, a keyword is a name like others.
  var columnPath: String {
    let path = propertiesOfGroups.map { $0.isIdentifier ? "$\($0)" : "`$\($0)`" }
    return "\\." + path.joined(separator: ".")
  }

  /// The properties that lead to a column: of `home.$city`, the group's and that of the group's
  /// column.
  var propertiesOfGroups: [String] { split(separator: ".$").map { String($0) } }

  private static let words: Set = [
    "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import",
    "init", "inout", "internal", "let", "operator", "private", "precedencegroup", "protocol",
    "public", "rethrows", "static", "struct", "subscript", "typealias", "var", "break", "case",
    "catch", "continue", "default", "defer", "do", "else", "fallthrough", "for", "guard", "if",
    "in", "repeat", "return", "throw", "switch", "where", "while", "Any", "as", "await", "false",
    "is", "nil", "self", "Self", "super", "throws", "true", "try", "_", "Type", "Protocol",
  ]

  private var isIdentifier: Bool {
    guard let first = unicodeScalars.first, first == "_" || first.properties.isXIDStart else {
      return false
    }
    return unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isXIDContinue }
  }

  /// A name of a property made of the words of a column's name: `its weight` is `itsWeight`.
  var propertyName: String {
    let words = unicodeScalars.split { !$0.properties.isXIDContinue }.map { String($0) }
    let joined = words.enumerated().map { index, word in
      index == 0 ? word : word.prefix(1).uppercased() + word.dropFirst()
    }.joined()
    guard let first = joined.unicodeScalars.first else { return "column" }
    return first.properties.isXIDStart || first == "_" ? joined : "_\(joined)"
  }

  /// The name of a type without the modules in it; nil for one inside a function, which no other
  /// place can name.
  var withoutModules: String? {
    guard !contains("(unknown context") else { return nil }
    var result = ""
    var path: [Substring] = []
    var start = startIndex
    func flush(_ end: Index) {
      path.append(self[start..<end])
      // What follows the arguments of a generic type begins with its point, and has no module.
      let isInside = path.count > 1 && path[0].isEmpty
      result += (path.count > 1 && !isInside ? path.dropFirst() : path[...]).joined(separator: ".")
      path = []
    }
    for index in indices {
      switch self[index] {
      case ".":
        path.append(self[start..<index])
        start = self.index(after: index)
      case "<", ">", ",", " ", "(", ")":
        flush(index)
        result.append(self[index])
        start = self.index(after: index)
      default: break
      }
    }
    flush(endIndex)
    return result
  }
}

extension [String] {
  /// Texts as Swift writes them, one behind another.
  var swiftList: String { map(\.swiftLiteral).joined(separator: ", ") }
}

extension StorageClass {
  /// The type of a property that holds every value of this class, in a line to paste: for bytes
  /// `[UInt8]` instead of `Data`, so that the line compiles without Foundation.
  var propertyType: any ColumnValue.Type {
    self == .blob ? [UInt8].self : valueType ?? [UInt8].self
  }

  /// The name of that type.
  var swiftType: String {
    propertyType == [UInt8].self ? "[UInt8]" : String(describing: propertyType)
  }
}

import SQLCore

// Names and texts for the lines of Swift that an error offers if a migration refuses a step.

extension String {
  /// The text as a Swift string literal.
  package var swiftLiteral: String { debugDescription }

  /// The text in a form that can be written in a `//` comment. A text with line breaks becomes a
  /// Swift literal.
  package var inComment: String { contains(where: \.isNewline) ? swiftLiteral : self }

  /// Whether Swift accepts the text as a name without backticks.
  package var isSwiftName: Bool { isIdentifier && !Self.words.contains(self) }

  /// The name of a property, in backticks if Swift needs them.
  var escapedName: String { isSwiftName ? self : "`\(self)`" }

  /// The key path of a property: `\.$title` for `title`, and `\.$home.$city` for `home.$city`.
  /// After the dollar sign, a keyword needs no backticks.
  var columnPath: String {
    let path = propertiesOfGroups.map { $0.isIdentifier ? "$\($0)" : "`$\($0)`" }
    return "\\." + path.joined(separator: ".")
  }

  /// The names of the properties in the path of a column: `home` and `city` for `home.$city`.
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

  /// A property name made of the words in a column's name: `its weight` becomes `itsWeight`.
  var propertyName: String {
    let words = unicodeScalars.split { !$0.properties.isXIDContinue }.map { String($0) }
    let joined = words.enumerated().map { index, word in
      index == 0 ? word : word.prefix(1).uppercased() + word.dropFirst()
    }.joined()
    guard let first = joined.unicodeScalars.first else { return "column" }
    return first.properties.isXIDStart || first == "_" ? joined : "_\(joined)"
  }

  /// The name of a type without modules: `Post.Status` for `App.Post.Status`. Nil for a type inside
  /// a function, because code elsewhere cannot name such a type.
  var withoutModules: String? {
    guard !contains("(unknown context") else { return nil }
    var result = ""
    var path: [Substring] = []
    var start = startIndex
    func flush(_ end: Index) {
      path.append(self[start..<end])
      // A name that follows generic arguments begins with a dot and has no module, as `.Kind` in
      // `Box<Int>.Kind`.
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
  /// The texts as Swift string literals, separated by commas.
  package var swiftList: String { map(\.swiftLiteral).joined(separator: ", ") }
}

extension StorageClass {
  /// The Swift type that suggested code gives to a property. The type can hold every value of this
  /// storage class. For BLOB, it is `[UInt8]` instead of `Data`, so that the code compiles without
  /// Foundation.
  var propertyType: any ColumnValue.Type {
    self == .blob ? [UInt8].self : valueType ?? [UInt8].self
  }

  /// The name of `propertyType`, such as `Int64` for INTEGER.
  package var swiftType: String {
    propertyType == [UInt8].self ? "[UInt8]" : String(describing: propertyType)
  }
}

extension TableDefinition {
  /// Returns the line that gives a model a table of another name: `static let tableName = "Post2"`.
  ///
  /// - Parameter isTaken: returns whether a table name is already taken.
  package func otherNameLine(_ isTaken: (String) -> Bool = { _ in false }) -> String {
    "static let tableName = \(name.numbered(isTaken).swiftLiteral)"
  }

  /// Returns a line that declares an existing column of the table. If the property has another name
  /// than the column, a second line gives the column's name.
  ///
  /// - Parameter undeclared: the names of all columns that no model declares. Each gets a different
  ///   property, so that the lines of all columns can be pasted together.
  package func propertyLine(
    forColumn name: String, type: String, among undeclared: [String]
  ) -> String {
    let property = propertyNames(forColumns: undeclared)[name] ?? name.propertyName
    let line = "@Column var \(property.escapedName): \(type)"
    return columnNaming.name(of: property) == name
      ? line : "\(line)\nNamed(\(property.columnPath), \(name.swiftLiteral))"
  }

  /// Returns a property name for each column that no model declares, by the column's name.
  private func propertyNames(forColumns names: [String]) -> [String: String] {
    // The names `id` and `ID` are taken, because each model has a property `id` and a type `ID`.
    let declared = columns.compactMap { $0.type.property.propertiesOfGroups.first }
    var taken = Set(declared + ["id", "ID"])
    func isFree(_ property: String) -> Bool {
      // A property wrapper stores its value under the property's name with an underscore before it.
      !taken.contains(property) && !taken.contains("_\(property)")
        && !(property.hasPrefix("_") && taken.contains(String(property.dropFirst())))
    }
    var properties: [String: String] = [:]
    // Columns whose names can be property names come first, so that they keep their names.
    let same = names.filter { $0.propertyName == $0 }
    for name in same + names.filter({ $0.propertyName != $0 }) {
      var property = name.propertyName
      if !isFree(property) {
        property = "stored" + property.prefix(1).uppercased() + property.dropFirst()
      }
      while !isFree(property) { property += "2" }
      taken.insert(property)
      properties[name] = property
    }
    return properties
  }
}

extension String {
  /// Returns the name with a number, such as `Post2`. The number is the smallest, from 2 on, for
  /// which the name is free.
  package func numbered(separator: String = "", _ isTaken: (String) -> Bool) -> String {
    var number = 2
    while isTaken("\(self)\(separator)\(number)") { number += 1 }
    return "\(self)\(separator)\(number)"
  }
}

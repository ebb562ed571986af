/// The rule by which the columns of a model are named after its properties.
public enum ColumnNaming: Sendable {
  /// The column has the name of the property.
  case asDeclared
  /// Words in lower case, separated by `_`: `authorID` becomes `author_id`, `createdAt` becomes
  /// `created_at`.
  case snakeCase
  /// The closure returns the column's name for a property's name.
  case custom(@Sendable (String) -> String)

  func name(of property: String) -> String {
    switch self {
    case .asDeclared: property
    case .snakeCase: Self.snakeCase(property)
    case .custom(let name): name(property)
    }
  }

  private static func snakeCase(_ property: String) -> String {
    var words = ""
    let characters = Array(property)
    for (index, character) in characters.enumerated() {
      // A capital letter begins a word after a small letter or digit, and before a small letter.
      if character.isUppercase, index > 0, characters[index - 1] != "_" {
        let follows = !characters[index - 1].isUppercase
        let precedes = index + 1 < characters.count && characters[index + 1].isLowercase
        if follows || precedes { words += "_" }
      }
      words += character.lowercased()
    }
    return words
  }
}

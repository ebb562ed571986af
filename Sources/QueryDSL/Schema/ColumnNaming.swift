/// How the columns of a model are called after its properties.
public enum ColumnNaming: Sendable {
  /// As the properties.
  case asDeclared
  /// `authorID` is `author_id`, `createdAt` is `created_at`.
  case snakeCase
  /// As a function says.
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
      // A capital begins a word behind a small letter or digit, and before a small letter.
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

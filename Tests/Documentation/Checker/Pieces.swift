/// The lines of a block, cut where something begins at the left margin.
struct Pieces {
  struct Piece {
    /// The index of the first line in the block.
    let start: Int
    var lines: [String]
    /// `struct`, `extension`, `func` …, or an empty text for statements.
    var keyword = ""
    var name: String?
    var isMember = false
    var isImport = false

    var isDeclaration: Bool { !keyword.isEmpty }
    var isExtension: Bool { keyword == "extension" }
    var hasAccess: Bool { lines[0].hasPrefix("private") || lines[0].hasPrefix("fileprivate") }
  }

  private(set) var pieces: [Piece] = []

  private static let declarations: Set<Substring> = [
    "struct", "enum", "class", "actor", "protocol", "extension", "typealias",
  ]
  private static let modifiers: Set<Substring> = [
    "public", "private", "fileprivate", "final", "indirect", "internal", "nonisolated",
  ]

  init(_ lines: [String]) {
    var depth = 0
    var textDepth = false
    // Attributes on lines of their own belong to the declaration below them.
    var attributes: [String] = []
    for (index, line) in lines.enumerated() {
      let begins = depth == 0 && !textDepth
      if begins, line.hasPrefix("@"), Pieces.declaration(line, index, []) == nil {
        attributes.append(line)
        continue
      }
      if begins, let piece = Pieces.declaration(line, index - attributes.count, attributes) {
        pieces.append(piece)
      } else if begins, !attributes.isEmpty {
        pieces.append(Piece(start: index - attributes.count, lines: attributes + [line]))
      } else if let last = pieces.last,
        !begins || !(last.isDeclaration || last.isMember || last.isImport)
      {
        pieces[pieces.count - 1].lines.append(line)
      } else if line.hasPrefix("}") || line.hasPrefix(")"), !pieces.isEmpty {
        pieces[pieces.count - 1].lines.append(line)
      } else {
        pieces.append(Piece(start: index, lines: [line]))
      }
      attributes = []
      let code = Block.code(of: line)
      if code.components(separatedBy: "\"\"\"").count == 2 { textDepth.toggle() }
      guard !textDepth else { continue }
      for character in code {
        if "{([".contains(character) { depth += 1 }
        if "})]".contains(character) { depth -= 1 }
      }
    }
  }

  /// Returns the piece that a declaration begins, or nil if the line begins none.
  private static func declaration(
    _ line: String, _ start: Int, _ attributes: [String]
  ) -> Piece? {
    var words = line.split(separator: " ", omittingEmptySubsequences: true)[...]
    while let word = words.first, word.hasPrefix("@") || modifiers.contains(word) {
      words = words.dropFirst()
    }
    guard let word = words.first else { return nil }
    var piece = Piece(start: start, lines: attributes + [line])
    if declarations.contains(word) {
      piece.keyword = String(word)
      if word != "extension" {
        piece.name = words.dropFirst().first.map {
          String($0.prefix { $0.isLetter || $0.isNumber })
        }
      }
      return piece
    }
    if word == "func", line.hasPrefix("@") || !attributes.isEmpty {
      piece.keyword = "func"
      return piece
    }
    if word == "import" {
      piece.isImport = true
      return piece
    }
    let isMember = ["@Column", "@PrimaryKey", "@Live", "@Environment", "init("].contains {
      line.hasPrefix($0)
    }
    if word == "static" || isMember {
      piece.isMember = true
      return piece
    }
    return nil
  }
}

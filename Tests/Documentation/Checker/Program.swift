import Foundation

/// The Swift file that is made from a page: the types that its blocks declare, and a function in which
/// the blocks follow each other.
///
/// Each block is a function inside the function of the block before it. So it sees the variables of
/// the blocks before it, may declare their names again, and waits only if it contains `await`.
struct Program {
  let page: Page
  /// The Swift file of the page's own declarations, which no reader sees, or nil.
  let prelude: String?
  private var text = ""
  private var names: Set<String> = []
  private var claimNames: Set<String> = []

  init(page: Page, prelude: String?) {
    self.page = page
    self.prelude = prelude
  }

  static let imports = """
    import Foundation
    import Apus
    import ApusHistory
    import ApusRemote
    import DataFrames
    import SQLFunctions
    import ApusTestSupport
    @testable import Prelude

    """

  /// Objects for user interfaces are made on an actor, so pages that show them run on the main actor.
  private var isolation: String {
    let names = ["LiveQuery(", "LiveModel(", "LiveValue(", "history.register(", "@Live"]
    let isInterface = page.blocks.contains { block in
      block.lines.contains { line in names.contains { Block.code(of: line).contains($0) } }
    }
    return isInterface ? "@MainActor " : ""
  }

  /// The function of the page.
  var function: String { "page_\(page.identifier)" }

  /// Returns the file.
  ///
  /// - Parameter wrong: the block that must not compile and is compiled nevertheless.
  mutating func source(with wrong: Int? = nil) -> String {
    text = Program.imports
    for line in page.imports { text += "\(line)\n" }
    if page.blocks.contains(where: { $0.lines.contains { $0.contains("#expect") } }) {
      // Its `Comment` is ambiguous beside that of a page.
      text += "import Testing\n"
    }
    names = []
    if let prelude {
      text += prelude
      names = Set(Pieces(prelude.components(separatedBy: "\n")).pieces.compactMap(\.name))
    }
    if page.isSource {
      for index in page.blocks.indices { add(documentation: index) }
    } else {
      let used = page.blocks.indices.filter { index in
        page.blocks[index].kind == .right || index == wrong
      }
      var lines = ""
      for index in used { lines += open(index, wrong == nil ? "" : "\(index)") }
      // The function of each block returns that of the next.
      lines += used.isEmpty ? "" : "return nil\n}\n"
      for index in used.dropFirst().reversed() {
        let wait = page.blocks[index].isAsynchronous ? "await " : ""
        let actor = isolation.isEmpty ? "" : "\(isolation)in "
        lines += "return Next { \(actor)try \(wait)b\(index)() }\n}\n"
      }
      text += "\(isolation)\(wrong == nil ? "" : "private ")func \(function)() async throws {\n"
      text += lines
      if let first = used.first {
        let wait = page.blocks[first].isAsynchronous ? "await " : ""
        text += "var next = try \(wait)b\(first)()\n"
        text += "while let run = next { next = try await run.run() }\n"
      }
      text += "}\n"
    }
    return text
  }

  /// Returns the beginning of a block's function.
  private mutating func open(_ index: Int, _ suffix: String) -> String {
    let block = page.blocks[index]
    var statements = ""
    for piece in Pieces(block.completeLines).pieces {
      let code = placed(piece, block)
      if piece.isImport { continue }
      if piece.isMember {
        text +=
          "private struct Members\(index)_\(piece.start)\(suffix) {\n\(member(piece, code))}\n"
      } else if piece.isDeclaration, piece.name.map({ names.insert($0).inserted }) ?? true {
        text += privateCode(piece, code)
      } else {
        statements += code
      }
    }
    statements = wrapped(statements)
    if block.isLeftOut { statements = "if isNeverTrue() {\n\(statements)}\n" }
    return """
      \(isolation)func b\(index)() \(block.isAsynchronous ? "async " : "")throws -> Next? {
      beginBlock(\(index))
      \(statements)endBlock()

      """
  }

  private func privateCode(_ piece: Pieces.Piece, _ code: String) -> String {
    // An extension with a conformance has no access of its own.
    let head = piece.lines[0].prefix(while: { $0 != "{" })
    if piece.hasAccess || piece.isExtension && head.contains(":") { return code }
    var code = code
    // The first line is that of the place.
    let start = code.firstIndex(of: "\n") ?? code.startIndex
    // A page may show a declaration of a library.
    if piece.lines[0].hasPrefix("public "), let range = code[start...].firstRange(of: "public ") {
      code.replaceSubrange(range, with: "private ")
    } else if let range = code[start...].firstRange(of: piece.keyword + " ") {
      code.insert(contentsOf: "private ", at: range.lowerBound)
    }
    return code
  }

  /// Returns a member of a type that the page does not show. Its schema is collected like that of a
  /// model.
  private func member(_ piece: Pieces.Piece, _ code: String) -> String {
    let mark = "static var schema: Schema<"
    guard piece.lines[0].hasPrefix(mark) else { return code }
    let model = piece.lines[0].dropFirst(mark.count).prefix { $0 != ">" }
    return code.replacing(mark, with: "@SchemaBuilder<\(model)> \(mark)", maxReplacements: 1)
  }

  /// Returns the code of a piece, with the place from which it comes.
  private func placed(_ piece: Pieces.Piece, _ block: Block) -> String {
    """
    #sourceLocation(file: "\(page.path)", line: \(block.firstLine + piece.start))
    \(piece.lines.joined(separator: "\n"))
    #sourceLocation()

    """
  }

  /// Adds a block of a documentation comment, whose types are its own.
  private mutating func add(documentation index: Int) {
    let block = page.blocks[index]
    let pieces = Pieces(block.completeLines).pieces.filter { !$0.isImport }
    let areLifted =
      namesTypes(of: block)
      || pieces.contains { $0.isExtension || $0.lines[0].hasPrefix("@Test") }
    var statements = ""
    var members = ""
    for piece in pieces {
      let code = placed(piece, block)
      if piece.isMember {
        members += member(piece, code)
      } else if piece.isDeclaration, areLifted {
        text += privateCode(piece, code)
      } else {
        statements += code
      }
    }
    if !members.isEmpty {
      text += "\(isolation)private struct Members\(index) {\n\(members)}\n"
    }
    text += """
      \(isolation)private func d\(index)() \(block.isAsynchronous ? "async " : "")throws {
      \(wrapped(statements))}

      """
  }

  /// Wraps what stands in a schema, in a query or in a closure of columns.
  private func wrapped(_ statements: String) -> String {
    let code = statements.components(separatedBy: "\n").first {
      !$0.isEmpty && !$0.hasPrefix("#sourceLocation") && !$0.hasPrefix("//")
    }
    guard let code else { return statements }
    let word = code.prefix { $0.isLetter || $0 == "$" }
    switch word {
    case "Index", "Unique", "ForeignKey", "Check", "Default", "Renamed", "Dropped", "Logged",
      "Trigger", "Stored", "Named", "Generated", "Search", "Collated", "FullText", "VectorIndex",
      "WithoutRowID",
      "Converted",
      "Collation", "RenamedTable", "Statement", "SearchIndex", "References":
      return "_ = \(code.contains("insteadOf:") ? "viewSchema" : "schema") {\n\(statements)}\n"
    case "Join", "LeftJoin", "RightJoin", "FullJoin", "CrossJoin", "Where", "OrderBy", "GroupBy",
      "Having", "From":
      let optional = word == "LeftJoin" ? "Optional" : ""
      return """
        _ = Query {
        (post: Columns<Post>, other: Columns<Post>, author: \(optional)Columns<Author>,
        comment: Columns<Comment>) in
        From(post)
        \(statements)Select(post.$id)
        }

        """
    case "Case", "$": return "_ = Post.select {\n\(statements)}\n"
    default: return statements
    }
  }

  /// Whether the page's prelude uses a type that a block declares.
  func namesTypes(of block: Block) -> Bool {
    Pieces(block.completeLines).pieces.contains { piece in
      piece.name.map { prelude?.contains($0) ?? false } ?? false
    }
  }

  /// Returns the types and extensions that a block declares.
  mutating func declarations(of index: Int) -> String {
    let block = page.blocks[index]
    return Pieces(block.completeLines).pieces.map { piece in
      guard piece.isDeclaration, piece.keyword != "func" else { return "" }
      let code = placed(piece, block)
      if page.isSource, !namesTypes(of: block) { return piece.isExtension ? "" : code }
      guard piece.name.map({ claimNames.insert($0).inserted }) ?? true else { return "" }
      return privateCode(piece, code)
    }.joined()
  }
}

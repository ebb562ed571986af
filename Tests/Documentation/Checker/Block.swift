/// A piece of Swift of a page, or of the documentation of a declaration.
struct Block {
  enum Kind {
    /// The block compiles.
    case right
    /// The block must not compile. The text that it shows is a part of the compiler's messages.
    case wrong
    /// The block is arguments of a package's description.
    case manifest
  }

  var kind = Kind.right
  /// Whether the block is compiled but left out when its page runs.
  var isLeftOut = false
  /// The number of the first line in its file, from 1.
  var firstLine: Int
  var lines: [String]
  /// The output that the page shows, or nil.
  var shown: [String]?
}

extension Block {
  /// Whether the block waits for something. Other blocks are compiled as synchronous code, in which
  /// the methods without `await` are chosen.
  var isAsynchronous: Bool {
    lines.contains { line in
      let words = Block.code(of: line).split { !$0.isLetter && $0 != "_" }
      return words.contains("await")
    }
  }

  /// The output that the block must have: what the page shows below it, or the comments after its
  /// calls of `print` and on lines of their own after the first of them.
  var expectedOutput: [String]? {
    if let shown { return shown }
    var output: [String] = []
    var isPrinting = false
    for line in lines {
      let text = line.trimmingPrefix { $0 == " " }
      if text.hasPrefix("//") {
        if isPrinting { output.append(Block.comment(text)) }
        continue
      }
      let code = Block.code(of: String(text))
      guard code.contains("print(") else { continue }
      isPrinting = true
      if code.count < text.count {
        output.append(Block.comment(text.dropFirst(code.count)))
      }
    }
    return output.isEmpty ? nil : output
  }

  private static func comment(_ text: Substring) -> String {
    let text = text.drop { $0 == "/" }
    return String(text.first == " " ? text.dropFirst() : text)
  }

  /// Returns the part of a line before its comment.
  static func code(of line: String) -> String {
    var isInText = false
    var previous: Character = " "
    for index in line.indices {
      let character = line[index]
      if character == "\"", previous != "\\" { isInText.toggle() }
      if !isInText, line[index...].hasPrefix("//"), previous == " " {
        return String(line[..<index])
      }
      previous = character
    }
    return line
  }

  /// The lines with `{ … }`, `case …: …` and lines of `…` made into code.
  var completeLines: [String] {
    lines.map { line in
      let code = Block.code(of: line)
      let rest = line.dropFirst(code.count)
      var text = code
      if text.filter({ $0 != " " }) == "…" { return "" }
      text = text.replacing("{ … }", with: "{ }").replacing("{…}", with: "{}")
        .replacing(" in … }", with: " in }")
      if let mark = text.firstRange(of: ": …"),
        text[mark.upperBound...].allSatisfy({ $0 == " " })
      {
        text.replaceSubrange(mark, with: ": break")
      }
      return text + rest
    }
  }
}

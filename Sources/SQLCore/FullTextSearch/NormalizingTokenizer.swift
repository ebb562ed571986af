#if canImport(FoundationEssentials)
  // Swift's own normalization is used, because FoundationEssentials cannot normalize text. The
  // whole of Foundation can, but would add the data of all languages to a program.
  @_spi(_Unicode) import Swift
#else
  import Foundation
#endif

/// A tokenizer that normalizes a text to NFC before another tokenizer splits it. `é` is then one
/// letter, whether it was typed as one character or as a letter with an accent.
///
/// The first argument is the name of the other tokenizer. The remaining arguments are passed to the
/// other tokenizer.
final class NormalizingTokenizer: FTS5Tokenizer {
  private let words: any FTS5Tokenizer

  init(_ context: FTS5TokenizerContext) throws {
    let name = context.arguments.first ?? "unicode61"
    words = try context.tokenizer(name, Array(context.arguments.dropFirst()))
  }

  func tokenize(
    _ text: Span<UInt8>, for purpose: FTS5Purpose, into tokens: borrowing FTS5Tokens
  ) throws {
    // A text that consists only of ASCII characters is already in the normal form NFC.
    var isASCII = true
    for index in text.indices where text[index] >= 0x80 {
      isASCII = false
      break
    }
    guard !isASCII else { return try words.tokenize(text, for: purpose, into: tokens) }
    let source = text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    let normal = source.composed
    guard !normal.utf8.elementsEqual(source.utf8) else {
      return try words.tokenize(text, for: purpose, into: tokens)
    }
    let places = Self.places(of: source, in: normal)
    let target = tokens.target
    let relay = FTS5Tokens { token, range, isColocated in
      try FTS5Tokens(target).append(
        token, at: places.starts[range.lowerBound]..<places.ends[range.upperBound],
        isColocated: isColocated)
    }
    let bytes = Array(normal.utf8)
    try words.tokenize(bytes.span, for: purpose, into: relay)
  }

  /// Translates positions in the normal form of a text to positions in the source text. If a word
  /// begins at the byte `i` of the normal form, it begins at `starts[i]` in the source. If a word
  /// ends before the byte `i`, it ends at `ends[i]` in the source. Both arrays also have an element
  /// for the end of the normal form.
  ///
  /// Swift compares characters by their normal forms, so both texts have the same characters. Most
  /// characters also have the same bytes in both texts. A word may begin or end inside such a
  /// character: in the emoji 1️⃣, the word is only the first byte. A character with different bytes
  /// is split into parts that can be normalized one by one. A word in the source always consists of
  /// whole parts.
  static func places(of source: String, in normal: String) -> (starts: [Int], ends: [Int]) {
    var starts: [Int] = []
    var ends: [Int] = []
    starts.reserveCapacity(normal.utf8.count + 1)
    ends.reserveCapacity(normal.utf8.count + 1)
    var place = 0
    for (old, new) in zip(source, normal) {
      if old.utf8.elementsEqual(new.utf8) {
        starts.append(contentsOf: place..<place + old.utf8.count)
        ends.append(contentsOf: place..<place + old.utf8.count)
        place += old.utf8.count
        continue
      }
      for part in String(old).normalizedParts {
        let count = part.composed.utf8.count
        starts.append(contentsOf: repeatElement(place, count: count))
        ends.append(place)
        place += part.utf8.count
        ends.append(contentsOf: repeatElement(place, count: max(count - 1, 0)))
      }
    }
    let end = source.utf8.count
    while starts.count <= normal.utf8.count { starts.append(end) }
    while ends.count <= normal.utf8.count { ends.append(end) }
    return (starts, ends)
  }
}

extension String {
  /// The character, split into the shortest parts that can be normalized one by one. The normal
  /// forms of the parts, joined, equal the normal form of the character.
  fileprivate var normalizedParts: [String] {
    let normal = composed.unicodeScalars
    var parts: [String] = []
    var start = startIndex
    for index in unicodeScalars.indices.dropFirst()
    where unicodeScalars[index].properties.canonicalCombiningClass == .notReordered {
      let (head, tail) = (String(self[..<index]).composed, String(self[index...]).composed)
      if (head.unicodeScalars + tail.unicodeScalars).elementsEqual(normal) {
        parts.append(String(self[start..<index]))
        start = index
      }
    }
    return parts + [String(self[start...])]
  }
}

extension String {
  /// The text in the normal form NFC.
  var composed: String {
    #if canImport(FoundationEssentials)
      var scalars = UnicodeScalarView()
      for scalar in _nfc { scalars.append(scalar) }
      return String(scalars)
    #else
      return precomposedStringWithCanonicalMapping
    #endif
  }
}

extension Registration {
  /// The tokenizer `apus_nfc`, which an index with `SearchTokenizer.normalized(_:)` uses.
  ///
  /// A database that is opened with the models of its indexes already has this tokenizer. Another
  /// program must register a tokenizer of this name before it searches or writes the table.
  public static let normalizingTokenizer = Registration { registrar in
    try registrar.tokenizer("apus_nfc") { try NormalizingTokenizer($0) }
  }
}

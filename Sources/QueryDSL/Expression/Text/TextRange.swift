import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A range of texts that contains all texts with a prefix, and as few others as the order of each
/// text encoding allows.
///
/// SQLite compares the bytes of texts in the encoding of the file, and in little-endian UTF-16
/// their order is not that of the scalars. So the last scalar of the prefix is replaced by one
/// whose bytes are greater in every encoding.
struct TextRange {
  /// The least text: the prefix.
  let start: DatabaseValue
  /// The end, which is greater than every text with the prefix. If no text is greater, it is an
  /// empty BLOB, because SQLite sorts every BLOB after all texts.
  let end: DatabaseValue

  /// Makes a range of texts that are compared by their bytes.
  init(prefix: String) {
    start = .text(prefix)
    end = Self.end(of: prefix.unicodeScalars) { Self.next($0) }
  }

  /// Makes a range for the collation NOCASE, from a prefix in lower case.
  init(prefixInLowerCase prefix: String) {
    start = .text(prefix)
    // NOCASE compares upper case as lower case, and nothing after U+0000 but the length.
    end = Self.end(of: prefix.unicodeScalars.prefix { $0.value != 0 }) { scalar in
      Self.next(scalar).map { $0 == "A" ? "[" : $0 }
    }
  }

  /// Returns the end for a prefix that is an argument of a prepared query; NULL if it is nil.
  static func end(ofPrefix argument: any ColumnValue, _ part: BoundArgument.Part) -> BoundValue {
    let bound = BoundValue(argument)
    guard case .value(.text(let prefix)) = bound else { return bound }
    return .value(
      part == .prefixEnd
        ? TextRange(prefix: prefix).end
        : TextRange(prefixInLowerCase: prefix.lowercasedASCII).end)
  }

  private static func end(
    of prefix: some BidirectionalCollection<Unicode.Scalar>,
    _ next: (Unicode.Scalar) -> Unicode.Scalar?
  ) -> DatabaseValue {
    var scalars = Array(prefix)
    while let last = scalars.popLast() {
      guard let next = next(last) else { continue }
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars)
      text.append(next)
      return .text(String(text))
    }
    return .blob(Data())
  }

  /// Returns the next scalar whose bytes are greater in UTF-8 and in both byte orders of UTF-16.
  ///
  /// Returns nil if that would be a scalar that UTF-16 encodes as a surrogate pair, or a surrogate.
  private static func next(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    let value = scalar.value
    guard value < 0xFFFF else { return nil }
    return Unicode.Scalar(value & 0xFF == 0xFF ? value + 0x100 : value + 1)
  }
}

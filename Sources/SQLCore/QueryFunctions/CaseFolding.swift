/// A rule by which texts are compared without case. It says which upper-case and lower-case letters
/// count as equal.
///
/// ```swift
/// Post.where { $0.$title.contains("straße", ignoringCase: .unicode) }   // also finds STRASSE
/// ```
/// - SeeAlso: <https://www.sqlite.org/datatype3.html#collating_sequences>
public enum CaseFolding: String, Hashable, Sendable, CaseIterable {
  /// A to Z are the same as a to z, as in SQLite's `NOCASE`. `É` and `é` differ.
  case ascii
  /// Each character is the same as its upper-case and lower-case forms in Unicode, in every script:
  /// `É` and `é`, `ß` and `SS`, `ς` and `Σ`. Accents count: `e` and `é` differ.
  ///
  /// The rules of the Unicode version in Swift's standard library apply.
  case unicode

  /// Returns the text in lower case, for comparisons. Texts that differ only in case have the same
  /// result.
  public func fold(_ text: String) -> String {
    switch self {
    case .ascii: text.lowercasedASCII
    // The text is first converted to upper case, because only this conversion turns `ß` into `SS`,
    // and turns both forms of a small sigma into the same letter.
    case .unicode:
      text.utf8.allSatisfy { $0 < 0x80 } ? text.lowercasedASCII : text.uppercased().lowercased()
    }
  }

  /// The name of the SQL function that does the same as `fold(_:)`.
  package var function: String {
    switch self {
    case .ascii: "apus_fold_ascii"
    case .unicode: "apus_fold"
    }
  }
}

extension Registration {
  /// The functions `apus_fold_ascii` and `apus_fold`. They are used instead of SQLite's own
  /// `lower`, which ends a text at its first U+0000.
  static let folding = Registration { registrar in
    for folding in CaseFolding.allCases {
      // Indexes may use `apus_fold_ascii`, because its results never change. The results of
      // `apus_fold` may change with the version of Unicode.
      let flags: FunctionFlags = folding == .ascii ? [.innocuous, .deterministic] : .innocuous
      try registrar.function(folding.function, argumentCount: 1, flags) { arguments in
        guard try arguments.storageClass(at: 0) != .null else { return .null }
        return .text(folding.fold(try arguments.get(String.self, at: 0)))
      }
    }
  }
}

extension Registration {
  /// The SQL functions that typed queries call. They are registered on every connection.
  static let queries = Registration([.folding, .timeZones, .json, .jsonValues])
}

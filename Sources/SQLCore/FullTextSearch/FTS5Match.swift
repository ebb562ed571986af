import CSQLite

/// A row that a full-text search has found, as FTS5 shows it to an auxiliary function.
///
/// Places are counted in tokens, and the offsets that a tokenizer reports in bytes.
/// - SeeAlso: <https://www.sqlite.org/fts5.html#custom_auxiliary_functions>
struct FTS5Match {
  /// An occurrence of a phrase of the search in a column.
  struct Occurrence {
    /// The number of the phrase in the search.
    let phrase: Int
    let tokens: Range<Int>
  }

  let api: UnsafePointer<Fts5ExtensionApi>
  let context: OpaquePointer

  var columnCount: Int { Int(api.pointee.xColumnCount?(context) ?? 0) }

  var phraseCount: Int { Int(api.pointee.xPhraseCount?(context) ?? 0) }

  /// Returns the text of a column, which is valid while the function runs; nil for NULL, and for a
  /// column that the table does not have.
  func text(ofColumn column: Int) throws(FTS5Stop) -> UnsafeRawBufferPointer? {
    guard column >= 0, column < columnCount else { return nil }
    var start: UnsafePointer<CChar>?
    var count: Int32 = 0
    try check(api.pointee.xColumnText?(context, Int32(column), &start, &count))
    guard let start else { return nil }
    return UnsafeRawBufferPointer(start: start, count: Int(max(count, 0)))
  }

  /// Returns how many tokens a column had when the row was indexed.
  func tokenCount(ofColumn column: Int) throws(FTS5Stop) -> Int {
    var count: Int32 = 0
    try check(api.pointee.xColumnSize?(context, Int32(column), &count))
    return Int(count)
  }

  /// Returns the occurrences of all phrases in a column, in the order of their first tokens.
  func occurrences(inColumn wanted: Int) throws(FTS5Stop) -> [Occurrence] {
    var count: Int32 = 0
    try check(api.pointee.xInstCount?(context, &count))
    var occurrences: [Occurrence] = []
    for index in 0..<max(count, 0) {
      var (phrase, column, token): (Int32, Int32, Int32) = (0, 0, 0)
      try check(api.pointee.xInst?(context, index, &phrase, &column, &token))
      guard column == wanted else { continue }
      let size = max(api.pointee.xPhraseSize?(context, phrase) ?? 0, 0)
      occurrences.append(
        Occurrence(phrase: Int(phrase), tokens: Int(token)..<Int(token) + Int(size)))
    }
    return occurrences
  }

  /// Splits a text as FTS5 split it for the index, and passes each token to a function with the
  /// address of `state`. The function returns `SQLITE_DONE` if it needs no more of them.
  func tokenize<State>(
    _ text: UnsafeRawBufferPointer, into state: inout State, _ receive: FTS5Tokens.Receiver
  ) throws(FTS5Stop) {
    let code = withUnsafeMutablePointer(to: &state) { state in
      api.pointee.xTokenize?(
        context, text.baseAddress?.assumingMemoryBound(to: CChar.self),
        Int32(clamping: text.count), state, receive)
    }
    if code != SQLITE_DONE { try check(code) }
  }

  private func check(_ code: Int32?) throws(FTS5Stop) {
    let code = code ?? SQLITE_ERROR
    if code != SQLITE_OK { throw FTS5Stop(code: code) }
  }
}

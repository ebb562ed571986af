import CSQLite

/// A row that a full-text search has found, as FTS5 passes it to an auxiliary function.
///
/// Two units are used: the position of an occurrence is counted in tokens, and the offsets that a
/// tokenizer reports are counted in bytes.
/// - SeeAlso: <https://www.sqlite.org/fts5.html#custom_auxiliary_functions>
struct FTS5Match {
  /// An occurrence of a phrase of the search in a column.
  struct Occurrence {
    /// The number of the phrase in the search, counted from 0.
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

  /// Splits a text into tokens with the tokenizer of the index. Passes each token and the address
  /// of `state` to `receive`. If `receive` returns `SQLITE_DONE`, the method stops.
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

extension FTS5 {
  /// Registers the auxiliary functions that typed queries call.
  ///
  /// | SQL | returns |
  /// |---|---|
  /// | `apus_highlight(t, column, open, close)` | what `highlight` returns |
  /// | `apus_snippet(t, column, open, close, ellipsis, words)` | what `snippet` returns |
  ///
  /// They replace SQLite's own `highlight` and `snippet`, which do not handle U+0000: each part of
  /// a text between two marks ends at its first U+0000. In old versions, such as 3.40.1, SQLite's
  /// functions also repeat letters if two occurrences overlap, as with `trigram`, and a snippet of
  /// one word can be longer than requested.
  ///
  /// A connection registers the functions when it first compiles a statement that calls one of
  /// them. Does nothing if SQLite was built without FTS5.
  /// - SeeAlso: <https://www.sqlite.org/fts5.html#custom_auxiliary_functions>
  static func registerFunctions(on core: ConnectionCore) {
    guard let api = try? api(of: core), let create = api.pointee.xCreateFunction else { return }
    _ = create(api, "apus_highlight", nil, highlight, nil)
    _ = create(api, "apus_snippet", nil, snippet, nil)
  }

  /// Returns whether the last statement failed to compile because it calls `apus_highlight` or
  /// `apus_snippet`, which the connection does not have yet.
  static func lacksFunction(_ handle: OpaquePointer) -> Bool {
    let message = String(cString: sqlite3_errmsg(handle))
    return message == "no such function: apus_highlight"
      || message == "no such function: apus_snippet"
  }
}

private func highlight(
  api: UnsafePointer<Fts5ExtensionApi>?, row: OpaquePointer?, result: OpaquePointer?,
  count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?
) {
  answer("apus_highlight", 3, api, row, result, count, values) {
    (match, values) throws(FTS5Stop) in
    let column = Int(sqlite3_value_int(values[0]))
    guard let text = try match.text(ofColumn: column) else { return nil }
    let words = try FoundWords(in: text, of: match, match.occurrences(inColumn: column))
    return words.marked(in: text, argument(values[1]), argument(values[2]))
  }
}

private func snippet(
  api: UnsafePointer<Fts5ExtensionApi>?, row: OpaquePointer?, result: OpaquePointer?,
  count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?
) {
  answer("apus_snippet", 5, api, row, result, count, values) { (match, values) throws(FTS5Stop) in
    let size = max(Int(sqlite3_value_int(values[4])), 1)
    let snippet = try Snippet(of: match, inColumn: Int(sqlite3_value_int(values[0])), size: size)
    guard let text = try match.text(ofColumn: snippet.column) else { return nil }
    let tokens = snippet.firstToken..<snippet.firstToken + size
    let showsEnd = try tokens.upperBound >= match.tokenCount(ofColumn: snippet.column)
    let words = try FoundWords(
      in: text, of: match, match.occurrences(inColumn: snippet.column), shown: tokens,
      showsEnd: showsEnd)
    let ellipsis = argument(values[3])
    return words.marked(
      in: text, argument(values[1]), argument(values[2]),
      before: tokens.lowerBound > 0 ? ellipsis : nil, after: showsEnd ? nil : ellipsis)
  }
}

/// Sets the result of an auxiliary function: a text, NULL, or an error.
private func answer(
  _ name: String, _ wanted: Int, _ api: UnsafePointer<Fts5ExtensionApi>?, _ row: OpaquePointer?,
  _ result: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?,
  _ text: (FTS5Match, UnsafeMutablePointer<OpaquePointer?>) throws(FTS5Stop) -> [UInt8]?
) {
  guard let api, let row, let values, count == wanted else {
    let error = DatabaseError(
      code: .error, message: "wrong number of arguments to function \(name)()")
    return CallbackFailure(error).setResult(of: result)
  }
  do {
    guard let bytes = try text(FTS5Match(api: api, context: row), values) else {
      return sqlite3_result_null(result)
    }
    bytes.withUnsafeBytes { bytes in
      csqlite_result_text_copy(
        result, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), UInt64(bytes.count))
    }
  } catch {
    sqlite3_result_error_code(result, error.code)
  }
}

private func argument(_ value: OpaquePointer?) -> UnsafeRawBufferPointer {
  let start = sqlite3_value_text(value)
  return UnsafeRawBufferPointer(
    start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
}

private final class Synonyms: FTS5Tokenizer {
  init(of tokenizer: some FTS5Tokenizer) {}
  func tokenize(
    _ text: Span<UInt8>, for purpose: FTS5Purpose, into tokens: borrowing FTS5Tokens
  ) throws {}
}

extension SQLTokens {
  /// The index of the module's name, if the SQL is a CREATE VIRTUAL TABLE; otherwise nil.
  package var moduleIndex: Int? {
    // CREATE VIRTUAL TABLE name USING module(…). The name is quoted if it is a keyword.
    guard tokens.count > 1, tokens[1].isWord("virtual"),
      let using = tokens.firstIndex(where: { $0.isWord("using") }),
      using + 1 < tokens.count, tokens[using + 1].isName
    else { return nil }
    return using + 1
  }
}

extension String {
  /// The name of the module in lower case, if the text is a CREATE VIRTUAL TABLE; otherwise nil.
  @_spi(Tools)
  public var virtualTableModule: String? {
    let tokens = SQLTokens(self)
    return tokens.moduleIndex.map { tokens.tokens[$0].value.lowercasedASCII }
  }
}

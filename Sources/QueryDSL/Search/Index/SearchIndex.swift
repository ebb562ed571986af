import SQLCore

/// A full-text index as a model declares it. The model's schema and queries share this value.
struct SearchIndex: Hashable, Sendable {
  struct Column: Hashable, Sendable {
    /// The column's offset in `ModelLayout.columns`.
    let index: Int
    let name: String
    let weight: Double
    let isUnindexed: Bool
  }

  let name: String
  let columns: [Column]
  let tokenizer: SearchTokenizer
  let prefixes: [Int]
  let detail: SearchDetail
  /// The offset of the key's column in `ModelLayout.columns`.
  let key: Int
  /// Whether the model's table itself is the FTS5 table.
  var isTable = false

  /// Returns the position in `columns` of the column with this offset in `ModelLayout.columns`; nil
  /// if the index does not have the column.
  func position(ofColumn index: Int) -> Int? { columns.firstIndex { $0.index == index } }
}

// MARK: Finding the index of a model

extension SearchIndex {
  /// The full-text indexes that were already read from the schemas of models, by the number of the
  /// model's layout.
  private static let known = Lock<[UInt16: SearchIndex]>([:])

  /// Returns the full-text index that a model declares; nil if the model declares none. Throws
  /// `ModelError` if the declaration is invalid.
  static func declared<M: TableModel>(by model: M.Type) throws -> SearchIndex? {
    let layout = try M.layout
    if let index = known.withLock({ $0[layout.number] }) { return index }
    let elements = layout.schemaElements as? [SchemaElement<M>] ?? M.schema.elements
    let lines = elements.compactMap { element -> FullTextLine<M>? in
      if case .fullText(let line) = element.kind { line } else { nil }
    }
    guard let line = lines.first else {
      let isTable = elements.contains {
        if case .existingFullText = $0.kind { true } else { false }
      }
      guard isTable else { return nil }
      let index = try SearchIndex(tableOf: layout, model)
      known.withLock { $0[layout.number] = index }
      return index
    }
    guard lines.count == 1 else {
      throw ModelError(M.self, "it has two `FullText` lines; list all columns in one of them")
    }
    let index = try line.resolved(on: layout)
    known.withLock { $0[layout.number] = index }
    return index
  }
}

extension SearchIndex {
  /// Creates the index of a model whose table is itself an FTS5 table. The table's own definition
  /// decides which words are indexed.
  private init(tableOf layout: ModelLayout, _ model: Any.Type) throws {
    guard let key = layout.rowIDColumn, layout.columns[key].name.isSame(as: "rowid") else {
      throw ModelError(
        model,
        "ExistingFullText(): the key of an FTS5 table is its rowid; declare "
          + "`@PrimaryKey var id: Int64`, and `Named(\\.$id, \"rowid\")` in the schema")
    }
    let columns = layout.columns.indices.filter { $0 != key }.map { index in
      Column(index: index, name: layout.columns[index].name, weight: 1, isUnindexed: false)
    }
    self.init(
      name: layout.tableName, columns: columns, tokenizer: .unknown, prefixes: [], detail: .full,
      key: key, isTable: true)
  }
}

extension FullTextLine where M: TableModel {
  fileprivate func resolved(on layout: ModelLayout) throws -> SearchIndex {
    func error(_ message: String) -> ModelError { ModelError(M.self, "FullText(…): \(message)") }
    guard !M._isView else {
      throw error("a view has no full-text index; declare it in the models of its tables")
    }
    guard let key = layout.rowIDColumn else {
      let keys = layout.keyColumns.map { layout.columns[$0].name }.joined(separator: ", ")
      throw error(
        "the index finds its rows by the rowid, so the table needs a single primary key of an "
          + "integer type and cannot be WITHOUT ROWID; its key is (\(keys)). Give the model a key "
          + "such as `@PrimaryKey var id: Unique64`, and declare the other key as `Unique`")
    }
    let columns = try terms(on: layout).map { index, term in
      let column = layout.columns[index]
      let name = column.name.lowercasedASCII
      guard name != "rank", name != "rowid" else {
        throw error(
          "FTS5 reserves the name \(column.name); give the column another one by `Named`")
      }
      guard term.isUnindexed || column.storageClass == .text else {
        throw error(
          "\(column.name) is \(column.storageClass.rawValue), and only text has words; write "
            + "`$0.$\(column.property).unindexed`, or leave it out")
      }
      guard term.weight.isFinite, term.weight >= 0 else {
        throw error("the weight of \(column.name) is \(term.weight)")
      }
      // Swift may write a number outside this range with an exponent, which FTS5 cannot read.
      guard term.weight == 0 || (0.001...1e9).contains(term.weight) else {
        throw error(
          "the weight of \(column.name) is \(term.weight); only ratios matter, so choose weights "
            + "from 0.001 to 1000000000")
      }
      return SearchIndex.Column(
        index: index, name: column.name, weight: term.weight, isUnindexed: term.isUnindexed)
    }
    let indexName = name ?? "\(layout.tableName)_search"
    try check(columns, named: indexName, error)
    return SearchIndex(
      name: indexName, columns: columns, tokenizer: tokenizer, prefixes: prefixes, detail: detail,
      key: key)
  }

  private func terms(on layout: ModelLayout) throws -> [(index: Int, term: FullTextTerm)] {
    let needsColumns = ModelError(
      M.self, "FullText(…) needs columns: `\\.$title`, with the dollar sign")
    switch terms {
    case .columns(let paths):
      return try paths.map { path in
        guard let index = layout.index(ofColumn: path) else { throw needsColumns }
        return (index, FullTextTerm(.constant("")))
      }
    case .expressions(let terms):
      return try terms().map { term in
        guard case .column(let column) = term.node, column.table.layout == layout.number else {
          throw needsColumns
        }
        return (Int(column.index), term)
      }
    }
  }

  private func check(
    _ columns: [SearchIndex.Column], named name: String, _ error: (String) -> ModelError
  ) throws {
    guard columns.contains(where: { !$0.isUnindexed }) else {
      throw error("it names no column whose words are indexed")
    }
    guard Set(columns.map(\.index)).count == columns.count else {
      throw error("it names a column twice")
    }
    guard !name.isEmpty, !name.utf8.contains(0) else {
      throw error("a name must not be empty or contain U+0000")
    }
    if let column = columns.first(where: { $0.name.isSame(as: name) }) {
      throw error("\(name) is the name of the index and of a column (\(column.name))")
    }
    guard prefixes.allSatisfy({ (1...999).contains($0) }), prefixes.count <= 31 else {
      throw error("there are at most 31 prefixes, each of 1 to 999 characters")
    }
    guard !tokenizer.words.contains(where: { $0.utf8.contains(0) }) else {
      throw error("an argument of the tokenizer contains U+0000")
    }
    guard SQLiteLibrary.versionNumber >= tokenizer.requiredVersion else {
      throw error(
        "SQLite \(SQLiteLibrary.version) does not know the options of the tokenizer "
          + "`\(tokenizer.sql)`")
    }
    guard detail == .full || tokenizer.splitsWordsPredictably else {
      throw error(
        "a tokenizer that makes several tokens of a word needs phrases, which only the detail "
          + "`.full` can search")
    }
  }
}

extension SearchTokenizer {
  /// Whether the library can split a text into words in the same way as the tokenizer, so that the
  /// tokenizer makes at most one token of each word.
  fileprivate var splitsWordsPredictably: Bool {
    switch kind {
    case .unicode, .ascii: words.count <= (kind == .ascii ? 1 : 3)
    case .porter: words == SearchTokenizer.porter().words || words == ["porter", "ascii"]
    case .trigram, .normalized, .custom: false
    }
  }
}

extension SearchIndex {
  /// Returns the full-text index that a model declares. Throws `ModelError` if it declares none, or
  /// if the declaration is invalid.
  static func required<M: TableModel>(by model: M.Type) throws -> SearchIndex {
    guard let index = try declared(by: model) else {
      throw ModelError(
        model, "it has no full-text index; declare `FullText(\\.$…)` in its schema")
    }
    return index
  }
}

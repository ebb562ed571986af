import Apus
import ToolOutput

extension Database {
  /// Returns the faults of the file: damage and broken references. If the file has neither, returns
  /// the full-text indexes that disagree with their text.
  ///
  /// Only a connection that may write can check a full-text index. If there are such indexes, the
  /// file is copied into the temporary folder, and the copy is checked. SQLite cannot check an
  /// index of FTS4 whose text is not stored.
  ///
  /// - Parameters:
  ///   - isQuick: whether to skip the comparison of indexes with their tables, which takes most of
  ///     the time.
  ///   - progress: the line that shows how far the check has come.
  package func faults(isQuick: Bool, _ progress: ProgressLine) throws -> [FileFault] {
    defer { progress.end() }
    let faults = try read { connection in
      try connection.damage(isQuick: isQuick, progress) + connection.brokenReferences(progress)
    }
    return faults.isEmpty ? try brokenSearchIndexes(progress) : faults
  }

  private func brokenSearchIndexes(_ progress: ProgressLine) throws -> [FileFault] {
    let indexes = try read { try $0.checkableSearchIndexes() }
    guard !indexes.isEmpty else { return [] }
    var configuration = Configuration()
    configuration.trustsSchema = false
    let copy = try Database.temporary(configuration: configuration)
    Interruption.onRequest { [weak copy] in copy?.interrupt() }
    let pageSize = try read { try $0.row("PRAGMA page_size")?.get(Int.self, at: 0) } ?? 0
    progress.begin("copying the file")
    try backup(to: copy) { step in
      try Interruption.check()
      progress.update(bytes: (step.completedPageCount * pageSize, of: step.pageCount * pageSize))
    }
    return try indexes.compactMap { name, module in
      // With rank 1, FTS5 also compares the index with an external table that holds its text.
      let command: SQL =
        module == .fts5
        ? """
        INSERT INTO \(identifier: name) (\(identifier: name), rank) VALUES ('integrity-check', 1)
        """
        : "INSERT INTO \(identifier: name) (\(identifier: name)) VALUES ('integrity-check')"
      do {
        try copy.writeWithoutTransaction { connection in
          let steps = connection.steps(ofSearchIndex: name, progress)
          try connection.following(steps, "checking the index \(name)", progress) {
            try connection.execute(command)
          }
        }
        return nil
      } catch let error as DatabaseError {
        return FileFault(
          kind: "full-text index", table: name,
          text: error.code.primary == .corrupt
            ? "the index does not agree with its text; rebuild it" : error.message)
      }
    }
  }
}

extension Connection {
  fileprivate func checkableSearchIndexes() throws -> [(name: String, module: FullTextModule)] {
    var indexes: [(name: String, module: FullTextModule)] = []
    for row in try rows("SELECT name, sql FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%'") {
      let name: String = try row.get(at: 0)
      let sql: String = try row.get(at: 1)
      guard let module = FullTextModule(ofTable: sql) else { continue }
      let hasContent = try tableExists("\(name)_content")
      if module == .fts4, !FullTextModule.isTextStored(sql, hasContent: hasContent) { continue }
      indexes.append((name, module))
    }
    return indexes
  }

  fileprivate func damage(isQuick: Bool, _ progress: ProgressLine) throws -> [FileFault] {
    var faults: [FileFault] = []
    let pragma: SQL = isQuick ? "PRAGMA quick_check" : "PRAGMA integrity_check"
    try following(StatementSteps(of: pragma, in: self, progress), "checking the file", progress) {
      try forEachRow(of: pragma, names: { _ in }) { values in
        if case .text(let text) = values.first, text != "ok" {
          faults.append(FileFault(kind: "file", table: nil, text: text))
        }
        return true
      }
    }
    return faults
  }

  fileprivate func brokenReferences(_ progress: ProgressLine) throws -> [FileFault] {
    var faults: [FileFault] = []
    // The check fails if a foreign key refers to columns that are not a key. Each table is checked
    // by itself, so that such a failure does not stop the checks of the other tables.
    for relation in try Relation.all(in: self) where relation.kind == .table {
      do {
        let sql: SQL = """
          SELECT rowid, "parent" FROM pragma_foreign_key_check(\(relation.name))
          """
        let steps = StatementSteps(
          of: "PRAGMA foreign_key_check(\(identifier: relation.name))", in: self, progress)
        let verb = "checking what \(relation.name) refers to"
        try following(steps, verb, progress) {
          try forEachRow(of: sql, names: { _ in }) { values in
            var target = ""
            if case .text(let name) = values[1] { target = name }
            faults.append(
              FileFault(
                kind: "foreign key", table: relation.name, row: values[0],
                text: "refers to no row of \(target)"))
            return true
          }
        }
      } catch let error as DatabaseError where error.code.primary == .error {
        faults.append(
          FileFault(kind: "foreign key", table: relation.name, text: error.message))
      }
    }
    return faults
  }
}

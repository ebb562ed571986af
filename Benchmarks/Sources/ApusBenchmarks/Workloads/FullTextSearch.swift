import Apus
import CSQLiteBench

/// A document with a full-text index.
private struct Document: Model {
  @PrimaryKey var id: Int64
  @Column var title: String
  @Column var body: String

  static var schema: Schema<Document> { FullText(\.$title, \.$body) }
}

extension Document {
  /// Returns documents of 60 words. Some words are in half of the documents and others in few, as
  /// in real texts.
  static func samples(_ count: Int) -> [Document] {
    var state: UInt64 = 1
    func word() -> String {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let fraction = Double(state >> 11) / Double(UInt64(1) << 53)
      return name(ofWord: Int(fraction * fraction * fraction * 20_000))
    }
    return (0..<count).map { index in
      Document(
        id: Int64(index), title: (0..<6).map { _ in word() }.joined(separator: " "),
        body: (0..<54).map { _ in word() }.joined(separator: " "))
    }
  }

  static func name(ofWord number: Int) -> String {
    let syllables = ["ka", "ro", "mi", "te", "lu", "so", "na", "vi", "pe", "du"]
    return String(number).utf8.map { syllables[Int($0) - 48] }.joined()
  }
}

/// Creates the table, its full-text index and the triggers with Apus. Then runs the same SQL on the
/// C side.
private func createDocuments(_ database: Database, _ connection: CConnection) throws {
  try database.migrate([Document.self])
  let definitions = try database.fetch(
    String.self,
    """
    SELECT sql FROM sqlite_schema
    WHERE name IN ('Document', 'Document_search', 'Document_search_pending')
      OR name LIKE 'Document_search_%' AND type = 'trigger' ORDER BY type = 'trigger', name
    """)
  for sql in definitions { try connection.execute(sql) }
  try connection.execute("PRAGMA recursive_triggers = ON")
}

private func insertByC(_ documents: [Document], _ connection: CConnection) throws -> Int {
  try connection.transaction("BEGIN IMMEDIATE") {
    try connection.withStatement(
      #"INSERT INTO "Document" ("id", "title", "body") VALUES (?, ?, ?)"#
    ) { statement in
      for document in documents {
        sqlite3_bind_int64(statement, 1, document.id)
        try bind(document.title, to: statement, at: 2) {
          try bind(document.body, to: statement, at: 3) {
            guard sqlite3_step(statement) == SQLITE_DONE else {
              throw CError(code: sqlite3_reset(statement))
            }
          }
        }
        try check(sqlite3_reset(statement))
      }
      return documents.count
    }
  }
}

private func bind(
  _ text: String, to statement: OpaquePointer, at index: Int32, _ run: () throws -> Void
) throws {
  var text = text
  try text.withUTF8 { bytes in
    try bytes.withMemoryRebound(to: CChar.self) { bytes in
      try check(csqlite_bench_bind_text(statement, index, bytes.baseAddress, Int32(bytes.count)))
    }
    try run()
  }
}

extension Workload {
  static let fullTextSearch = Workload(
    name: "W14", title: "500 searches of 100,000 documents: the 20 most relevant ones",
    operations: 500, target: .c(1.05)
  ) { fixture in
    let (database, connection) = (fixture.database, fixture.connection)
    try createDocuments(database, connection)
    let documents = Document.samples(100_000)
    try database.write { try $0.insert(documents) }
    _ = try insertByC(documents, connection)
    // The two sides insert the documents in different ways, so their indexes have different numbers
    // of segments. After `optimize`, each index has one segment.
    try database.optimizeSearchIndex(of: Document.self)
    try connection.execute("INSERT INTO Document_search (Document_search) VALUES ('optimize')")
    try fixture.checkpoint()
    let words = (0..<500).map { Document.name(ofWord: 1_000 + $0 * 37) }
    let sql = try Document.search("x").order(by: .rank).limit(20).sql.text
    return Sides(
      c: Side {
        try connection.transaction("BEGIN DEFERRED") {
          try connection.withStatement(sql) { statement in
            var sum = 0
            for word in words {
              try bind("\"\(word)\"", to: statement, at: 1) {
                sqlite3_bind_int64(statement, 2, 20)
                var found: [(Int64, String, String)] = []
                var code = sqlite3_step(statement)
                while code == SQLITE_ROW {
                  found.append(
                    (
                      try PlainItem.integer(statement, 0), try PlainItem.text(statement, 1),
                      try PlainItem.text(statement, 2)
                    ))
                  code = sqlite3_step(statement)
                }
                guard code == SQLITE_DONE else { throw CError(code: code) }
                sum += found.reduce(0) { $0 + Int($1.0) + $1.2.utf8.count }
              }
              try check(sqlite3_reset(statement))
            }
            return sum
          }
        }
      },
      apus: Side {
        try database.read { connection in
          var sum = 0
          for word in words {
            let query = Document.search(.words(word)).order(by: .rank).limit(20)
            sum += try connection.fetch(query).reduce(0) { $0 + Int($1.id) + $1.body.utf8.count }
          }
          return sum
        }
      })
  }

  static let indexedInserts = Workload(
    name: "W14i", title: "10,000 inserts of a document into a table with a full-text index",
    operations: 10_000, target: .c(1.05)
  ) { fixture in
    let (database, connection) = (fixture.database, fixture.connection)
    try createDocuments(database, connection)
    let documents = Document.samples(10_000)
    let clear: () throws -> Void = { [unowned fixture] in
      try database.execute("DELETE FROM Document")
      try connection.execute("DELETE FROM Document")
      try database.optimizeSearchIndex(of: Document.self)
      try connection.execute("INSERT INTO Document_search (Document_search) VALUES ('optimize')")
      try fixture.checkpoint()
    }
    return Sides(
      c: Side(prepare: clear) { try insertByC(documents, connection) },
      apus: Side(prepare: clear) {
        // As on the C side, each document is inserted by a statement of its own.
        try database.write { connection in
          for document in documents { try connection.insert(document) }
        }
        return documents.count
      })
  }
}

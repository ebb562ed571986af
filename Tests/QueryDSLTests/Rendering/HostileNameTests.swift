import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import QueryFixtures

/// A digit as a type, so that each of a thousand models has a name of its own.
protocol HostileDigit: Sendable {
  static var value: Int { get }
}

enum Digit0: HostileDigit { static let value = 0 }
enum Digit1: HostileDigit { static let value = 1 }
enum Digit2: HostileDigit { static let value = 2 }
enum Digit3: HostileDigit { static let value = 3 }
enum Digit4: HostileDigit { static let value = 4 }
enum Digit5: HostileDigit { static let value = 5 }
enum Digit6: HostileDigit { static let value = 6 }
enum Digit7: HostileDigit { static let value = 7 }
enum Digit8: HostileDigit { static let value = 8 }
enum Digit9: HostileDigit { static let value = 9 }

protocol HostileModel: Model {
  static var columnName: String { get }
  static var indexName: String { get }
  /// Writes rows and finds them by the column.
  static func expectRows(in db: Database, _ note: String) throws
}

/// A model whose table, column and index are named by three of the hostile texts.
struct Hostile<A: HostileDigit, B: HostileDigit, C: HostileDigit>: HostileModel, Equatable {
  @PrimaryKey var id: Int
  @Column var text: String

  static var number: Int { A.value * 100 + B.value * 10 + C.value }
  static var tableName: String { HostileNames.texts[number] }
  static var columnName: String { HostileNames.texts[(number + 1) % 1_000] }
  static var indexName: String { HostileNames.texts[(number + 2) % 1_000] + "_index" }

  static var schema: Schema<Self> {
    Named(\.$text, columnName)
    Index(\.$text, name: indexName)
  }

  static func expectRows(in db: Database, _ note: String) throws {
    let rows = [Self(id: 1, text: tableName), Self(id: 2, text: columnName)]
    try db.insert(rows)
    #expect(try db.fetch(Self.order(by: \.$id)) == rows, "\(note)")
    try db.run(update { $0.$text = indexName }.where { $0.$id == 2 })
    #expect(try db.fetch(Self.where { $0.$text == indexName }.select(\.$id)) == [2], "\(note)")
    // The model is joined to itself, so that the table has an alias.
    let pairs = Query { (one: Columns<Self>, other: Columns<Self>) in
      From(one)
      Join(other, on: one.$text == other.$text)
      Where { other.$id == 1 }
      Select(one.$id)
    }
    #expect(try db.fetch(pairs) == [1], "\(note)")
    #expect(try db.rows(Self.all.sql).first?.columnNames == ["id", columnName], "\(note)")
  }
}

enum HostileNames {
  static let seed = TestSeed.draw()

  static let texts: [String] = {
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "\"", "'", "`", "[", "]", ";", "--", "/*", "*/", "\\", "\0", "\n", "?", "?1", ":a", "@b",
      "$c", "DROP TABLE Witness", "); DELETE FROM Witness; --", "1=1", " OR ", " UNION SELECT ",
      "sqlite_", "SQLite_x", "\"\u{301}", "%", "_", "é", "e\u{301}", "🐦", "\u{202E}", "\u{FEFF}",
      "SELECT", "value", "text", "Witness", "rowid", "NULL", "true", "count(*)", ")", "(", ",", " ",
      "x'00'", "id", "ID",
    ]
    let drawn = (0..<1_000).map { _ in
      (0...Int.random(in: 0...4, using: &random))
        .compactMap { _ in pieces.randomElement(using: &random) }.joined()
    }
    // A model may share another model's table, which is not tested here.
    return drawn.map { $0.lowercased() == "witness" ? $0 + "!" : $0 }
  }()

  static let models: [any HostileModel.Type] = {
    let digits: [any HostileDigit.Type] = [
      Digit0.self, Digit1.self, Digit2.self, Digit3.self, Digit4.self, Digit5.self, Digit6.self,
      Digit7.self, Digit8.self, Digit9.self,
    ]
    func model<A: HostileDigit, B: HostileDigit, C: HostileDigit>(
      _: A.Type, _: B.Type, _: C.Type
    ) -> any HostileModel.Type {
      Hostile<A, B, C>.self
    }
    var models: [any HostileModel.Type] = []
    for a in digits {
      for b in digits {
        for c in digits { models.append(model(a, b, c)) }
      }
    }
    return models
  }()
}

/// Names of tables, columns and indexes are data: they read back unchanged or are refused.
@Suite("Hostile names")
struct HostileNameTests {
  struct Witness: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var text: String
  }

  @Test("each of 1,000 names of tables, columns and indexes reads back unchanged or is refused")
  func names() throws {
    var refused = 0
    for model in HostileNames.models {
      if try !check(model) { refused += 1 }
    }
    // The pieces contain U+0000, `sqlite_` and conflicting names, so that some names are refused
    // and some are not.
    #expect(refused > 50 && refused < 700, "seed \(HostileNames.seed): \(refused) refused")
  }

  /// Returns whether the model has a table. If it has none, one of its names must be the reason.
  private func check<M: HostileModel>(_ model: M.Type) throws -> Bool {
    let (table, column, index) = (M.tableName, M.columnName, M.indexName)
    let note = "seed \(HostileNames.seed): \([table, column, index])"
    let db = try Database.inMemory(models: [Witness.self])
    try db.insert(Witness(id: 1, text: "still here"))
    let before = try Self.schema(of: db)
    do {
      _ = try db.migrate([Witness.self, model])
    } catch {
      #expect(
        error is ModelError || error is MigrationError || error is DatabaseError,
        "\(note): \(error)")
      #expect(Self.mustBeRefused(table, column, index), "\(note): \(error)")
      #expect(try Self.schema(of: db) == before, "\(note)")
      return false
    }
    #expect(!Self.mustBeRefused(table, column, index), "\(note)")
    try M.expectRows(in: db, note)
    let added = try Self.schema(of: db).filter { !before.contains($0) }
    #expect(Set(added.map { $0[1] }) == [.text(table), .text(index)], "\(note)")
    #expect(try db.fetch(Witness.all) == [Witness(id: 1, text: "still here")], "\(note)")
    return true
  }

  private static func schema(of db: Database) throws -> [[DatabaseValue]] {
    try db.rows("SELECT type, name, tbl_name FROM sqlite_schema").map(\.values)
  }

  private static func mustBeRefused(_ table: String, _ column: String, _ index: String) -> Bool {
    [table, column, index].contains { $0.utf8.contains(0) } || isReserved(table)
      || isReserved(index) || column.lowercased() == "id"
  }

  private static func isReserved(_ name: String) -> Bool {
    name.isEmpty || name.lowercased().hasPrefix("sqlite_")
  }
}

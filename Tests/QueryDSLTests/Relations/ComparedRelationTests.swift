import Foundation
import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

private struct Nation: Model, Equatable {
  @PrimaryKey var code: String
  var id: String { code }
}

private struct Town: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var nation: String?
}

private struct Twin: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var town: Int
  @Column var nation: String
}

private struct Crate: Model, Equatable {
  @PrimaryKey var number: Double
  @Column var name: String
  var id: Double { number }
}

private struct Bottle: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var crate: Double?
}

private struct Price: Model, Equatable {
  @PrimaryKey var amount: Decimal
  var id: Decimal { amount }
}

private struct Offer: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var amount: Decimal
}

private struct Seat: Model, Equatable {
  struct ID: Hashable, Sendable {
    var row: String
    var number: Int
  }
  @PrimaryKey var row: String
  @PrimaryKey var number: Int
  var id: ID { ID(row: row, number: number) }
}

private struct TheatreTicket: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var row: String
  @Column var number: Int
}

/// Values that SQLite considers equal though their bytes differ, because of the file's collations
/// and types.
@Suite("Relations over columns that the file compares in its own way")
struct ComparedRelationTests {
  private func database(_ schema: SQL) throws -> Database {
    let db = try Specification.database()
    try db.collation("reversed") { first, second in
      // Texts of the same length are equal.
      first.count < second.count
        ? .orderedAscending : first.count > second.count ? .orderedDescending : .orderedSame
    }
    try db.execute(schema)
    return db
  }

  /// The collations of the key and of the column that refers to it.
  static let collations: [(String, String)] = [
    ("NOCASE", "NOCASE"), ("NOCASE", "BINARY"), ("BINARY", "NOCASE"), ("RTRIM", "BINARY"),
    ("BINARY", "RTRIM"), ("RTRIM", "NOCASE"), ("BINARY", "BINARY"), ("reversed", "reversed"),
  ]

  @Test(
    "an included relation has the rows of a join, whatever collations the file declares",
    arguments: collations)
  func collation(key: String, reference: String) throws {
    let db = try database(
      """
      CREATE TABLE Nation (code TEXT PRIMARY KEY NOT NULL COLLATE \(unsafe: key));
      CREATE TABLE Town (id INTEGER PRIMARY KEY, nation TEXT COLLATE \(unsafe: reference));
      INSERT INTO Nation VALUES ('de'), ('FR '), ('hung');
      INSERT INTO Town VALUES
        (1, 'de'), (2, 'DE'), (3, 'de  '), (4, 'fr '), (5, 'FR'), (6, 'FR '), (7, 'Hung'),
        (8, NULL), (9, 'x');
      """)
    let join: SQL =
      key == "BINARY"
      ? "Town.nation = Nation.code" : "Nation.code = Town.nation"
    for nation in try db.fetch(Nation.order(by: \.$code).including(Town.all, by: \.$nation)) {
      let expected = try db.fetch(
        Int.self,
        "SELECT id FROM Town JOIN Nation ON \(join) WHERE code IS \(nation.0.code) COLLATE BINARY")
      #expect(nation.1.map(\.id).sorted() == expected.sorted(), "\(nation.0.code)")
    }
  }

  @Test("a limit counts the children of one parent, however their references are spelled")
  func limited() throws {
    let db = try database(
      """
      CREATE TABLE Nation (code TEXT PRIMARY KEY NOT NULL COLLATE NOCASE);
      CREATE TABLE Town (id INTEGER PRIMARY KEY, nation TEXT);
      INSERT INTO Nation VALUES ('de'), ('fr');
      INSERT INTO Town VALUES (1, 'de'), (2, 'DE'), (3, 'De'), (4, 'dE'), (5, 'FR');
      """)
    let nations = Nation.order(by: \.$code)
    let last = try db.fetch(
      nations.including(Town.order(by: \.$id, .descending).limit(2).offset(1), by: \.$nation))
    #expect(last.map { $0.1.map(\.id) } == [[3, 2], []])
    let first = try db.fetch(nations.including(Town.limit(3), by: \.$nation))
    #expect(first.map { $0.1.map(\.id) } == [[1, 2, 3], [5]])
    // Nested relations are limited, too.
    let nested = try db.fetch(
      nations.including(
        Town.order(by: \.$id).limit(1).including(Town.all, by: \.$id), by: \.$nation))
    #expect(nested.map { $0.1.map { $0.0.id } } == [[1], [5]])
    #expect(nested.map { $0.1.map { $0.1.map(\.id) } } == [[[1]], [[5]]])
  }

  @Test("references of a table between are compared by its parent's collation")
  func between() throws {
    let db = try database(
      """
      CREATE TABLE Nation (code TEXT PRIMARY KEY NOT NULL COLLATE NOCASE);
      CREATE TABLE Town (id INTEGER PRIMARY KEY, nation TEXT);
      CREATE TABLE Twin (id INTEGER PRIMARY KEY, town INT, nation TEXT);
      INSERT INTO Nation VALUES ('de'), ('fr');
      INSERT INTO Town (id) VALUES (1), (2), (3);
      INSERT INTO Twin VALUES (1, 1, 'DE'), (2, 2, 'de'), (3, 3, 'FR'), (4, 1, 'fr');
      """)
    let rows = try db.fetch(
      Nation.order(by: \.$code).including(
        Town.order(by: \.$id), through: Twin.self, from: \.$nation, to: \.$town))
    #expect(rows.map { $0.1.map(\.id) } == [[1, 2], [1, 3]])
  }

  @Test("an integer column can refer to a REAL key")
  func affinity() throws {
    let db = try database(
      """
      CREATE TABLE Crate (number REAL PRIMARY KEY NOT NULL, name TEXT NOT NULL);
      CREATE TABLE Bottle (id INTEGER PRIMARY KEY, crate INTEGER);
      INSERT INTO Crate VALUES (1, 'one'), (2.5, 'two');
      INSERT INTO Bottle VALUES (1, 1), (2, 1.0), (3, 2.5), (4, 2), (5, NULL);
      """)
    let rows = try db.fetch(Crate.order(by: \.$number).including(Bottle.all, by: \.$crate))
    #expect(rows.map { $0.1.map(\.id) } == [[1, 2], [3]])
  }

  @Test("references to a decimal key find their rows")
  func decimals() throws {
    let db = try database(
      """
      CREATE TABLE Price (amount TEXT PRIMARY KEY NOT NULL COLLATE decimal);
      CREATE TABLE Offer (id INTEGER PRIMARY KEY, amount TEXT NOT NULL COLLATE decimal);
      INSERT INTO Price VALUES ('1.5'), ('2');
      INSERT INTO Offer VALUES (1, '1.5'), (2, '1.50'), (3, '2.0'), (4, '3');
      """)
    let rows = try db.fetch(Price.order(by: \.$amount).including(Offer.all, by: \.$amount))
    #expect(rows.map { $0.1.map(\.id) } == [[1, 2], [3]])
  }

  @Test("the columns of a composite key are each compared by their own collation")
  func composite() throws {
    let db = try database(
      """
      CREATE TABLE Seat (row TEXT NOT NULL COLLATE NOCASE, number INTEGER NOT NULL,
        PRIMARY KEY (row, number));
      CREATE TABLE TheatreTicket (id INTEGER PRIMARY KEY, row TEXT NOT NULL, number INTEGER NOT NULL);
      INSERT INTO Seat VALUES ('a', 1), ('a', 2), ('b', 1);
      INSERT INTO TheatreTicket VALUES (1, 'A', 1), (2, 'a', 1), (3, 'A', 2), (4, 'B', 1), (5, 'B', 2);
      """)
    let rows = try db.fetch(
      Seat.order(by: \.$row).order(by: \.$number).including(
        TheatreTicket.all, by: \.$row, \.$number))
    #expect(rows.map { $0.1.map(\.id) } == [[1, 2], [3], [4]])
  }
}

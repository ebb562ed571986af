import Apus
import CSQLiteBench

/// The model that an item's count refers to.
private struct Shelf: Model {
  @PrimaryKey var id: Int64
  @Column var name: String
}

extension Workload {
  static let joinedQuery = Workload(
    name: "W13", title: "100,000 rows of a joined query as tuples", operations: 100_000,
    target: .c(0.90)
  ) { fixture in
    try fixture.fill(with: PlainItem.samples(100_000))
    let (database, connection, peer) = (fixture.database, fixture.connection, fixture.peer)
    let shelves = """
      CREATE TABLE Shelf (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL) STRICT;
      INSERT INTO Shelf
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 799)
      SELECT i, 'the shelf of number ' || i FROM n;
      """
    try database.execute(SQL(unsafe: shelves))
    try connection.execute(shelves)
    try peer.execute(shelves)
    let query = Query { (item: Columns<Item>, shelf: OptionalColumns<Shelf>) in
      From(item)
      LeftJoin(shelf, on: item.$count.optional == shelf.$id)
      Select(item.$id, item.$title, shelf.$name)
    }
    let sql = try query.sql.text
    return Sides(
      c: Side {
        try connection.withStatement(sql) { statement in
          var tuples: [(Int64, String, String?)] = []
          var code = sqlite3_step(statement)
          while code == SQLITE_ROW {
            tuples.append(
              (
                try PlainItem.integer(statement, 0), try PlainItem.text(statement, 1),
                sqlite3_column_type(statement, 2) == SQLITE_NULL
                  ? nil : try PlainItem.text(statement, 2)
              ))
            code = sqlite3_step(statement)
          }
          guard code == SQLITE_DONE else { throw CError(code: code) }
          return tuples.reduce(0) { $0 + $1.1.utf8.count }
        }
      },
      apus: Side { try database.fetch(query).reduce(0) { $0 + $1.1.utf8.count } },
      grdb: Side { try peer.fetchTuples(sql) },
      codable: Side { try peer.fetchJoinedRecords(sql) })
  }
}

import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Statements of triggers")
struct TriggerStatementSpecification {
  @Test("a trigger takes every kind of command, queries, and lines of `if` and `for`")
  func statements() throws {
    struct Reading: Model {
      @PrimaryKey var id: Int
      @Column var value: Int
      static let limits = [10, 20]
      static var schema: Schema<Reading> {
        Trigger("Reading_all", after: .insert) { new in
          Sum.insert(\.$id, \.$sum, from: Reading.select { ($0.$id.count() * 0 + 1, $0.$value) })
            .onConflictUpdate(\.$id) { $0.$sum += $0.new.$sum }
          Sum.insert([Sum(id: 2, sum: 7), Sum(id: 3, sum: 8)]).onConflictDoNothing()
          Sum.update(from: Reading.self) { sum, reading in
            sum.$sum = reading.$value
          } where: { sum, reading in
            sum.$id == 2 && reading.$id == new.$id
          }
          Sum.delete().order(by: \.$sum, .descending).limit(1)
          for limit in limits {
            Sum.insert {
              $0.$id = limit
              $0.$sum = new.$value
            }.onConflictDoNothing(\.$id)
          }
          if limits.isEmpty {
            Raise(.ignore)
          }
          Reading.where { $0.$value == new.$value && $0.$id != new.$id }
            .select { _ in Raise(.rollback, "twice") }
        }
      }
    }
    struct Sum: Model, Equatable {
      @PrimaryKey var id: Int
      @Column var sum: Int
    }
    let db = try Specification.database(models: [Reading.self, Sum.self])
    let text = try db.fetch(
      String.self, "SELECT sql FROM sqlite_schema WHERE type = 'trigger'"
    ).first
    #expect(
      text == """
        CREATE TRIGGER "Reading_all" /* Apus */ AFTER INSERT ON "Reading"
        BEGIN
          INSERT INTO "Sum" ("id", "sum") SELECT count("Reading"."id") * 0 + 1, \
        "Reading"."value" FROM "Reading" WHERE 1 ON CONFLICT ("id") DO UPDATE SET \
        "sum" = "Sum"."sum" + excluded."sum";
          INSERT INTO "Sum" ("id", "sum") VALUES (2, 7) ON CONFLICT DO NOTHING;
          INSERT INTO "Sum" ("id", "sum") VALUES (3, 8) ON CONFLICT DO NOTHING;
          UPDATE "Sum" SET "sum" = "Reading"."value" FROM "Reading" WHERE "Sum"."id" = 2 AND \
        "Reading"."id" = NEW."id";
          DELETE FROM "Sum" WHERE "Sum"."id" IN (SELECT "Sum"."id" FROM "Sum" ORDER BY \
        "Sum"."sum" DESC LIMIT 1);
          INSERT INTO "Sum" ("id", "sum") VALUES (10, NEW."value") ON CONFLICT ("id") DO NOTHING;
          INSERT INTO "Sum" ("id", "sum") VALUES (20, NEW."value") ON CONFLICT ("id") DO NOTHING;
          SELECT RAISE(ROLLBACK, 'twice') FROM "Reading" WHERE "Reading"."value" = NEW."value" \
        AND "Reading"."id" <> NEW."id";
        END
        """)
    try db.insert(Reading(id: 5, value: 3))
    #expect(
      try db.fetch(Sum.all.order(by: \.$id))
        == [
          Sum(id: 1, sum: 3), Sum(id: 2, sum: 3), Sum(id: 10, sum: 3), Sum(id: 20, sum: 3),
        ])
    #expect(throws: DatabaseError.self) { try db.insert(Reading(id: 6, value: 3)) }
    #expect(try db.count(Reading.all) == 1)
  }
}

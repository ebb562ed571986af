import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

private struct Visit: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var url: String
  @Column var count = 1

  static var schema: Schema<Visit> {
    Unique(\.$url)
    Unique { $0.$url.lower() }
  }
}

@Suite("Upserts with a closure")
struct UpsertClosureSpecification {
  private let db: Database

  init() throws { db = try Specification.database(models: [Visit.self]) }

  @Test("the closure of an upsert updates the existing row")
  func upsert() async throws {
    let visit = Visit(id: 1, url: "a")
    let insert = Visit.insert(visit).onConflictUpdate(\.$url) { $0.$count += 1 }
    #expect(
      try insert.sql.text == """
        INSERT INTO "Visit" ("id", "url", "count") VALUES (?, ?, ?) \
        ON CONFLICT ("url") DO UPDATE SET "count" = "Visit"."count" + ?
        """)
    try await db.run(insert)
    try await db.write { tx in _ = try tx.upsert(visit, onConflict: \.$url) { $0.$count += 1 } }
    try await db.upsert(visit, onConflict: \.$url) { row in
      row.$count += 1
    }
    #expect(try await db.fetch(Visit.all) == [Visit(id: 1, url: "a", count: 3)])
  }

  @Test("an upsert may have a condition, and the terms of a unique index")
  func terms() throws {
    let visit = Visit(id: 1, url: "a")
    try db.insert(visit)
    let upper = Visit(id: 2, url: "A", count: 9)
    let insert = Visit.insert(upper).onConflictUpdate(on: { $0.$url.lower() }) {
      $0.$count = 5
    } where: {
      $0.$count < $0.new.$count
    }
    #expect(try db.upsert(insert).map(\.outcome) == [.updated])
    #expect(try db.upsert(insert).map(\.outcome) == [.updated])
    #expect(try db.fetch(Visit.all) == [Visit(id: 1, url: "a", count: 5)])
  }

  @Test("the condition of an upsert is about the existing row, and may name the new one")
  func condition() async throws {
    let visit = Visit(id: 1, url: "a", count: 7)
    let insert = Visit.insert(visit).onConflictUpdate(\.$url) {
      $0.$count = $0.new.$count
    } where: {
      $0.$count > 3
    }
    #expect(
      try insert.sql.text == """
        INSERT INTO "Visit" ("id", "url", "count") VALUES (?, ?, ?) \
        ON CONFLICT ("url") DO UPDATE SET "count" = excluded."count" WHERE "Visit"."count" > ?
        """)
    try await db.insert(Visit(id: 1, url: "a", count: 3))
    #expect(try await db.upsert(insert).map(\.outcome) == [.unchanged])
    try await db.write { tx in
      let kept = try tx.upsert(visit, onConflict: \.$url) {
        $0.$count = $0.new.$count
      } where: {
        $0.$count > 3
        $0.$url == "a"
      }
      #expect(kept.outcome == .unchanged)
      try tx.upsert(visit, onConflict: \.$url) {
        $0.$count += 1
      } where: { row in
        row.$count < 4
      }
    }
    let more = try await db.upsert(visit, onConflict: \.$url) {
      $0.$count += 1
    } where: {
      $0.$count > 3
    }
    #expect(more.outcome == .updated)
    try await db.upsert(visit, onConflict: \.$url) {
      $0.$count += $0.new.$count
    } where: {
      $0.$count > 5
    }
    #expect(try await db.fetch(Visit.all) == [Visit(id: 1, url: "a", count: 5)])
    try await db.run(
      Visit.insert(visit).onConflictUpdate(on: { $0.$url.lower() }) {
        $0.$count += 1
      } where: {
        $0.$count == 5
      })
    try await db.run(
      Visit.insert(visit).onConflictUpdate(on: { $0.$url.lower() }) {
        $0.$count += $0.new.$count
      } where: {
        $0.$count == 6
      })
    try await db.run(
      Visit.insert(visit).onConflictUpdate {
        $0.$count += 1
      } where: {
        $0.$count == 13
      })
    try await db.run(
      Visit.insert(visit).onConflictUpdate {
        $0.$count += $0.new.$count
      } where: {
        $0.$count == 14
      })
    #expect(try await db.fetch(Visit.all) == [Visit(id: 1, url: "a", count: 21)])
  }

  @Test("an upsert may be the clause for every constraint")
  func everyConstraint() throws {
    try db.insert(Visit(id: 1, url: "a"))
    let insert = Visit.insert(Visit(id: 1, url: "b")).onConflictUpdate { $0.$count += 1 }
    #expect(
      try insert.sql.text == """
        INSERT INTO "Visit" ("id", "url", "count") VALUES (?, ?, ?) \
        ON CONFLICT DO UPDATE SET "count" = "Visit"."count" + ?
        """)
    try db.run(insert)
    try db.run(
      Visit.insert(Visit(id: 2, url: "a")).onConflictUpdate {
        $0.$count = 9
      } where: {
        $0.$count < $0.new.$id
      })
    #expect(try db.fetch(Visit.all) == [Visit(id: 1, url: "a", count: 2)])
    try db.run(Visit.insert(Visit(id: 3, url: "a")).onConflictUpdate { $0.$url += $0.new.$url })
    #expect(try db.fetch(Visit.all) == [Visit(id: 1, url: "aa", count: 2)])
  }

  @Test("a command that is no upsert has no new row, and says so")
  func noNewRow() throws {
    let error = #expect(throws: QueryError.self) {
      try Visit.update { $0.$count = $0.new.$count }.where { $0.$id == 1 }.sql
    }
    #expect(
      error?.description.contains("the table Visit is used, but it is not in FROM or a join")
        == true)
  }
}

import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import QueryFixtures

@Suite("Indexes of vectors")
struct VectorIndexTests {
  private typealias Photo = PhotoAlbum.Photo
  private typealias Frame = PhotoAlbum.Frame

  /// The share of the rows with which a search measures as few vectors as it can.
  private static let least = 0.000_001

  private static func filled(
    _ count: Int, dimensions: Int = 72, _ random: inout SeededGenerator
  ) throws -> Database {
    let db = try PhotoAlbum.database()
    try db.insert(PhotoAlbum.photos(0..<count, dimensions: dimensions, &random))
    return db
  }

  @Test("a schema line makes two tables and three triggers, which every program can fire")
  func definitions() throws {
    let db = try Specification.database()
    let plan = try db.migrationPlan(for: [Photo.self])
    #expect(
      plan.description.contains(
        #"""
          + create the search index Photo_embedding_index: the schema declares it
              CREATE TABLE "Photo_embedding_index" /* Apus vectors: cosine of "Photo" ("embedding", "id") */ ("cell" INTEGER NOT NULL, "key" INTEGER NOT NULL, "code" BLOB, PRIMARY KEY ("cell", "key"), UNIQUE ("key")) WITHOUT ROWID;
              CREATE TABLE "Photo_embedding_index_cells" /* Apus */ ("cell" INTEGER PRIMARY KEY, "centroid" BLOB NOT NULL, "count" INTEGER NOT NULL DEFAULT 0);
              INSERT INTO "Photo_embedding_index" ("cell", "key") SELECT 0, "id" FROM "Photo" WHERE "embedding" IS NOT NULL AND NOT EXISTS (SELECT 1 FROM "Photo_embedding_index" AS "place" WHERE "Photo"."id" = "place"."key");
              CREATE TRIGGER "Photo_embedding_index_insert" /* Apus */ AFTER INSERT ON "Photo"
              BEGIN
                DELETE FROM "Photo_embedding_index" WHERE ("key") IN (NEW."id");
                INSERT INTO "Photo_embedding_index" ("cell", "key") SELECT 0, "id" FROM "Photo" WHERE ("id") IN (NEW."id") AND "embedding" IS NOT NULL;
              END;
        """#), "\(plan)")
    try db.migrate([Photo.self])
    #expect(try db.migrationPlan(for: [Photo.self]).steps.isEmpty)
    try db.execute(
      "INSERT INTO Photo VALUES (1, 'owl', 1, x'0000803F'), (2, 'tern', 1, x'00000000')")
    try db.execute("UPDATE Photo SET id = 3 WHERE id = 1; DELETE FROM Photo WHERE id = 2")
    #expect(try db.fetch(Int.self, #"SELECT "key" FROM Photo_embedding_index"#) == [3])
  }

  @Test("a search names the index in its plan, unless it has to measure all rows")
  func plan() throws {
    var random = SeededGenerator(seed: TestSeed.draw())
    let db = try Self.filled(10, &random)
    let vector = PhotoAlbum.vector(72, of: 1, &random)
    func usesIndex(_ query: some Fetchable) throws -> Bool {
      try db.explain(query).description.contains("apus_near")
    }
    let query = Photo.nearest(to: vector, by: \.$embedding, metric: .cosine, limit: 3)
    #expect(try usesIndex(query))
    #expect(try usesIndex(query.where { $0.$kind > 3 }.matching("owl").order(by: \.$id)))
    #expect(try usesIndex(Frame.nearest(to: [1, 0], by: \.$colours, limit: 3)))
    // Another metric, and a share of 1.
    #expect(try !usesIndex(Photo.nearest(to: vector, by: \.$embedding, limit: 3)))
    #expect(
      try !usesIndex(
        Photo.nearest(to: vector, by: \.$embedding, metric: .cosine, limit: 3, examining: 1)))
    // The result would be another one if only the nearest rows were read.
    #expect(try !usesIndex(query.select { $0.$id.max() }))
    #expect(try !usesIndex(query.limit(nil)))
    #expect(try !usesIndex(query.distinct()))
    for share in [0, -1e300, -Double.infinity, .nan] {
      #expect(throws: QueryError.self) {
        try db.fetch(
          Photo.nearest(to: vector, by: \.$embedding, metric: .cosine, limit: 3, examining: share))
      }
    }
  }

  @Test("with all rows examined, a search by the index finds the rows of an exact one")
  func random() throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    let db = try Self.filled(150, &random)
    let other = try Database(path: #require(db.path))
    var ids = 150
    for round in 0..<TestSize.count(small: 12, full: 60) {
      for _ in 0..<8 {
        let id = Int.random(in: 0..<ids, using: &random)
        let new = PhotoAlbum.photos(ids..<ids + 2, &random)
        switch Int.random(in: 0..<9, using: &random) {
        case 0: try db.insert(new)
        case 1:
          let photo = Photo(id: id, caption: "owl \(id)", kind: 1, embedding: new[0].embedding)
          _ = try? db.save(photo)
        case 2: try db.run(Photo.update { $0.$embedding = new[0].embedding }.where { $0.$id == id })
        case 3: try db.run(Photo.delete().where { $0.$id == id })
        case 4: try? db.execute("UPDATE Photo SET id = \(ids + 5) WHERE id = \(id)")
        case 5:
          // REPLACE deletes the row that has the caption.
          try db.execute(
            "REPLACE INTO Photo SELECT \(ids + 6), caption, 2, embedding FROM Photo WHERE id = \(id)"
          )
        case 6:
          // A program that has neither the models nor sqlite-vec.
          try other.execute("UPDATE Photo SET embedding = \(new[0].embedding) WHERE id = \(id)")
          try other.execute("INSERT INTO Photo VALUES (\(ids + 7), \(ids), 3, \(new[1].embedding))")
        case 7:
          #expect(throws: CancellationError.self) {
            try db.write { connection in
              try connection.insert(new)
              try connection.execute("DELETE FROM Photo WHERE id % 7 = 1")
              try connection.rebuildVectorIndex(of: Photo.self)
              throw CancellationError()
            }
          }
        default:
          try db.rebuildVectorIndex(of: Photo.self, onlyNew: Bool.random(using: &random))
        }
        ids += 10
      }
      let vector = PhotoAlbum.vector(72, of: round % 20, &random)
      let limit = Int.random(in: 1...20, using: &random)
      let queries: [(Double) -> TableQuery<Photo, (Photo, Double)>] = [
        {
          Photo.nearest(to: vector, by: \.$embedding, metric: .cosine, limit: limit, examining: $0)
        },
        {
          Photo.nearest(to: vector, by: \.$embedding, metric: .cosine, limit: limit, examining: $0)
            .where { $0.$kind < 4 }
        },
        {
          Photo.nearest(to: vector, by: \.$embedding, metric: .cosine, limit: limit, examining: $0)
            .matching("owl").where { $0.$kind > 2 || $0.$id < 50 }.offset(2)
        },
      ]
      for query in queries {
        #expect(try db.count(query(0.999)) == (try db.count(query(1))), "seed \(seed)")
        let exact = try db.fetch(query(1)).map(\.0)
        #expect(try db.fetch(query(0.999)).map(\.0) == exact, "seed \(seed)")
        #expect(try db.fetch(query(Self.least)).count == exact.count, "seed \(seed)")
      }
      #expect(try db.checkVectorIndex(of: Photo.self), "seed \(seed)")
      #expect(try db.rows("PRAGMA integrity_check").count == 1)
    }
  }

  @Test("few examined rows still find most of the nearest ones, and never too few")
  func fewRows() throws {
    var random = SeededGenerator(seed: TestSeed.draw())
    let db = try Self.filled(600, &random)
    try db.rebuildVectorIndex(of: Photo.self)
    #expect(try db.places() == (600, 0))
    var found = 0
    for kind in 0..<20 {
      let vector = PhotoAlbum.vector(72, of: kind, &random)
      func query(_ share: Double) -> TableQuery<Photo, (Photo, Double)> {
        Photo.nearest(to: vector, by: \.$embedding, metric: .cosine, limit: 5, examining: share)
      }
      let exact = Set(try db.fetch(query(1)).map(\.0.id))
      let hits = try db.fetch(query(Self.least))
      #expect(hits.count == 5 && hits.map(\.1) == hits.map(\.1).sorted())
      found += exact.intersection(hits.map(\.0.id)).count
      // The rows of another kind are far away, in cells that are not examined.
      let far = query(Self.least).where { $0.$kind == (kind + 7) % 20 }
      #expect(try db.fetch(far).count == 5)
    }
    #expect(found >= 90)
    // Rows that no longer exist do not take the places of others.
    try db.execute("DROP TRIGGER Photo_embedding_index_delete")
    try db.execute("DELETE FROM Photo WHERE kind <> 3")
    let vector = PhotoAlbum.vector(72, of: 9, &random)
    let rest = Photo.nearest(
      to: vector, by: \.$embedding, metric: .cosine, limit: 10, examining: Self.least)
    #expect(try db.fetch(rest).count == 10)
  }

  @Test("keys of several columns, collations and vectors that are nil")
  func compositeKeys() throws {
    var random = SeededGenerator(seed: TestSeed.draw())
    let db = try PhotoAlbum.database()
    try db.insert(
      (0..<200).map { second in
        Frame(
          film: second % 2 == 0 ? "Jaws" : "Heat", second: second,
          colours: second % 5 == 0 ? nil : PhotoAlbum.vector(3, of: second % 4, &random))
      })
    try db.rebuildVectorIndex(of: Frame.self)
    try db.execute("UPDATE Frame SET film = 'JAWS' WHERE second = 2")
    try db.execute("UPDATE Frame SET colours = NULL WHERE second = 4")
    try db.execute("UPDATE Frame SET colours = \([1, 2, 3] as [Float]) WHERE second = 5")
    #expect(
      try db.fetch(Int.self, "SELECT key2 FROM Frame_colours_index WHERE cell <= 0 ORDER BY 1")
        == [2, 5])
    #expect(try db.checkVectorIndex(of: Frame.self))
    for limit in [1, 7, 300] {
      let exact = Frame.nearest(to: [0, 0, 1], by: \.$colours, limit: limit, examining: 1)
      let found = Frame.nearest(to: [0, 0, 1], by: \.$colours, limit: limit, examining: 0.9)
      #expect(try db.fetch(found).map(\.0) == (try db.fetch(exact).map(\.0)))
    }
    // A vector of another length is in no cell, and reported as without the index.
    try db.execute("UPDATE Frame SET colours = x'00000000' WHERE second = 7")
    try db.rebuildVectorIndex(of: Frame.self, onlyNew: true)
    let error = #expect(throws: DatabaseError.self) {
      try db.fetch(Frame.nearest(to: [0, 0, 1], by: \.$colours, limit: 2))
    }
    #expect(error?.message.contains("3 dimensions") == true, "\(String(describing: error))")
  }

  @Test("a rebuild that is stopped leaves an index that finds all rows, and can be run again")
  func cancellation() async throws {
    var random = SeededGenerator(seed: TestSeed.draw())
    let db = try Self.filled(1_300, dimensions: 8, &random)
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try db.rebuildVectorIndex(of: Photo.self) { placed, total in
        #expect(placed <= total)
        if placed >= 1_000 { throw Stop() }
      }
    }
    #expect(try db.places() == (1_000, 300))
    let task = Task {
      try await db.rebuildVectorIndex(of: Photo.self) { placed, _ in
        if placed >= 1_000 { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    let vector = PhotoAlbum.vector(8, of: 3, &random)
    func ids(_ share: Double) throws -> [Int] {
      try db.fetch(
        Photo.nearest(to: vector, by: \.$embedding, metric: .cosine, limit: 9, examining: share)
      ).map(\.0.id)
    }
    #expect(try ids(0.999) == (try ids(1)))
    try await db.rebuildVectorIndex(of: Photo.self)
    #expect(try db.places() == (1_300, 0))
    #expect(try ids(0.999) == (try ids(1)))
    #expect(try await db.checkVectorIndex(of: Photo.self))
    // Only the cells of the last rebuild are left.
    let cells = try await db.fetch(
      Int.self,
      """
      SELECT count(*) FROM Photo_embedding_index_cells
      WHERE cell > (SELECT min(cell) FROM Photo_embedding_index) - 10
      UNION ALL SELECT count(*) - 1 FROM Photo_embedding_index_cells
      """)
    #expect(cells.count == 2 && cells[0] == cells[1])
    // An empty table has no cells.
    try await db.run(Photo.delete())
    try await db.rebuildVectorIndex(of: Photo.self)
    #expect(try ids(0.1).isEmpty)
    #expect(try await db.checkVectorIndex(of: Photo.self))
  }

  @Test("a rebuild that another one has overtaken leaves the rows where that one placed them")
  func overtaking() throws {
    var random = SeededGenerator(seed: TestSeed.draw())
    let db = try Self.filled(1_100, dimensions: 8, &random)
    for onlyNew in [false, true] {
      var isFirst = true
      try db.rebuildVectorIndex(of: Photo.self, onlyNew: onlyNew) { placed, _ in
        guard isFirst, placed > 0 else { return }
        isFirst = false
        try db.rebuildVectorIndex(of: Photo.self)
        // Rows that the first rebuild would place next.
        try db.execute("UPDATE Photo SET embedding = zeroblob(32) WHERE id < 20")
      }
      #expect(!isFirst)
      #expect(try db.checkVectorIndex(of: Photo.self))
      try db.execute(
        "UPDATE Photo SET embedding = \([1, 2, 3, 4, 5, 6, 7, 8] as [Float]) WHERE id < 20")
    }
  }

  @Test("a damaged index is found, and a rebuild repairs it")
  func damage() throws {
    var random = SeededGenerator(seed: TestSeed.draw())
    let db = try Self.filled(120, &random)
    #expect(try db.checkVectorIndex(of: Photo.self))
    let damages: [SQL] = [
      "DELETE FROM Photo_embedding_index WHERE key = 5",
      "UPDATE Photo_embedding_index SET code = x'00' WHERE key = 5",
      "UPDATE Photo_embedding_index SET cell = 100000 WHERE key = 5",
      "UPDATE Photo_embedding_index_cells SET centroid = x'0000'",
      "DELETE FROM Photo_embedding_index_cells WHERE cell = 0",
    ]
    for damage in damages {
      try db.rebuildVectorIndex(of: Photo.self)
      #expect(try db.checkVectorIndex(of: Photo.self))
      try db.execute(damage)
      #expect(try !db.checkVectorIndex(of: Photo.self), "\(damage)")
    }
    #expect(throws: ModelError.self) { try db.rebuildVectorIndex(of: Gallery.Picture.self) }
    #expect(throws: ModelError.self) { try db.checkVectorIndex(of: Gallery.Picture.self) }
  }

  @Test("a declaration that cannot be an index throws when the model is opened")
  func mistakes() throws {
    struct Keyless: TableModel {
      @Column var embedding: [Float]
      static var schema: Schema<Keyless> { VectorIndex(\.$embedding) }
    }
    struct Named: Model {
      @PrimaryKey var id: Int
      @Column var embedding: [Float]
      static var schema: Schema<Named> { VectorIndex(\.$embedding, name: "") }
    }
    for model in [Keyless.self, Named.self] as [any TableModel.Type] {
      #expect(throws: ModelError.self) { try Specification.database(models: [model]) }
    }
    let db = try Specification.database()
    try db.execute("CREATE TABLE Photo_embedding_index_cells (a)")
    let plan = try db.migrationPlan(for: [Photo.self])
    #expect(
      plan.steps.contains { $0.action == .refuse && $0.reason.contains("Apus did not create") })
  }

  @Test("a backup has the index")
  func backup() throws {
    var random = SeededGenerator(seed: TestSeed.draw())
    let db = try Self.filled(300, &random)
    try db.rebuildVectorIndex(of: Photo.self)
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).db").path
    try db.backup(to: path)
    let copy = try Database(
      path: path, models: PhotoAlbum.models, configuration: Gallery.configuration())
    #expect(try copy.places() == (300, 0))
    #expect(try copy.checkVectorIndex(of: Photo.self))
    let vector = PhotoAlbum.vector(72, of: 3, &random)
    let query = Photo.nearest(to: vector, by: \.$embedding, metric: .cosine, limit: 5)
    #expect(try copy.fetch(query).map(\.0) == (try db.fetch(query).map(\.0)))
  }
}

import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

extension VectorIndexTests {
  @Test("a migration adds the index, follows renamed columns, and drops it")
  func migration() throws {
    enum Plain {
      struct Photo: Model {
        @PrimaryKey var id: Int
        @Column var vector: [Float]
      }
    }
    enum Indexed {
      struct Photo: Model {
        @PrimaryKey var id: Int
        @Column var embedding: [Float]
        static var schema: Schema<Photo> {
          Renamed(\.$embedding, from: "vector")
          VectorIndex(\.$embedding)
        }
      }
    }
    enum Renewed {
      struct Photo: Model {
        @PrimaryKey var id: Int
        @Column var meaning: [Float]
        static var schema: Schema<Photo> {
          Renamed(\.$meaning, from: "embedding")
          VectorIndex(\.$meaning, name: "Photo_embedding_index")
        }
      }
    }
    enum Dropping {
      struct Photo: Model {
        @PrimaryKey var id: Int
        @Column var meaning: [Float]
        static var schema: Schema<Photo> { Dropped(vectorIndex: "Photo_embedding_index") }
      }
    }
    let db = try Database.temporary(
      models: [Plain.Photo.self], configuration: Gallery.configuration())
    try db.insert((0..<40).map { Plain.Photo(id: $0, vector: [Float($0), 1]) })
    try db.migrate([Indexed.Photo.self])
    #expect(try db.places() == (0, 40))
    try db.rebuildVectorIndex(of: Indexed.Photo.self)
    #expect(try db.places() == (40, 0))
    let plan = try db.migrate([Renewed.Photo.self])
    #expect(
      Library.actions(plan) == [
        .dropSearchIndex("Photo_embedding_index"),
        .renameColumn(from: "embedding", to: "meaning"),
        .createSearchIndex("Photo_embedding_index"),
      ])
    #expect(try db.places() == (0, 40))
    let near = Renewed.Photo.nearest(to: [7, 1], by: \.$meaning, limit: 1)
    #expect(try db.first(near)?.0.id == 7)
    enum Undeclared {
      struct Photo: Model {
        @PrimaryKey var id: Int
        @Column var meaning: [Float]
      }
    }
    let kept = try db.migrate([Undeclared.Photo.self])
    #expect(Library.actions(kept) == [.keepDeclaration("the vector index Photo_embedding_index")])
    #expect(kept.steps.first?.line == #"Dropped(vectorIndex: "Photo_embedding_index")"#)
    try db.migrate([Dropping.Photo.self])
    #expect(
      try db.fetch(String.self, "SELECT name FROM sqlite_schema WHERE name LIKE '%index%'").isEmpty)
    #expect(try db.migrationPlan(for: [Dropping.Photo.self]).steps.isEmpty)
  }

  @Test("a column can have an index for each metric, each with a name of its own")
  func metrics() throws {
    struct Twice: Model {
      @PrimaryKey var id: Int
      @Column var e: [Float]
      static var schema: Schema<Twice> {
        VectorIndex(\.$e, metric: .cosine)
        VectorIndex(\.$e, metric: .euclidean, name: "e2")
      }
    }
    struct Unnamed: Model {
      @PrimaryKey var id: Int
      @Column var e: [Float]
      static var schema: Schema<Unnamed> {
        VectorIndex(\.$e, metric: .cosine)
        VectorIndex(\.$e, metric: .euclidean)
      }
    }
    let db = try Database.temporary(
      models: [Twice.self], configuration: Gallery.configuration())
    try db.insert((0..<40).map { Twice(id: $0, e: [Float($0), 1]) })
    let found = try db.fetch(Int.self, "SELECT count(*) FROM e2")
    #expect(found == [40])
    for metric in [VectorMetric.cosine, .euclidean] {
      let near = Twice.nearest(to: [7, 1], by: \.$e, metric: metric, limit: 1)
      let found2 = try db.explain(near).description.contains("apus_near")
      #expect(found2)
      let found3 = try db.first(near)?.0.id
      #expect(found3 == 7)
    }
    try db.rebuildVectorIndex(of: Twice.self)
    let found4 = try db.checkVectorIndex(of: Twice.self)
    #expect(found4)
    let found5 = try db.fetch(Int.self, "SELECT count(*) FROM e2 WHERE cell > 0")
    #expect(found5 == [40])
    let found6 = try db.migrationPlan(for: [Twice.self]).steps.isEmpty
    #expect(found6)
    let error = #expect(throws: ModelError.self) {
      try Specification.database(models: [Unnamed.self])
    }
    #expect(error?.message.contains("have the name Unnamed_e_index") == true)
  }
}

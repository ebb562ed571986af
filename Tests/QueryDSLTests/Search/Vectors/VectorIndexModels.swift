import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun

@testable import QueryFixtures

/// Models with indexes of vectors.
enum PhotoAlbum {
  struct Photo: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var caption: String
    @Column var kind: Int
    @Column var embedding: [Float]

    static var schema: Schema<Photo> {
      Unique(\.$caption)
      Index(\.$kind)
      FullText(\.$caption)
      VectorIndex(\.$embedding, metric: .cosine)
    }
  }

  /// A table WITHOUT ROWID whose key has two columns, and whose vectors may be nil.
  struct Frame: Model, Equatable {
    @PrimaryKey var film: String
    @PrimaryKey var second: Int
    @Column var colours: [Float]?

    struct ID: Hashable, Sendable {
      var film: String
      var second: Int
    }
    var id: ID { ID(film: film, second: second) }

    static var schema: Schema<Frame> {
      WithoutRowID()
      Collated(\.$film, .noCase)
      VectorIndex(\.$colours)
    }
  }

  static let models: [any TableModel.Type] = [Photo.self, Frame.self]

  static func database() throws -> Database {
    try .temporary(models: models, configuration: Gallery.configuration())
  }

  /// Returns a vector near one of a few centers.
  static func vector(
    _ dimensions: Int, of kind: Int, _ random: inout SeededGenerator
  ) -> [Float] {
    var center = SeededGenerator(seed: UInt64(kind + 1))
    return (0..<dimensions).map { _ in
      Float.random(in: -1...1, using: &center) + Float.random(in: -0.3...0.3, using: &random)
    }
  }

  static func photos(
    _ ids: Range<Int>, dimensions: Int = 72, _ random: inout SeededGenerator
  ) -> [Photo] {
    ids.map { id in
      let kind = Int.random(in: 0..<20, using: &random)
      return Photo(
        id: id, caption: "\(["swift", "owl", "tern"][id % 3]) \(id)", kind: kind,
        embedding: vector(dimensions, of: kind, &random))
    }
  }
}

extension Database {
  /// The places of all rows in the index of photos: those in a cell, and those in none.
  func places() throws -> (placed: Int, waiting: Int) {
    let row = try row(
      "SELECT total(cell > 0) AS placed, total(cell <= 0) AS waiting FROM Photo_embedding_index")
    return (
      try Int(row?["placed", as: Double.self] ?? 0), try Int(row?["waiting", as: Double.self] ?? 0)
    )
  }
}

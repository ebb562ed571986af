import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

/// The models of the tests of vectors, and the extension with which they are searched.
enum Gallery {
  struct Artist: Model {
    @PrimaryKey var id: Int
    @Column var name: String
  }

  struct Picture: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var caption: String
    @Column var embedding: [Float]
    @Column var colours: [Float]?
    @Column var artistID: Int?

    static var schema: Schema<Picture> {
      Check { $0.$embedding.dimensions == 3 }
      FullText(\.$caption)
    }
  }

  /// Returns a configuration that loads sqlite-vec, which `Scripts/test` installs.
  static func configuration() throws -> Configuration {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../..").standardized.path(percentEncoded: false)
    let path = root + "/.build/sqlite-vec-0.1.9/sqlite_vec/vec0.so"
    try #require(
      FileManager.default.fileExists(atPath: path), "run Scripts/Support/install-sqlite-vec first")
    var configuration = Configuration()
    configuration.extensions = [SQLiteExtension(path: path)]
    return configuration
  }

  static func database() throws -> Database {
    let db = try Specification.database(
      models: [Artist.self, Picture.self], configuration: configuration())
    try db.insert([Artist(id: 1, name: "Jane"), Artist(id: 2, name: "Ole")])
    try db.insert([
      Picture(id: 1, caption: "a swift at dawn", embedding: [1, 0, 0], artistID: 1),
      Picture(
        id: 2, caption: "a bird over roofs", embedding: [0.9, 0.1, 0], colours: [1, 1], artistID: 2),
      Picture(
        id: 3, caption: "a swift in a garden", embedding: [0, 1, 0], colours: [0, 3], artistID: 1),
      Picture(id: 4, caption: "a garden", embedding: [0, 4, 4], artistID: 2),
    ])
    return db
  }
}

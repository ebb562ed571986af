import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import QueryFixtures

@Suite("Vectors and their nearest neighbours", .needs(.extensions))
struct VectorTests {
  private typealias Picture = Gallery.Picture
  private typealias Artist = Gallery.Artist

  @Test("a vector is stored as little-endian float32, and read back exactly")
  func storedForm() throws {
    let db = try Gallery.database()
    #expect(
      try db.row("SELECT hex(embedding) AS h FROM Picture WHERE id = 2")?["h", as: String.self]
        == "6666663FCDCCCC3D00000000")
    #expect(try db.find(Picture.self, 2)?.embedding == [0.9, 0.1, 0])
    #expect(try db.find(Picture.self, 1)?.colours == nil)
    let extremes: [Float] = [-0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude]
    try db.insert(Picture(id: 9, caption: "", embedding: extremes, colours: []))
    let read = try #require(try db.find(Picture.self, 9))
    #expect(read.embedding.map(\.bitPattern) == extremes.map(\.bitPattern))
    #expect(read.colours == [])
  }

  @Test("the nearest rows come with their distances, the nearest first")
  func nearest() throws {
    let db = try Gallery.database()
    let query = Picture.nearest(to: [1, 0, 0], by: \.$embedding, limit: 3)
    #expect(
      try query.sql.text == #"""
        SELECT "id", "caption", "embedding", "colours", "artistID", vec_distance_L2("embedding", ?) FROM "Picture" ORDER BY vec_distance_L2("embedding", ?) LIMIT ?
        """#)
    let hits = try db.fetch(query)
    #expect(hits.map(\.0.id) == [1, 2, 3])
    #expect(hits[0].1 == 0 && abs(hits[2].1 - 2.0.squareRoot()) < 1e-6)
    // Conditions come before the limit.
    let limited = query.where { $0.$artistID == 2 }.limit(1)
    #expect(try db.fetch(limited).map(\.0.id) == [2])
    #expect(try db.count(query.where { $0.matches("swift") }) == 2)
    let cosine = Picture.nearest(to: [0, 1, 1], by: \.$embedding, metric: .cosine, limit: 1)
    #expect(try db.fetch(cosine).map(\.0.id) == [4])
    #expect(abs(try #require(try db.first(cosine)).1) < 1e-6)
    #expect(try db.first(query.select(\.$caption)) == "a swift at dawn")
  }

  @Test("distances equal those of Swift, in three metrics")
  func metrics() throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    func vector() -> [Float] { (0..<3).map { _ in Float.random(in: -1...1, using: &random) } }
    let db = try Gallery.database()
    try db.run(Picture.delete())
    try db.insert((0..<200).map { Picture(id: $0, caption: "", embedding: vector()) })
    let rows = try db.fetch(Picture.all)
    for _ in 0..<20 {
      let wanted = vector()
      func expected(_ distance: (Float, Float) -> Double) -> [(Int, Double)] {
        rows.map { row in
          (row.id, zip(row.embedding, wanted).reduce(0) { $0 + distance($1.0, $1.1) })
        }
      }
      func dot(_ left: [Float], _ right: [Float]) -> Double {
        zip(left, right).reduce(0) { $0 + Double($1.0) * Double($1.1) }
      }
      let references: [(VectorMetric, [(Int, Double)])] = [
        (.euclidean, expected { pow(Double($0) - Double($1), 2) }.map { ($0, $1.squareRoot()) }),
        (.manhattan, expected { abs(Double($0) - Double($1)) }),
        (
          .cosine,
          rows.map { row in
            let lengths = (dot(row.embedding, row.embedding) * dot(wanted, wanted)).squareRoot()
            return (row.id, 1 - dot(row.embedding, wanted) / lengths)
          }
        ),
      ]
      for (metric, reference) in references {
        let found = try db.fetch(
          Picture.nearest(to: wanted, by: \.$embedding, metric: metric, limit: 10))
        let distances = reference.map(\.1).sorted().prefix(10)
        #expect(found.count == 10)
        for (hit, distance) in zip(found, distances) {
          #expect(abs(hit.1 - distance) < 1e-4, "seed \(seed) \(metric)")
          let own = reference.first { $0.0 == hit.0.id }?.1 ?? 0
          #expect(abs(hit.1 - own) < 1e-4, "seed \(seed) \(metric)")
        }
      }
    }
  }

  @Test("a distance is an expression: in conditions, joins, groups and updates")
  func expressions() throws {
    let db = try Gallery.database()
    let near = Picture.where { $0.$embedding.distance(to: [0, 1, 0]) < 0.5 }
    #expect(try db.fetch(near).map(\.id) == [3])
    let pairs = Query {
      (picture: Columns<Picture>, other: Columns<Picture>, artist: Columns<Artist>) in
      From(picture)
      Join(other, on: other.$id > picture.$id)
      Join(artist, on: picture.$artistID.equals(artist.$id))
      OrderBy(picture.$embedding.distance(to: other.$embedding))
      Limit(1)
      Select(picture.$id, other.$id, artist.$name)
    }
    let pair = try #require(try db.first(pairs))
    #expect(pair.0 == 1 && pair.1 == 2 && pair.2 == "Jane")
    let best = Picture.group(by: \.$artistID).select {
      ($0.$artistID, $0.$embedding.distance(to: [0, 1, 0]).min())
    }
    #expect(try db.fetch(best.order(by: \.$artistID)).map { $0.1.map { $0 < 1 } } == [true, false])
    try db.run(
      Picture.update { $0.$caption = "near" }.where { $0.$embedding.distance(to: [1, 0, 0]) < 0.2 })
    #expect(try db.count(Picture.search("near")) == 2)
    let prepared = try db.prepare { (vector: SQLParameter<[Float]>) in
      Picture.order { $0.$embedding.distance(to: vector) }.limit(1).select(\.$id)
    }
    #expect(try db.first(prepared([0, 9, 9])) == 4)
  }

  @Test("rows without a vector have no distance, and are no neighbours")
  func optionalVectors() throws {
    let db = try Gallery.database()
    let hits = try db.fetch(Picture.nearest(to: [0, 2], by: \.$colours, limit: 10))
    #expect(hits.map(\.0.id) == [3, 2])
    let all = Picture.order(by: \.$id).select { $0.$colours.distance(to: [1, 1], by: .manhattan) }
    #expect(try db.fetch(all) == [nil, 0, 3, nil])
    #expect(
      try db.fetch(Picture.order(by: \.$id).select { $0.$colours.dimensions }) == [nil, 2, 2, nil])
  }

  @Test("a vector of zeros has no direction: its cosine distance is 1")
  func zeros() throws {
    let db = try Gallery.database()
    try db.insert(Picture(id: 5, caption: "", embedding: [0, 0, 0]))
    let hits = try db.fetch(
      Picture.nearest(to: [1, 0, 0], by: \.$embedding, metric: .cosine, limit: 10))
    #expect(hits.first?.0.id == 1 && hits.first { $0.0.id == 5 }?.1 == 1)
  }

  @Test("a number that is not finite, and another number of dimensions, throw errors that say so")
  func mistakes() throws {
    let db = try Gallery.database()
    for wrong in [Float.nan, .infinity] {
      let stored = #expect(throws: ColumnValueError.self) {
        try db.insert(Picture(id: 5, caption: "", embedding: [0, wrong, 0]))
      }
      #expect(stored?.column == "embedding" && stored.map { "\($0)".contains("finite") } == true)
      #expect(throws: ColumnValueError.self) {
        try db.fetch(Picture.nearest(to: [0, 0, wrong], by: \.$embedding, limit: 1))
      }
    }
    let check = #expect(throws: DatabaseError.self) {
      try db.insert(Picture(id: 5, caption: "", embedding: [0, 0]))
    }
    #expect(check?.constraint?.kind == .check)
    let other = #expect(throws: DatabaseError.self) {
      try db.fetch(Picture.nearest(to: [0, 1], by: \.$embedding, limit: 1))
    }
    #expect(other?.message.contains("3 dimensions") == true && other?.message.contains("2") == true)
    try db.execute("UPDATE Picture SET colours = x'010203' WHERE id = 2")
    let broken = #expect(throws: ColumnValueError.self) { try db.find(Picture.self, 2) }
    #expect(broken?.column == "colours")
    let plain = try Specification.database(models: [Picture.self])
    try plain.insert(Picture(id: 1, caption: "", embedding: [0, 0, 1]))
    let missing = #expect(throws: DatabaseError.self) {
      try plain.fetch(Picture.nearest(to: [0, 0, 1], by: \.$embedding, limit: 1))
    }
    #expect(missing?.message.contains("no such function: vec_distance_L2") == true)
  }

  @Test("full text and vectors are combined in one query by reciprocal rank fusion")
  func fusion() throws {
    let db = try Gallery.database()
    let words = Query { (picture: Columns<Picture>, hit: Columns<SearchHit<Picture>>) in
      let place = picture.rowNumber().over(.order(by: hit.$rank)).as("place")
      From(picture)
      Join(picture.search(.anyWord(of: "swift garden")).as(hit))
      OrderBy(place)
      Limit(50)
      Select(picture.$id, place, into: ListPlace.self)
    }
    let vectors = Query { (picture: Columns<Picture>) in
      let distance = picture.$embedding.distance(to: [0, 1, 0])
      let place = picture.rowNumber().over(.order(by: distance)).as("place")
      From(picture)
      OrderBy(place)
      Limit(50)
      Select(picture.$id, place, into: ListPlace.self)
    }
    let fused = Query { (place: Columns<ListPlace>, picture: Columns<Picture>) in
      let score = place.share.sum()
      From(words.unionAll(vectors).as(place))
      Join(picture, on: picture.$id == place.$id)
      GroupBy(picture.$id)
      OrderBy(score, .descending)
      Limit(10)
      Select(picture.$id, picture.$caption, score)
    }
    let rows = try db.fetch(fused)
    // By words: 3, 4, 1. By vectors: 3, 2, 1, 4.
    #expect(rows.map(\.0) == [3, 4, 1, 2])
    let shares: [Double] = [61, 62, 63, 64].map { 1 / $0 }
    let scores: [Double] = [2 * shares[0], shares[1] + shares[3], 2 * shares[2], shares[1]]
    for (row, score) in zip(rows, scores) {
      let found: Double = row.2 ?? 0
      #expect(abs(found - score) < 1e-12)
    }
  }
}

/// The place of a row in one of several lists.
private struct ListPlace: ResultRow {
  @Column var id: Int
  @Column var place: Int
}

extension Columns<ListPlace> {
  /// What one list adds to the score of a row.
  fileprivate var share: SQLExpression<Double> {
    let place: SQLExpression<Double> = self.$place.cast(to: Double.self)
    return SQLExpression<Double>(1) / (place + 60)
  }
}

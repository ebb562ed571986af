import QueryDSL
import SQLCore
import Testing

@testable import ChangeObservation

/// A live query beside a fresh fetch of it.
final class Comparison {
  let name: String
  let isMaintained: () -> Bool
  /// Returns the number of times that the whole result was fetched.
  let fetchCount: () -> Int
  /// Returns the new result of the live query, or nil if it reports none.
  let update: () async throws -> (rows: [String], difference: ResultsDifference)?
  let fetch: () throws -> [String]
  var last: [String] = []
  private var isFirst = true

  convenience init<Row>(
    _ name: String, _ query: some Fetchable<Row>, sorted: some Fetchable<Row>, in db: Database
  ) {
    self.init(name, LiveSource(query), in: db) { try $0.fetch(sorted) }
  }

  init<Row>(
    _ name: String, _ source: LiveSource<Row>, in db: Database,
    fetch: @escaping (Database) throws -> [Row]
  ) {
    self.name = name
    let watch = QueryWatch(source, in: db)
    isMaintained = { watch.isMaintained }
    fetchCount = { watch.fetchCount }
    var hasBegun = false
    update = {
      let results = hasBegun ? try await watch.update() : try await watch.next()
      hasBegun = true
      return results.map { ($0.map { "\($0)" }, $0.difference) }
    }
    self.fetch = { try fetch(db).map { "\($0)" } }
  }

  /// Turns the last result into the new one by applying the difference.
  func applying(_ difference: ResultsDifference, to new: [String]) -> [String] {
    var rows = last
    for index in (difference.removed + difference.moved.map(\.origin)).sorted().reversed() {
      rows.remove(at: index)
    }
    for index in (difference.inserted + difference.moved.map(\.destination)).sorted() {
      rows.insert(new[index], at: index)
    }
    for index in difference.updated { rows[index] = new[index] }
    return rows
  }

  func check(_ place: String) async throws {
    let expected = try fetch()
    guard let (rows, difference) = try await update() else {
      try #require(last == expected, "\(place), \(name): no result was delivered")
      return
    }
    try #require(rows == expected, "\(place), \(name): the result is wrong")
    try #require(isFirst || !difference.isEmpty, "\(place), \(name): an equal result was delivered")
    isFirst = false
    try #require(applying(difference, to: rows) == rows, "\(place), \(name): \(difference)")
    last = rows
  }
}

extension QueryWatch {
  /// Returns the result with the commits since the last call; nil if it equals the previous result.
  func update() async throws -> Results<Row>? { try await refreshed().map { Results($0) } }

  /// The last result, with the type of its rows.
  var rows: Results<Row>? { result.map { Results($0) } }

  /// Returns the first result, or waits for one that differs from the last.
  func next() async throws -> Results<Row>? {
    repeat {
      if let result = try await update() { return result }
    } while await watch.wait()
    return nil
  }
}

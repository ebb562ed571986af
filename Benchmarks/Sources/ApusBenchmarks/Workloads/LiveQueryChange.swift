import Apus

/// Workloads that change one row, commit, and wait until an observer of all rows has the new result
/// and has read the number of its rows and the changed row.
///
/// The C side only commits. The additional time of Apus is the cost of observing, which should not
/// grow with the number of rows. On all sides, the task that commits then asks for the result
/// itself. So the time does not include the time to wake another thread, which W8 measures.
extension Workload {
  static let liveQueryOf10_000 = liveQuery(
    rows: 10_000, peerChanges: 20, name: "W10a", target: .hops(1.5))
  static let liveQueryOf100_000 = liveQuery(
    rows: 100_000, peerChanges: 3, name: "W10b", target: .grdb(1_000))
  static let liveQueryOf1_000_000 = liveQuery(
    rows: 1_000_000, peerChanges: nil, name: "W10c", target: .hops(1.5), isLong: true)

  /// - Parameter peerChanges: the number of changes that a run makes on the side of the peer; nil
  ///   to leave this side out.
  private static func liveQuery(
    rows: Int, peerChanges: Int?, name: String, target: Target, isLong: Bool = false
  ) -> Workload {
    Workload(
      name: name, title: "one row changes; a live query of \(rows) has the result",
      operations: 500, target: target, isLong: isLong
    ) { fixture in
      try fixture.fill(with: PlainItem.samples(rows))
      let (database, connection, peer) = (fixture.database, fixture.connection, fixture.peer)
      let keys = scatteredKeys(500, of: rows)
      let observer = Observer(database.observe(Item.order(by: \.$score)).makeAsyncIterator())
      _ = try wait { try await observer.next() }
      var grdb: Side?
      if let peerChanges {
        let observation = PeerObservation(peer)
        _ = try wait { try await observation.count() }
        grdb = .task(operations: peerChanges) {
          var counted = 0
          for key in keys.prefix(peerChanges) { counted += try await observation.change(key) }
          return counted
        }
      }
      return Sides(
        c: Side {
          try connection.withStatement(#"UPDATE "Item" SET "score" = "score" + 1 WHERE "id" = ?"#) {
            statement in
            for key in keys { try run(statement, with: key) }
          }
          return rows * keys.count
        },
        apus: .task {
          var counted = 0
          for key in keys {
            try database.commitChange(of: key)
            counted += try await observer.next()
          }
          return counted
        },
        grdb: grdb)
    }
  }
}

extension Database {
  /// Changes one row, on the calling thread.
  fileprivate func commitChange(of key: Int64) throws {
    try run(Item.update { $0.$score += 1 }.where { $0.$id == key })
  }
}

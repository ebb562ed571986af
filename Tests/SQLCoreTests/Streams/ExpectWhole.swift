import SQLCore
import Testing

/// Expects that every connection has been returned and is clean.
///
/// A stream that was dropped or cancelled returns its connection a moment later. Holding as many
/// streams as there may be at once waits for those on their way back, and for no others.
func expectWhole(
  _ db: Database, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  let maximum = db.configuration.maximumReaders
  var iterators: [RowStream<Int>.AsyncIterator] = []
  for _ in 0..<maximum {
    // More rows than are read ahead, so the connection is held until the last row is requested.
    var iterator = db.stream(
      Int.self,
      """
      WITH RECURSIVE series(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM series LIMIT 1000)
      SELECT value FROM series
      """
    ).makeAsyncIterator()
    #expect(try await iterator.next() == 1, comment, sourceLocation: sourceLocation)
    iterators.append(iterator)
  }
  for index in iterators.indices {
    var count = 1
    while try await iterators[index].next() != nil { count += 1 }
    #expect(count == 1_000, comment, sourceLocation: sourceLocation)
  }
  let lanes = db.laneStatuses
  #expect(lanes.stream.isWhole, comment, sourceLocation: sourceLocation)
  #expect(lanes.stream.count == maximum, comment, sourceLocation: sourceLocation)
  #expect(lanes.writer.isWhole, comment, sourceLocation: sourceLocation)
  #expect(lanes.reader.isWhole, comment, sourceLocation: sourceLocation)
}

import SQLCore
import Testing

/// Expects that every connection is back in the pool and in its initial state.
///
/// A dropped or cancelled stream returns its connection a moment later. Holding the maximum number
/// of streams at once waits for these connections, and for nothing else.
public func expectWhole(
  _ db: Database, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  let maximum = db.configuration.maximumReaders
  var iterators: [RowStream<Int>.AsyncIterator] = []
  for _ in 0..<maximum {
    // This is more than a stream reads ahead, so the connection is held until the last row is
    // requested.
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

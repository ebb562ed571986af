import Dispatch
import Synchronization

/// One kind of work, done once over the C API and once with Apus.
struct Workload: Sendable {
  /// As the table of targets names it: W1, W2.
  let name: String
  /// What is done, in a few words.
  let title: String
  /// How many operations a run does: what its time is divided by.
  let operations: Int
  /// The greatest ratio to the C side that is wanted; nil for a row that only tells.
  let target: Double?
  /// Opens the files and makes both sides; the fixture lives as long as they do.
  let sides: @Sendable (Fixture) throws -> Sides

  struct Sides {
    let c: Side
    let apus: Side
  }

  /// One way to do the work.
  struct Side {
    /// Makes ready for a run; its time is not measured.
    var prepare: () throws -> Void = {}
    /// The work. Both sides must return the same number, made from what they read or wrote.
    let run: nonisolated(nonsending) () async throws -> Int
  }
}

extension Workload.Side {
  /// Work that is asynchronous: a task does it, and this thread waits.
  static func task(_ body: @escaping @Sendable () async throws -> Int) -> Workload.Side {
    Workload.Side {
      let ended = DispatchSemaphore(value: 0)
      let outcome = Mutex<Result<Int, any Error>?>(nil)
      Task.detached {
        let result: Result<Int, any Error>
        do {
          result = .success(try await body())
        } catch {
          result = .failure(error)
        }
        outcome.withLock { $0 = result }
        ended.signal()
      }
      ended.wait()
      guard let result = outcome.withLock({ $0 }) else { throw CancellationError() }
      return try result.get()
    }
  }
}

extension Workload {
  static let all: [Workload] = [
    insertArray, insertEach, fetchAll, findByKey, typedQuery, updateColumn, observedInsert,
    findSync, findAsync, findFromMainActor, liveQueryOfFew, liveQueryOfMany, streamRows,
    openWithModels, upsertArray, bulkUpdate, preparedCall,
  ]
}

import Testing

/// The trait of a test that blocks its thread: it waits for another thread, for a process, or for a
/// lock of SQLite.
///
/// Swift's tasks share as many threads as the machine has cores. A test that blocks one of them
/// stops the asynchronous tests beside it, so it runs on a separate thread instead.
public struct BlockingTests: TestTrait, SuiteTrait, TestScoping {
  /// Whether the trait of a suite applies to each of its tests.
  public var isRecursive: Bool { true }

  /// The number of these tests that run at once. Each holds files and threads while it waits.
  private static let turns = Turns(count: 8)

  @TaskLocal private static var hasTurn = false

  /// Runs a test on a separate thread, once it is the test's turn.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    // A test and its suite may both have the trait.
    if Self.hasTurn { return try await function() }
    await Self.turns.take()
    let outcome = await withTaskExecutorPreference(ThreadExecutor.shared) {
      await Self.$hasTurn.withValue(true) {
        do {
          return Result<Void, any Error>.success(try await function())
        } catch {
          return .failure(error)
        }
      }
    }
    await Self.turns.end()
    try outcome.get()
  }
}

extension Trait where Self == BlockingTests {
  /// The trait of a test that blocks its thread and therefore runs on a separate one.
  public static var blocking: BlockingTests { BlockingTests() }
}

/// A gate that lets a number of tasks proceed; the others wait in the order of their arrival.
private actor Turns {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(count: Int) { free = count }

  func take() async {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  func end() {
    if waiting.isEmpty {
      free += 1
    } else {
      waiting.removeFirst().resume()
    }
  }
}

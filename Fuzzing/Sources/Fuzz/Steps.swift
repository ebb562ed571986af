import Synchronization

/// Ends what takes too many steps: an input is to be wrong, not slow.
final class Steps: Sendable {
  struct Exceeded: Error {}
  private let taken = Atomic(0)

  func begin() { taken.store(0, ordering: .relaxed) }

  func take() throws {
    if taken.wrappingAdd(1, ordering: .relaxed).newValue > 200 { throw Exceeded() }
  }
}

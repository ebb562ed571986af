import Synchronization

/// A limit of the steps of a statement, since the fuzzer does not look for slow inputs.
final class Steps: Sendable {
  struct Exceeded: Error {}
  private let taken = Atomic(0)

  func begin() { taken.store(0, ordering: .relaxed) }

  func take() throws {
    if taken.wrappingAdd(1, ordering: .relaxed).newValue > 200 { throw Exceeded() }
  }
}

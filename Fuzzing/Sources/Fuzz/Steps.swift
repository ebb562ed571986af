import Synchronization

/// A limit for the number of steps of a statement. It ends slow statements, because the fuzzer
/// should not search for slow inputs.
final class Steps: Sendable {
  struct Exceeded: Error {}
  private let taken = Atomic(0)

  func begin() { taken.store(0, ordering: .relaxed) }

  func take() throws {
    if taken.wrappingAdd(1, ordering: .relaxed).newValue > 200 { throw Exceeded() }
  }
}

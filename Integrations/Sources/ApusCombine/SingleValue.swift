/// A sequence of a single value, which a closure returns.
struct SingleValue<Element: Sendable>: AsyncSequence, Sendable {
  typealias Failure = any Error

  let value: @Sendable () async throws -> Element

  func makeAsyncIterator() -> Iterator { Iterator(value: value) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate var value: (@Sendable () async throws -> Element)?

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
      defer { value = nil }
      return try await value?()
    }
  }
}

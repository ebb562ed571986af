/// The consuming side of a stream, which returns the rows one by one. When it is released, the
/// stream ends.
@usableFromInline
final class StreamConsumer<Element: Sendable> {
  /// The remaining rows of the batch. They are in raw memory: as properties of the class, they
  /// would cost two exclusivity checks per row.
  @usableFromInline
  struct Rest {
    @usableFromInline var next: UnsafeMutablePointer<Element>?
    @usableFromInline var count = 0
  }

  @usableFromInline let rest: UnsafeMutablePointer<Rest>
  private let producer: StreamProducer<Element>
  private var batch: RowBatch<Element>?
  private var hasEnded = false

  init(producer: StreamProducer<Element>) {
    self.producer = producer
    rest = .allocate(capacity: 1)
    rest.initialize(to: Rest())
  }

  deinit {
    producer.cancel()
    dropRest()
    rest.deallocate()
  }

  /// Takes the next batch. Returns false at the end and after an error.
  @usableFromInline
  func refill(isolation actor: isolated (any Actor)?) async throws -> Bool {
    guard !hasEnded else { return false }
    let used = batch
    batch = nil
    do {
      guard let next = try await producer.next(recycling: used, isolation: actor) else {
        hasEnded = true
        return false
      }
      rest.pointee = Rest(next: next.memory, count: next.count)
      next.count = 0
      batch = next
      return true
    } catch {
      hasEnded = true
      throw error
    }
  }

  /// Ends the stream because the task was cancelled. Throws `CancellationError`, unless the stream
  /// has ended before.
  @usableFromInline
  func cancel() throws {
    guard !hasEnded else { return }
    hasEnded = true
    producer.cancel()
    dropRest()
    throw CancellationError()
  }

  private func dropRest() {
    rest.pointee.next?.deinitialize(count: rest.pointee.count)
    rest.pointee = Rest()
  }
}

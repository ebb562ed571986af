import Hummingbird
import Synchronization

/// Events that are sent to any number of clients. Each event is rendered once.
///
/// ```swift
/// let feed = EventFeed<User.ID>()
/// feed.open()
/// router.get("events") { request, context in
///   try feed.response(to: request, for: context.user.id) { _ in
///     let position = feed.position
///     return (try [ServerSentEvent("board", json: await board())], position)
///   }
/// }
/// feed.send(try ServerSentEvent("unread", json: counts), to: user.id)
/// ```
///
/// The newest events are kept. A client that connects again sends `Last-Event-ID`, and gets the
/// events that it has missed. If some of these events are no longer kept, or if the server was
/// restarted, the client gets the events that the closure returns, which show the whole state. So a
/// client that reads slowly, or never, costs no more memory than the kept events and one copy of
/// the state.
///
/// The audience of an event is the group of clients to which it is sent, such as the clients of one
/// user. `EventFeed<Never>` sends every event to all clients. For a live query, use `LiveEvents`.
public final class EventFeed<Audience: Hashable & Sendable>: Sendable {
  /// The limits of a feed.
  public struct Limits: Sendable {
    /// The largest number of events that are kept.
    public var keptEvents = 1_024
    /// The largest number of bytes of the events that are kept.
    public var keptBytes = 2 << 20
    /// The largest number of open streams. Further requests are answered with 503.
    public var streams = 1_000
    /// The time after which a stream without events sends a comment. A client that does not take an
    /// event within two heartbeats is disconnected.
    public var heartbeat = Duration.seconds(15)

    /// Makes limits for a feed that many browsers follow.
    public init() {}
  }

  /// Events as they are sent to a client, and the position after which the client continues.
  public struct Batch: Sendable {
    /// The bytes of the events; empty if the client has all events.
    public var bytes = ByteBuffer()
    /// The position after the events; nil if the feed is not open yet.
    public var position: EventPosition?
  }

  /// The events that show the whole state, and the position of that state in the feed.
  public typealias Whole = (events: [ServerSentEvent], position: EventPosition)

  private struct KeptEvent {
    let audience: Audience?
    let bytes: ByteBuffer
  }

  private struct State {
    var isOpen = false
    var isFinished = false
    var lastNumber = 0
    var events: [KeptEvent] = []
    var eventBytes = 0
    var streams: [Int: Stream] = [:]
    var lastStream = 0
  }

  private struct Stream {
    let audience: Audience?
    let signal: AsyncStream<Void>.Continuation
  }

  /// The limits.
  public let limits: Limits
  private let epoch = UInt32.random(in: 1...UInt32.max)
  private let state = Mutex(State())

  /// Makes a feed without events. Its streams get events once it is opened.
  public init(limits: Limits = Limits()) {
    self.limits = limits
  }

  /// Allows the streams to send events. Before this call, they only wait. Call this method when the
  /// whole state is known.
  public func open() {
    guard !state.withLock(\.isOpen) else { return }
    wake { $0.isOpen = true }
  }

  /// Ends all open streams, and ends later streams as soon as they begin.
  public func finish() {
    wake { $0.isFinished = true }
  }

  /// Sends an event to the clients of an audience. If `audience` is nil, sends it to all clients.
  public func send(_ event: ServerSentEvent, to audience: Audience? = nil) {
    wake { state in
      state.lastNumber += 1
      let bytes = event.bytes(at: EventPosition(epoch: epoch, number: state.lastNumber))
      state.events.append(KeptEvent(audience: audience, bytes: bytes))
      state.eventBytes += bytes.readableBytes
      var surplus = 0
      while state.events.count - surplus > limits.keptEvents || state.eventBytes > limits.keptBytes,
        surplus < state.events.count
      {
        state.eventBytes -= state.events[surplus].bytes.readableBytes
        surplus += 1
      }
      state.events.removeFirst(surplus)
    }
  }

  /// The position after the last event. A client that has the present state continues from this
  /// position.
  public var position: EventPosition {
    EventPosition(epoch: epoch, number: state.withLock { $0.lastNumber })
  }

  /// The audiences for which at least one stream is open.
  public var audiences: Set<Audience> {
    state.withLock { Set($0.streams.values.compactMap(\.audience)) }
  }

  private func wake(_ change: (inout State) -> Void) {
    let signals = state.withLock { state in
      change(&state)
      return state.streams.values.map(\.signal)
    }
    for signal in signals { signal.yield() }
  }

  // MARK: Streams

  /// An open stream. It counts in the limit of streams until it ends, or until nothing refers to
  /// this object.
  final class OpenStream: Sendable {
    let id: Int
    /// A sequence of signals: one at the start, and one whenever there may be new events.
    let signal: AsyncStream<Void>
    private let feed: EventFeed

    fileprivate init(id: Int, signal: AsyncStream<Void>, feed: EventFeed) {
      self.id = id
      self.signal = signal
      self.feed = feed
    }

    deinit { end() }

    /// Removes the stream from the open streams, so that another one can begin.
    func end() {
      _ = feed.state.withLock { $0.streams.removeValue(forKey: id) }
    }
  }

  /// Adds a stream to the open streams, and returns it; nil if the largest number of streams is
  /// open.
  func begin(for audience: Audience?) -> OpenStream? {
    let (stream, signal) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id: Int? = state.withLock { state in
      guard state.streams.count < limits.streams else { return nil }
      state.lastStream += 1
      state.streams[state.lastStream] = Stream(audience: audience, signal: signal)
      return state.lastStream
    }
    guard let id else { return nil }
    signal.yield()
    return OpenStream(id: id, signal: stream, feed: self)
  }

  /// Wakes one stream for a heartbeat.
  func beat(_ id: Int) {
    state.withLock { $0.streams[id]?.signal }?.yield()
  }

  /// Returns the events that a client does not have yet, without waiting for new events. These are
  /// the events after its position. If the feed does not have all of them, these are the events
  /// that show the whole state. Returns nil if the feed is finished.
  ///
  /// Use `response(to:for:background:whole:)` for clients that stay connected.
  public func batch(
    after position: EventPosition?, for audience: Audience? = nil,
    whole: (Audience?) async throws -> Whole
  ) async throws -> Batch? {
    switch next(after: position, for: audience) {
    case .end: return nil
    case .events(let batch): return batch
    case .whole:
      let (events, now) = try await whole(audience)
      var batch = Batch(position: now)
      for event in events { batch.bytes.writeImmutableBuffer(event.bytes(at: now)) }
      return batch
    }
  }

  private enum Next {
    case events(Batch)
    case whole
    case end
  }

  private func next(after position: EventPosition?, for audience: Audience?) -> Next {
    state.withLock { state in
      guard !state.isFinished else { return .end }
      guard state.isOpen else { return .events(Batch()) }
      guard let position, position.epoch == epoch, position.number >= 0,
        position.number <= state.lastNumber,
        state.lastNumber - position.number <= state.events.count
      else { return .whole }
      var batch = Batch(position: EventPosition(epoch: epoch, number: state.lastNumber))
      for event in state.events.suffix(state.lastNumber - position.number)
      where event.audience == nil || event.audience == audience {
        batch.bytes.writeImmutableBuffer(event.bytes)
      }
      return .events(batch)
    }
  }
}

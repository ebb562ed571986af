import Dispatch
import Synchronization

/// Lends the connections of a database: one writer, several readers, first come first served.
///
/// One lock guards the lanes; it is held for a few instructions, and never while anybody's code
/// runs.
final class ConnectionPool: Sendable {
  /// Which connections an access may use.
  enum LaneName: Sendable { case writer, reader, stream }

  /// What an access is given.
  enum Grant: Sendable {
    case connection(ConnectionCore)
    /// Room for one more connection, which the access opens itself.
    case room
  }

  struct Lane {
    let maximum: Int
    var idle: [ConnectionCore] = []
    /// Idle, lent, or being opened.
    var count = 0
    var waiters: [Waiter] = []
    var firstWaiter = 0

    mutating func take() -> Grant? {
      if let core = idle.popLast() { return .connection(core) }
      guard count < maximum else { return nil }
      count += 1
      return .room
    }

    mutating func nextWaiter() -> Waiter? {
      guard firstWaiter < waiters.count else { return nil }
      let waiter = waiters[firstWaiter]
      firstWaiter += 1
      if firstWaiter == waiters.count || firstWaiter > 256 {
        waiters.removeFirst(firstWaiter)
        firstWaiter = 0
      }
      return waiter
    }
  }

  struct State {
    var writer = Lane(maximum: 1)
    var reader: Lane
    var stream: Lane
    /// Streams whose connections are on their way back.
    var endingStreams = 0
    /// The threads that run an access now.
    var threads: [ThreadID] = []

    subscript(name: LaneName) -> Lane {
      get {
        switch name {
        case .writer: writer
        case .reader: reader
        case .stream: stream
        }
      }
      _modify {
        switch name {
        case .writer: yield &writer
        case .reader: yield &reader
        case .stream: yield &stream
        }
      }
    }
  }

  let state: Mutex<State>

  init(writer: ConnectionCore?, maximumReaders: Int) {
    var state = State(
      reader: Lane(maximum: maximumReaders), stream: Lane(maximum: maximumReaders))
    state.writer.count = 1
    if let writer { state.writer.idle.append(writer) }
    self.state = Mutex(state)
  }

  // MARK: Taking

  private enum Answer {
    case granted(Grant)
    case mustWait
    case isReentrant
  }

  /// A connection, now or not at all; the thread is entered where there is one.
  func takeIfIdle(_ name: LaneName) throws -> ConnectionCore? {
    let thread = ThreadID.current
    let answer = state.withLock { state -> Answer in
      if state.threads.contains(thread) { return .isReentrant }
      guard let core = state[name].idle.popLast() else { return .mustWait }
      state.threads.append(thread)
      return .granted(.connection(core))
    }
    switch answer {
    case .granted(.connection(let core)): return core
    case .granted(.room), .mustWait: return nil
    case .isReentrant: throw Self.reentrancy
    }
  }

  /// What the lane grants, waiting for it on this thread.
  func takeBlocking(_ name: LaneName) throws -> Grant {
    let thread = ThreadID.current
    let answer = state.withLock { state -> Answer in
      if state.threads.contains(thread) { return .isReentrant }
      guard let grant = state[name].take() else { return .mustWait }
      state.threads.append(thread)
      return .granted(grant)
    }
    switch answer {
    case .granted(let grant): return grant
    case .isReentrant: throw Self.reentrancy
    case .mustWait: break
    }
    let semaphore = DispatchSemaphore(value: 0)
    let received = Mutex<Result<Grant, any Error>?>(nil)
    let waiter = Waiter()
    _ = waiter.begin { result in
      received.withLock { $0 = result }
      semaphore.signal()
    }
    take(name, waiter: waiter)
    semaphore.wait()
    guard let result = received.withLock({ $0 }) else { throw CancellationError() }
    let grant = try result.get()
    enterThread()
    return grant
  }

  /// Answers the waiter with what the lane grants, at once or when it is its turn.
  func take(_ name: LaneName, waiter: Waiter) {
    let grant = state.withLock { state -> Grant? in
      if let grant = state[name].take() { return grant }
      state[name].waiters.append(waiter)
      return nil
    }
    if let grant, !waiter.grant(grant) { giveBack(grant, to: name) }
  }

  static var reentrancy: DatabaseError {
    .misuse(
      "the database was accessed from inside a `read` or `write` closure of its own; "
        + "use the connection that the closure was given")
  }

  /// Throws where this thread runs an access already.
  func checkReentrancy() throws {
    let thread = ThreadID.current
    if state.withLock({ $0.threads.contains(thread) }) { throw Self.reentrancy }
  }

  /// Enters the thread that runs an access: another access from inside it is found so.
  func enterThread() {
    let thread = ThreadID.current
    state.withLock { $0.threads.append(thread) }
  }

  // MARK: Giving back

  /// Leaves the thread and gives the connection to the next in line.
  func giveBack(_ core: ConnectionCore, to name: LaneName) {
    core.endLease()
    giveBack(.connection(core), to: name, leaving: .current)
  }

  /// Gives back room that was not used, after an error in opening.
  func giveBackRoom(to name: LaneName) {
    giveBack(.room, to: name, leaving: .current)
  }

  func giveBack(_ grant: Grant, to name: LaneName, leaving thread: ThreadID? = nil) {
    var thread = thread
    while true {
      let waiter = state.withLock { state -> Waiter? in
        if let left = thread {
          state.leave(left)
          // A stream leaves its thread and gives back at once, after it said that it ends.
          if name == .stream { state.endingStreams -= 1 }
        }
        if let waiter = state[name].nextWaiter() { return waiter }
        switch grant {
        case .connection(let core): state[name].idle.append(core)
        case .room: state[name].count -= 1
        }
        return nil
      }
      thread = nil
      guard let waiter else { return }
      // One that was cancelled meanwhile lets the next one have it.
      if waiter.grant(grant) { return }
    }
  }

  /// The connections that nobody uses, taken out for ever.
  func removeIdle() -> [ConnectionCore] {
    state.withLock { state in
      let idle = state.writer.idle + state.reader.idle + state.stream.idle
      state.writer.idle = []
      state.reader.idle = []
      state.stream.idle = []
      return idle
    }
  }
}

/// One access that waits for a connection: it is granted one, or cancelled, whichever comes first.
final class Waiter: Sendable {
  typealias Answer = @Sendable (Result<ConnectionPool.Grant, any Error>) -> Void

  private enum State {
    /// Made, and not yet told whom to answer.
    case idle
    case waiting(Answer)
    case ended
  }

  private let state = Mutex(State.idle)

  /// Begins to wait; false where it was cancelled before.
  func begin(_ answer: @escaping Answer) -> Bool {
    state.withLock { state in
      guard case .idle = state else { return false }
      state = .waiting(answer)
      return true
    }
  }

  /// Answers with a grant; false where nobody waits any more.
  func grant(_ grant: ConnectionPool.Grant) -> Bool {
    end(with: .success(grant))
  }

  /// Answers with `CancellationError`, unless it was granted before.
  func cancel() {
    _ = end(with: .failure(CancellationError()))
  }

  private func end(with result: Result<ConnectionPool.Grant, any Error>) -> Bool {
    let answer = state.withLock { state -> Answer? in
      defer { state = .ended }
      guard case .waiting(let answer) = state else { return nil }
      return answer
    }
    answer?(result)
    return answer != nil
  }
}

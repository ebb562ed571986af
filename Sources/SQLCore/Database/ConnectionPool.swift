import Dispatch

/// Lends the connections of a database: one writer, several readers, as many more for streams of
/// rows; first come, first served.
///
/// One lock guards the lanes; it is held for a few instructions, and never while anybody's code
/// runs.
final class ConnectionPool: Sendable {
  /// Which connections an access may use.
  enum LaneName: Int, CaseIterable, Sendable { case writer, reader, stream }

  /// What an access is given.
  enum Grant: Sendable {
    case connection(ConnectionCore)
    /// Room for one more connection, which the access opens itself.
    case room
  }

  struct Lane {
    var maximum = 0
    var idle: [ConnectionCore] = []
    /// Idle, lent, or being opened.
    var count = 0
    var waiters = WaitingLine()
    /// How many are lent to streams that end: they are on their way back.
    var endingCount = 0

    mutating func take() -> Grant? {
      if let core = idle.popLast() { return .connection(core) }
      guard count < maximum else { return nil }
      count += 1
      return .room
    }

    mutating func removeIdle() -> [ConnectionCore] {
      defer {
        count -= idle.count
        idle = []
      }
      return idle
    }
  }

  /// A connection that is lent, and the thread that uses it.
  struct Occupant {
    /// nil while a stream is not read, and for a long job, whose thread may use the database.
    var thread: ThreadID?
    let core: ConnectionCore
    let place: SourcePlace?
    /// Whether the connection is none of a lane's.
    var isBeside = false
    let start = Deadline.roughlyNow
  }

  struct State {
    var lanes = LaneName.allCases.map { _ in Lane() }
    var occupants: [Occupant] = []
    var isClosed = false
    /// Whether the writer was granted to a look of the library's own, which nobody asked for.
    var isLooking = false
    /// Who closes, and waits for that look to end.
    var closers: [DispatchSemaphore] = []

    subscript(name: LaneName) -> Lane {
      get { lanes[name.rawValue] }
      _modify { yield &lanes[name.rawValue] }
    }

    /// Throws for what may not begin: after the end, and inside another access.
    func check(_ thread: ThreadID) throws {
      if isClosed { throw ConnectionPool.closed }
      if occupants.contains(where: { $0.thread == thread }) { throw ConnectionPool.reentrancy }
    }

    mutating func removeIdle() -> [ConnectionCore] {
      lanes.indices.flatMap { lanes[$0].removeIdle() }
    }

    /// The writer comes back: if from a look, those that close go on.
    mutating func endLook() {
      guard isLooking else { return }
      isLooking = false
      for closer in closers { closer.signal() }
      closers = []
    }

    func index(of core: ConnectionCore) -> Int? {
      occupants.lastIndex { $0.core === core }
    }
  }

  let state: Lock<State>

  init(writer: ConnectionCore, maximumReaders: Int) {
    var state = State()
    state[.writer].maximum = 1
    state[.writer].count = 1
    state[.writer].idle = [writer]
    state[.reader].maximum = maximumReaders
    state[.stream].maximum = maximumReaders
    self.state = Lock(state)
  }

  // MARK: Taking

  /// A connection that is idle, for this thread; nil where there is none.
  func takeIdle(_ name: LaneName, for place: SourcePlace? = nil) throws -> ConnectionCore? {
    let thread = ThreadID.current
    return try state.withLock { state throws in
      try state.check(thread)
      guard let core = state[name].idle.popLast() else { return nil }
      state.occupants.append(Occupant(thread: thread, core: core, place: place))
      return core
    }
  }

  /// Answers the waiter with what the lane grants, at once or when it is its turn.
  func take(_ name: LaneName, for waiter: Waiter) throws {
    let grant = try state.withLock { state throws -> Grant? in
      if state.isClosed { throw Self.closed }
      if let grant = state[name].take() {
        if waiter.isLook { state.isLooking = true }
        return grant
      }
      if name == .stream, state[name].waiters.count >= state[name].endingCount {
        // Those of other streams may be held for ever, even by who asks.
        throw TooManyStreams(maximum: state[name].maximum)
      }
      state[name].waiters.append(waiter)
      return nil
    }
    if let grant, !waiter.grant(grant) { giveBack(grant, to: name) }
  }

  /// Throws where an access may not begin on this thread.
  func check() throws {
    let thread = ThreadID.current
    try state.withLock { state throws in try state.check(thread) }
  }

  /// This thread uses a connection that was granted: another access from inside it is found so.
  func enter(with core: ConnectionCore, for place: SourcePlace? = nil) {
    let occupant = Occupant(thread: .current, core: core, place: place)
    state.withLock { state in
      if let index = state.index(of: core) {
        state.occupants[index].thread = occupant.thread
      } else {
        state.occupants.append(occupant)
      }
    }
  }

  /// A long job begins on a connection of its own.
  func admit(_ core: ConnectionCore, for place: SourcePlace) throws {
    try state.withLock { state throws in
      if state.isClosed { throw Self.closed }
      state.occupants.append(Occupant(thread: nil, core: core, place: place, isBeside: true))
    }
  }

  /// The connection that this thread uses already.
  func coreOfCurrentThread() -> ConnectionCore? {
    let thread = ThreadID.current
    return state.withLock { state in
      state.occupants.last { $0.thread == thread }?.core
    }
  }

  /// How many wait for a connection of a lane.
  func waitingCount(_ name: LaneName) -> Int {
    state.withLock { $0[name].waiters.count }
  }

  /// The next write in line where it can share a commit; nobody overtakes another.
  func takeSharedWrite() -> Waiter? {
    state.withLock { state in
      guard state[.writer].waiters.first?.sharedWrite != nil else { return nil }
      return state[.writer].waiters.removeFirst()
    }
  }

  // MARK: Giving back

  /// Ends the lease, leaves the thread and gives the connection to the next in line.
  func giveBack(_ core: ConnectionCore, to name: LaneName) {
    core.endLease()
    leave(core)
    giveBack(.connection(core), to: name)
  }

  /// The access that uses the connection has ended.
  func leave(_ core: ConnectionCore) {
    state.withLock { state in
      guard let index = state.index(of: core) else { return }
      state.occupants.swapAt(index, state.occupants.count - 1)
      state.occupants.removeLast()
    }
  }

  /// Gives a grant to the next in line: one that was not used, too.
  func giveBack(_ grant: Grant, to name: LaneName) {
    // A stream says that it ends before it gives back.
    var isEnding = name == .stream
    while true {
      let waiter = state.withLock { state -> Waiter? in
        if isEnding { state[name].endingCount -= 1 }
        isEnding = false
        if name == .writer { state.endLook() }
        if let waiter = state[name].waiters.removeFirst() {
          if waiter.isLook { state.isLooking = true }
          return waiter
        }
        switch grant {
        case .connection(let core) where !state.isClosed: state[name].idle.append(core)
        case .connection, .room: state[name].count -= 1
        }
        return nil
      }
      // One that was cancelled meanwhile lets the next one have it.
      guard let waiter, !waiter.grant(grant) else { return }
    }
  }

  // MARK: Streams

  /// A stream ends: it will give back its connection, or the room for one.
  func streamWillEnd() {
    state.withLock { $0[.stream].endingCount += 1 }
  }

  /// Takes back `streamWillEnd()`, for a stream that was granted nothing.
  func streamDidNotBegin() {
    state.withLock { $0[.stream].endingCount -= 1 }
  }

  /// This thread uses the connection no longer, which stays lent; another may use it already.
  func leaveThread(with core: ConnectionCore) {
    let thread = ThreadID.current
    state.withLock { state in
      guard let index = state.index(of: core), state.occupants[index].thread == thread else {
        return
      }
      state.occupants[index].thread = nil
    }
  }

  // MARK: Ending

  /// Interrupts the connections that are in use. With the lock held none of them can be closed.
  func interrupt() {
    state.withLock { state in
      for occupant in state.occupants { occupant.core.interrupt() }
    }
  }

  /// The reads that run since that moment or longer, the oldest first.
  func readers(since moment: Deadline) -> [PinnedLog.Reader] {
    let now = Deadline.roughlyNow.nanoseconds
    let occupants = state.withLock(\.occupants)
    return
      occupants
      .filter { $0.core.isReader && $0.start.nanoseconds <= moment.nanoseconds }
      .sorted { $0.start.nanoseconds < $1.start.nanoseconds }
      .map { occupant in
        PinnedLog.Reader(
          fileID: occupant.place?.fileID.description, line: occupant.place.map { Int($0.line) },
          age: .nanoseconds(Int64(clamping: now &- occupant.start.nanoseconds)))
      }
  }

  /// Lets nobody in any more, and closes the connections; throws busy where one is in use by who
  /// does not end already.
  func close() throws {
    while true {
      let (cores, look) = try removeAllForEver()
      // The last connection of a file in WAL mode moves the log into it as it closes.
      for core in cores { core.close() }
      guard let look else { return }
      look.wait()
    }
  }

  /// The connections, of which nobody gets one any more; or what is signalled when a look of the
  /// library's own ends, which is short, and runs on a thread of the database.
  private func removeAllForEver() throws -> ([ConnectionCore], DispatchSemaphore?) {
    try state.withLock { state throws in
      guard !state.isClosed else { return ([], nil) }
      if state.isLooking {
        let semaphore = DispatchSemaphore(value: 0)
        state.closers.append(semaphore)
        return ([], semaphore)
      }
      guard !state.occupants.contains(where: \.isBeside),
        state.lanes.allSatisfy({
          $0.count == $0.idle.count + $0.endingCount && $0.waiters.isEmpty
        })
      else {
        throw DatabaseError(
          code: .busy, message: "the database is in use; close it when every access has ended")
      }
      state.isClosed = true
      return (state.removeIdle(), nil)
    }
  }

  /// The connections, when nobody can ask for one any more.
  func removeAll() -> [ConnectionCore] {
    state.withLock { $0.removeIdle() }
  }

  private static var closed: DatabaseError { .misuse("the database is closed") }

  private static var reentrancy: DatabaseError {
    .misuse(
      "the database was accessed from inside a `read` or `write` closure of its own; "
        + "use the connection that the closure was given")
  }
}

/// Who waits, first in first out; taking the first costs no copy of the rest.
struct WaitingLine {
  /// nil where one was taken: a waiter that stayed here to be removed would let go of the closure
  /// that it holds, somebody's code, with the lock held.
  private var waiters: [Waiter?] = []
  private var start = 0

  var count: Int { waiters.count - start }
  var isEmpty: Bool { start == waiters.count }
  var first: Waiter? { isEmpty ? nil : waiters[start] }

  mutating func append(_ waiter: Waiter) { waiters.append(waiter) }

  mutating func removeFirst() -> Waiter? {
    guard !isEmpty else { return nil }
    let first = waiters[start].take()
    start += 1
    if start == waiters.count || start > 256 {
      waiters.removeFirst(start)
      start = 0
    }
    return first
  }
}

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
    /// How many were granted to looks of the library's own.
    var lookCount = 0

    /// Whether an access that somebody asked for runs or waits.
    var isUsed: Bool {
      count - idle.count - endingCount - lookCount > 0 || waiters.contains { !$0.isLook }
    }

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
    /// How many looks of the library's own, which nobody asked for, wait or run.
    var lookCount = 0
    /// Who closes, and waits for those looks to end.
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

    /// A look begins, unless the database is about to close: then it may be tried again.
    mutating func beginLook() throws {
      guard closers.isEmpty else {
        throw DatabaseError(code: .busy, message: "the database is being closed")
      }
      lookCount += 1
    }

    /// A look ended: with the last one, those that close go on.
    mutating func endLook(_ name: LaneName) {
      self[name].lookCount -= 1
      lookCount -= 1
      guard lookCount == 0 else { return }
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
  func takeIdle(
    _ name: LaneName, for place: SourcePlace? = nil, isLook: Bool = false
  ) throws -> ConnectionCore? {
    let thread = ThreadID.current
    return try state.withLock { state throws in
      try state.check(thread)
      guard let core = state[name].idle.popLast() else { return nil }
      if isLook {
        do {
          try state.beginLook()
        } catch {
          state[name].idle.append(core)
          throw error
        }
        state[name].lookCount += 1
      }
      state.occupants.append(Occupant(thread: thread, core: core, place: place))
      return core
    }
  }

  /// Answers the waiter with what the lane grants, at once or when it is its turn.
  func take(_ name: LaneName, for waiter: Waiter) throws {
    let grant = try state.withLock { state throws -> Grant? in
      if state.isClosed { throw Self.closed }
      if waiter.isLook { try state.beginLook() }
      if let grant = state[name].take() {
        if waiter.isLook { state[name].lookCount += 1 }
        return grant
      }
      if name == .stream, state[name].waiters.count >= state[name].endingCount {
        // Those of other streams may be held for ever, even by who asks.
        throw TooManyStreams(maximum: state[name].maximum)
      }
      state[name].waiters.append(waiter)
      return nil
    }
    if let grant, !waiter.grant(grant) {
      giveBack(grant, to: name)
      if waiter.isLook { endLook(name) }
    }
  }

  /// A look of the library's own has ended, and what it was granted is back.
  func endLook(_ name: LaneName) {
    state.withLock { $0.endLook(name) }
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
        if let waiter = state[name].waiters.removeFirst() {
          if waiter.isLook { state[name].lookCount += 1 }
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
      if waiter.isLook { endLook(name) }
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

  /// Whether nobody is let in any more.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Interrupts the connections that are in use. With the lock held none of them can be closed.
  func interrupt() {
    state.withLock { state in
      for occupant in state.occupants { occupant.core.interrupt() }
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

  /// The connections, of which nobody gets one any more; or what is signalled when the looks of the
  /// library's own end: those at the writer, and what observations fetch.
  private func removeAllForEver() throws -> ([ConnectionCore], DispatchSemaphore?) {
    let thread = ThreadID.current
    return try state.withLock { state throws in
      guard !state.isClosed else { return ([], nil) }
      // A look that closes the database, in the closure of an observation, would wait for itself.
      guard !state.occupants.contains(where: { $0.isBeside || $0.thread == thread }),
        !state.lanes.contains(where: \.isUsed)
      else {
        throw DatabaseError(
          code: .busy, message: "the database is in use; close it when every access has ended")
      }
      if state.lookCount > 0 {
        let semaphore = DispatchSemaphore(value: 0)
        state.closers.append(semaphore)
        return ([], semaphore)
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

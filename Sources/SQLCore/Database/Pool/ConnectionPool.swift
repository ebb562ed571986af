import Dispatch
import Synchronization

/// A pool of the connections of a database: one writer, several readers, the same number of
/// connections for streams of rows, and a few for live queries. Accesses are served in the order in
/// which they were requested.
///
/// The connections of one kind form a lane. One lock guards all lanes. It is held for a few
/// instructions, and never while a caller's code runs.
final class ConnectionPool: Sendable {
  /// The names of the lanes. A lane is a group of connections that serve one kind of access.
  enum LaneName: Int, CaseIterable, Sendable { case writer, reader, stream, live }

  /// A permission to use a connection of a lane. The connection is an idle one, or one that the
  /// access opens itself.
  enum Grant: Sendable {
    case connection(ConnectionCore)
    /// A permission to open one more connection. The access that gets the permission opens it.
    case room
  }

  struct Lane {
    var maximum = 0
    var idle: [ConnectionCore] = []
    /// The number of connections that are idle, in use or being opened.
    var count = 0
    var waiters = Queue<Waiter>()
    /// The number of streams that are ending. Their connections will return soon.
    var endingCount = 0
    /// The number of connections that probes (reads for the library itself) use.
    var probeCount = 0

    /// Whether an access of the program runs or waits. Probes and streams that are ending do not
    /// count.
    var isUsed: Bool {
      count - idle.count - endingCount - probeCount > 0
        || waiters.contains { !$0.isProbe && $0.isWaiting }
    }

    /// The number of accesses that wait.
    var waitingCount: Int { waiters.count(where: \.isWaiting) }

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

  /// A connection in use, and the thread that uses it.
  struct Occupant {
    /// The thread that uses the connection. Nil for a stream while no thread reads from it, and for
    /// a long job, whose thread may use the database as well.
    var thread: ThreadID?
    let core: ConnectionCore
    let place: SourcePlace?
    /// Whether the connection was opened for a long job, such as a backup, and belongs to no lane.
    var isBeside = false
    let start = Deadline.roughlyNow
  }

  struct State {
    var lanes = LaneName.allCases.map { _ in Lane() }
    var occupants: [Occupant] = []
    var isClosed = false
    /// The number of probes (reads for the library itself) that wait or run.
    var probeCount = 0
    /// The semaphores of the calls of `close()` that wait for probes to end.
    var closers: [DispatchSemaphore] = []
    /// The timer that ends kept snapshots.
    var rounds = Rounds()
    /// How often a requested statement was in the cache of its connection, and how often it was
    /// not.
    var statementCounts = (hits: 0, misses: 0)

    subscript(name: LaneName) -> Lane {
      get { lanes[name.rawValue] }
      _modify { yield &lanes[name.rawValue] }
    }

    /// Throws if an access must not begin: after the database was closed, or inside another access
    /// of this thread.
    func check(_ thread: ThreadID) throws {
      if isClosed { throw ConnectionPool.closed }
      if occupants.contains(where: { $0.thread == thread }) { throw ConnectionPool.reentrancy }
    }

    mutating func removeIdle() -> [ConnectionCore] {
      lanes.indices.flatMap { lanes[$0].removeIdle() }
    }

    /// Counts a probe that begins. Throws `.busy` if a call of `close()` waits for probes to end;
    /// the probe may try again.
    mutating func beginProbe() throws {
      guard closers.isEmpty else {
        throw DatabaseError(code: .busy, message: "the database is being closed")
      }
      probeCount += 1
    }

    /// Notes that a probe has ended. After the last probe, the waiting calls of `close()` continue.
    mutating func endProbe(_ name: LaneName) {
      self[name].probeCount -= 1
      probeCount -= 1
      guard probeCount == 0 else { return }
      for closer in closers { closer.signal() }
      closers = []
    }

    func index(of core: ConnectionCore) -> Int? {
      occupants.lastIndex { $0.core === core }
    }

    /// Notes that the access that used the connection has ended.
    mutating func leave(_ core: ConnectionCore) {
      guard let index = index(of: core) else { return }
      occupants.swapAt(index, occupants.count - 1)
      occupants.removeLast()
    }

    /// The work that the caller of `giveBack` must do after it has released the lock.
    struct Return: Sendable {
      /// The next access in line, which gets the grant.
      var waiter: Waiter?
      /// Whether the next round for kept snapshots must be scheduled, because the returned
      /// connection has kept one.
      var schedulesRound = false
    }

    /// Gives the grant to the next access in line. If none waits, the grant goes back into the
    /// lane.
    mutating func giveBack(_ grant: Grant, to name: LaneName) -> Return {
      var result = Return()
      if case .connection(let core) = grant, core.state.pointee.kept.isKept {
        core.state.pointee.kept.didUse(in: rounds.number)
        result.schedulesRound = rounds.begin()
      }
      if let waiter = self[name].waiters.popFirst() {
        if waiter.isProbe { self[name].probeCount += 1 }
        result.waiter = waiter
        return result
      }
      switch grant {
      case .connection(let core) where !isClosed: self[name].idle.append(core)
      case .connection, .room: self[name].count -= 1
      }
      return result
    }
  }

  let state: Lock<State>
  /// The number of connections in use. It is written under the lock, but can be read without the
  /// lock.
  let occupantCount = Atomic<Int>(0)
  let waits = AccessWaits()
  /// The dispatch queue of the timer that ends kept snapshots.
  let queue = DispatchQueue(label: "apus.kept-snapshots")
  let roundLength: DispatchTimeInterval

  init(writer: ConnectionCore, maximumReaders: Int, maximumLiveReaders: Int = 1) {
    var state = State()
    state[.writer].maximum = 1
    state[.writer].count = 1
    state[.writer].idle = [writer]
    state[.reader].maximum = maximumReaders
    state[.stream].maximum = maximumReaders
    state[.live].maximum = maximumLiveReaders
    self.state = Lock(state)
    roundLength = .milliseconds(Int(writer.configuration.keptSnapshotRound.wholeMilliseconds))
  }

  // MARK: Taking

  /// Returns an idle connection of a lane for this thread; nil if none is idle.
  func takeIdle(
    _ name: LaneName, for place: SourcePlace? = nil, isProbe: Bool = false
  ) throws -> ConnectionCore? {
    let thread = ThreadID.current
    return try state.withLock { state throws in
      try state.check(thread)
      guard let core = state[name].idle.popLast() else { return nil }
      if isProbe {
        do {
          try state.beginProbe()
        } catch {
          state[name].idle.append(core)
          throw error
        }
        state[name].probeCount += 1
      }
      state.occupants.append(Occupant(thread: thread, core: core, place: place))
      publishOccupants(state)
      return core
    }
  }

  /// Grants the waiter a connection of the lane, immediately or when its turn comes.
  func take(_ name: LaneName, for waiter: Waiter) throws {
    let grant = try state.withLock { state throws -> Grant? in
      if state.isClosed { throw Self.closed }
      if waiter.isProbe { try state.beginProbe() }
      if let grant = state[name].take() {
        if waiter.isProbe { state[name].probeCount += 1 }
        return grant
      }
      if name == .stream, state[name].waitingCount >= state[name].endingCount {
        // The stream must not wait here, because the wait might never end. Other streams may hold
        // their connections indefinitely, and may even belong to the same caller.
        throw TooManyStreams(maximum: state[name].maximum)
      }
      if let wait = waits.begin(name) { waiter.stand(wait) }
      state[name].waiters.append(waiter)
      return nil
    }
    if let grant, !waiter.grant(grant) {
      giveBack(grant, to: name)
      if waiter.isProbe { endProbe(name) }
    }
  }

  /// Notes that a probe has ended. Its connection must have been given back before.
  func endProbe(_ name: LaneName) {
    state.withLock { $0.endProbe(name) }
  }

  /// Returns the number of accesses that wait for a connection of a lane.
  func waitingCount(_ name: LaneName) -> Int {
    state.withLock { $0[name].waitingCount }
  }

  /// Takes the first access from the writer's waiting line, and returns it, if its write can share
  /// a commit. Otherwise returns nil. Only the first access is considered, so no write overtakes
  /// another.
  func takeSharedWrite() -> Waiter? {
    state.withLock { state in
      guard state[.writer].waiters.first?.sharedWrite != nil else { return nil }
      return state[.writer].waiters.popFirst()
    }
  }

  // MARK: Giving back

  /// Ends the access that used the connection, and gives the connection to the next access in line.
  func giveBack(_ core: ConnectionCore, to name: LaneName) {
    core.endLease()
    // The stream has called `streamWillEnd()` before, so this call no longer counts it as ending.
    let result = state.withLock { state -> State.Return in
      state.leave(core)
      publishOccupants(state)
      if name == .stream { state[name].endingCount -= 1 }
      return state.giveBack(.connection(core), to: name)
    }
    hand(.connection(core), after: result, name)
  }

  /// Gives a grant back, whether or not it was used, and passes it to the next access in line.
  func giveBack(_ grant: Grant, to name: LaneName) {
    let result = state.withLock { state -> State.Return in
      if name == .stream { state[name].endingCount -= 1 }
      return state.giveBack(grant, to: name)
    }
    hand(grant, after: result, name)
  }

  /// Passes a returned grant to the next waiter in line. If that waiter was cancelled in the
  /// meantime, the waiter after it gets the grant.
  private func hand(_ grant: Grant, after first: State.Return, _ name: LaneName) {
    var result = first
    while true {
      if result.schedulesRound { scheduleRound() }
      guard let waiter = result.waiter, !waiter.grant(grant) else { return }
      if waiter.isProbe { endProbe(name) }
      result = state.withLock { $0.giveBack(grant, to: name) }
    }
  }

  // MARK: Streams

  /// Notes that a stream is ending, and will give back its connection or its permission to open
  /// one.
  func streamWillEnd() {
    state.withLock { $0[.stream].endingCount += 1 }
  }

  /// Undoes `streamWillEnd()` for a stream to which nothing was granted, and which therefore gives
  /// nothing back.
  func streamDidNotBegin() {
    state.withLock { $0[.stream].endingCount -= 1 }
  }

  static var closed: DatabaseError { .misuse("the database is closed") }

  private static var reentrancy: DatabaseError {
    .misuse(
      "the database was accessed from inside one of its own `read` or `write` closures; "
        + "use the connection that the closure was given")
  }
}

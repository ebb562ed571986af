/// Lends the connections of a database: one writer, several readers, first come first served.
///
/// One lock guards the lanes; it is held for a few instructions, and never while anybody's code
/// runs.
final class ConnectionPool: Sendable {
  /// Which connections an access may use.
  enum LaneName: Int, CaseIterable, Sendable { case writer, reader }

  /// What an access is given.
  enum Grant: Sendable {
    case connection(ConnectionCore)
    /// Room for one more connection, which the access opens itself.
    case room
  }

  private struct Lane {
    var maximum = 0
    var idle: [ConnectionCore] = []
    /// Idle, lent, or being opened.
    var count = 0
    var waiters = WaitingLine()

    mutating func take() -> Grant? {
      if let core = idle.popLast() { return .connection(core) }
      guard count < maximum else { return nil }
      count += 1
      return .room
    }
  }

  /// An access that runs, and the connection that it uses.
  private struct Occupant {
    /// nil for a long job on a connection of its own: its thread may use the database meanwhile.
    let thread: ThreadID?
    let core: ConnectionCore
    let place: SourcePlace?
    let start = Deadline.roughlyNow
  }

  private struct State {
    var lanes = LaneName.allCases.map { _ in Lane() }
    var occupants: [Occupant] = []
    var isClosed = false

    subscript(name: LaneName) -> Lane {
      get { lanes[name.rawValue] }
      _modify { yield &lanes[name.rawValue] }
    }

    /// Throws for what may not begin: after the end, and inside another access.
    func check(_ thread: ThreadID) throws {
      if isClosed { throw ConnectionPool.closed }
      if occupants.contains(where: { $0.thread == thread }) { throw ConnectionPool.reentrancy }
    }
  }

  private let state: Lock<State>

  init(writer: ConnectionCore, maximumReaders: Int) {
    var state = State()
    state[.writer].maximum = 1
    state[.writer].count = 1
    state[.writer].idle = [writer]
    state[.reader].maximum = maximumReaders
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
      if let grant = state[name].take() { return grant }
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
    state.withLock { $0.occupants.append(occupant) }
  }

  /// A long job begins on a connection of its own.
  func admit(_ core: ConnectionCore, for place: SourcePlace) throws {
    try state.withLock { state throws in
      if state.isClosed { throw Self.closed }
      state.occupants.append(Occupant(thread: nil, core: core, place: place))
    }
  }

  /// The connection that this thread uses already.
  func coreOfCurrentThread() -> ConnectionCore? {
    let thread = ThreadID.current
    return state.withLock { state in
      state.occupants.last { $0.thread == thread }?.core
    }
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
      guard let index = state.occupants.lastIndex(where: { $0.core === core }) else { return }
      state.occupants.swapAt(index, state.occupants.count - 1)
      state.occupants.removeLast()
    }
  }

  /// Gives a grant to the next in line: one that was not used, too.
  func giveBack(_ grant: Grant, to name: LaneName) {
    while true {
      let waiter = state.withLock { state -> Waiter? in
        if let waiter = state[name].waiters.removeFirst() { return waiter }
        switch grant {
        case .connection(let core): state[name].idle.append(core)
        case .room: state[name].count -= 1
        }
        return nil
      }
      // One that was cancelled meanwhile lets the next one have it.
      guard let waiter, !waiter.grant(grant) else { return }
    }
  }

  // MARK: Ending

  /// The connections that are in use.
  func used() -> [ConnectionCore] {
    state.withLock { $0.occupants.map(\.core) }
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

  /// Lets nobody in any more, and gives out the connections; throws busy where one is in use.
  func close() throws -> [ConnectionCore] {
    try state.withLock { state throws in
      guard !state.isClosed else { return [] }
      guard state.occupants.isEmpty,
        state.lanes.allSatisfy({ $0.count == $0.idle.count && $0.waiters.isEmpty })
      else {
        throw DatabaseError(
          code: .busy, message: "the database is in use; close it when every access has ended")
      }
      state.isClosed = true
      return state.lanes.indices.flatMap { index in
        defer { state.lanes[index] = Lane() }
        return state.lanes[index].idle
      }
    }
  }

  /// The connections, when nobody can ask for one any more.
  func removeAll() -> [ConnectionCore] {
    state.withLock { state in
      defer { state.lanes = state.lanes.map { _ in Lane() } }
      return state.lanes.flatMap(\.idle)
    }
  }

  private static var closed: DatabaseError { .misuse("the database is closed") }

  private static var reentrancy: DatabaseError {
    .misuse(
      "the database was accessed from inside a `read` or `write` closure of its own; "
        + "use the connection that the closure was given")
  }
}

/// Who waits, first in first out; taking the first costs no copy of the rest.
private struct WaitingLine {
  private var waiters: [Waiter] = []
  private var start = 0

  var isEmpty: Bool { start == waiters.count }
  var first: Waiter? { isEmpty ? nil : waiters[start] }

  mutating func append(_ waiter: Waiter) { waiters.append(waiter) }

  mutating func removeFirst() -> Waiter? {
    guard let first else { return nil }
    start += 1
    if start == waiters.count || start > 256 {
      waiters.removeFirst(start)
      start = 0
    }
    return first
  }
}

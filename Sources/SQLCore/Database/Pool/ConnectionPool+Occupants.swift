import Synchronization

// The connections in use and the threads that use them. They are used to detect an access that
// begins inside another access.

extension ConnectionPool {
  /// Throws if the database is closed, or if this thread is inside an access.
  func check() throws {
    let thread = ThreadID.current
    try state.withLock { state throws in try state.check(thread) }
  }

  /// Whether no connection is in use. If true, an access by this thread cannot be inside another
  /// access. Just after the last access has ended, this may still be false.
  var isUnoccupied: Bool { occupantCount.load(ordering: .relaxed) == 0 }

  @inline(__always)
  func publishOccupants(_ state: borrowing State) {
    occupantCount.store(state.occupants.count, ordering: .relaxed)
  }

  /// Notes that this thread uses a granted connection. The pool can then detect that the thread
  /// begins another access inside this one.
  func enter(with core: ConnectionCore, for place: SourcePlace? = nil) {
    let occupant = Occupant(thread: .current, core: core, place: place)
    state.withLock { state in
      if let index = state.index(of: core) {
        state.occupants[index].thread = occupant.thread
      } else {
        state.occupants.append(occupant)
        publishOccupants(state)
      }
    }
  }

  /// Notes that a long job begins. The job uses its own connection, which does not belong to the
  /// pool. Throws if the pool is closed.
  func admit(_ core: ConnectionCore, for place: SourcePlace) throws {
    try state.withLock { state throws in
      if state.isClosed { throw Self.closed }
      state.occupants.append(Occupant(thread: nil, core: core, place: place, isBeside: true))
      publishOccupants(state)
    }
  }

  /// Returns the connection that this thread already uses; nil if it uses none.
  func coreOfCurrentThread() -> ConnectionCore? {
    let thread = ThreadID.current
    return state.withLock { state in
      state.occupants.last { $0.thread == thread }?.core
    }
  }

  /// Notes that the access that used the connection has ended.
  func leave(_ core: ConnectionCore) {
    state.withLock { state in
      state.leave(core)
      publishOccupants(state)
    }
  }

  /// Notes that this thread no longer uses the connection. The access still has the connection, and
  /// may already use it on another thread.
  func leaveThread(with core: ConnectionCore) {
    let thread = ThreadID.current
    state.withLock { state in
      guard let index = state.index(of: core), state.occupants[index].thread == thread else {
        return
      }
      state.occupants[index].thread = nil
    }
  }
}

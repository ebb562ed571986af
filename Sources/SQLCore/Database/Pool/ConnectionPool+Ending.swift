import Dispatch

extension ConnectionPool {
  /// Whether the pool is closed to new accesses.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Interrupts the connections that are in use. The pool's lock is held, so that none of these
  /// connections can close meanwhile.
  func interrupt() {
    state.withLock { state in
      for occupant in state.occupants { occupant.core.interrupt() }
    }
  }

  /// Allows no new accesses, and closes the connections. Waits for the end of probes, which are
  /// reads for the library itself. Throws `.busy` if any other access runs or waits. Streams that
  /// are already ending do not count as accesses here.
  ///
  /// - Parameter willClose: Called when no access can begin any more, before the connections close.
  func close(_ willClose: () -> Void = {}) throws {
    while true {
      let (cores, probes) = try removeAllForEver()
      if probes == nil { willClose() }
      // If the database is a file in WAL mode, the last connection runs a checkpoint of the log as
      // it closes.
      for core in cores { core.close() }
      guard let probes else { return }
      probes.wait()
    }
  }

  /// Closes the pool and returns its connections.
  ///
  /// If a probe is running or waiting, the pool stays open. This method then returns a semaphore
  /// that is signalled when all probes have ended. Probes are fetches by observations, and reads
  /// that the library runs on the writer between two accesses.
  private func removeAllForEver() throws -> ([ConnectionCore], DispatchSemaphore?) {
    let thread = ThreadID.current
    return try state.withLock { state throws in
      guard !state.isClosed else { return ([], nil) }
      // A probe may call `close()` on its own thread, for example in the closure of an observation.
      // Without this check, the probe would wait for its own end.
      guard !state.occupants.contains(where: { $0.isBeside || $0.thread == thread }),
        !state.lanes.contains(where: \.isUsed)
      else {
        throw DatabaseError(
          code: .busy, message: "the database is in use; close it when every access has ended")
      }
      if state.probeCount > 0 {
        let semaphore = DispatchSemaphore(value: 0)
        state.closers.append(semaphore)
        return ([], semaphore)
      }
      state.isClosed = true
      return (state.removeIdle(), nil)
    }
  }

  /// Removes the idle connections and returns them. This method is called when no access can
  /// request a connection any more.
  func removeAll() -> [ConnectionCore] {
    state.withLock { $0.removeIdle() }
  }
}

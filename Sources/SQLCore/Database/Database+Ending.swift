extension Database {
  /// Interrupts the statements that run in every access of this database: each throws `.interrupt`.
  /// So does every stream of rows that has begun, after the rows that it has already read.
  ///
  /// It can be called from any thread. It has no effect if nothing runs, and no effect on later
  /// statements. An interrupted write rolls its transaction back: from then on, every statement of
  /// its `write` closure throws `.abort`, and so does `write` itself, even if the closure catches
  /// the error. An access that waits for a lock is ended as well; an access that waits for its turn
  /// is not.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/interrupt.html>
  public func interrupt() {
    access.pool.interrupt()
  }

  /// Closes every connection. Later accesses throw misuse; closing again has no effect.
  ///
  /// Calling it is optional: a database closes when its last reference is released. Throws `.busy`,
  /// and leaves the database open, if an access is running or waiting, or if a stream of rows is
  /// held. The connection of a stream that was just dropped closes a moment later. Fetches that
  /// observations make by themselves are waited for.
  ///
  /// Streams of changes and observations of results end after delivering what was committed before:
  /// the next element is then nil.
  public func close() throws {
    try access.pool.close { [cache] in cache.turnOff() }
    writeObserver.withLock { $0 }?.databaseDidClose()
  }
}

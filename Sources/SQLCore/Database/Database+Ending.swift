import CSQLite

extension Database {
  /// Ends the statements that run, in every access of this database: each throws `.interrupt`. So
  /// does every stream of rows that has begun, after the rows that were read.
  ///
  /// From any thread. Where nothing runs it does nothing, and what runs later is not affected. An
  /// interrupted write rolls its transaction back: from then on, whatever the closure of `write`
  /// runs throws `.abort`, and so does `write`, whatever the closure makes of it. An access that
  /// waits for a lock is ended as well; one that waits for its turn is not.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/interrupt.html>
  public func interrupt() {
    access.pool.interrupt()
  }

  /// Closes every connection; each access afterwards throws misuse, and closing again does nothing.
  ///
  /// It is optional: a database closes when its last reference is gone. Throws `.busy`, and leaves
  /// the database as it is, where an access is running or waiting, or a stream of rows is held. The
  /// connection of a stream that was just dropped closes a moment later. What observations fetch by
  /// themselves is waited for.
  ///
  /// Streams of changes and observations of results end then, after what was committed before, and
  /// whoever waits for their next element gets nil.
  public func close() throws {
    try access.pool.close()
    writeObserver.withLock { $0 }?.databaseDidClose()
  }
}

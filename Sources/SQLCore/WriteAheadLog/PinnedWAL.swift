/// A report about a write-ahead log that is larger than `Configuration.maximumWALBytes`. The log
/// cannot be restarted, because connections still read from it.
///
/// ```swift
/// configuration.onPinnedWAL = { log in print(log.byteCount, log.readers) }
/// ```
///
/// - SeeAlso: <https://www.sqlite.org/wal.html#avoiding_excessively_large_wal_files>
public struct PinnedWAL: Hashable, Sendable, CustomStringConvertible {
  /// A read that keeps its snapshot.
  public struct Reader: Hashable, Sendable, CustomStringConvertible {
    /// The module and file that requested the read, in the form of `#fileID`. Nil for one of the
    /// library's own reads, such as the planning of a migration. For a backup or `vacuum(into:)`,
    /// it is a file of the library.
    public let fileID: String?
    /// The line in this file.
    public let line: Int?
    /// The time since the read began.
    public let age: Duration

    /// Creates a reader from its parts.
    public init(fileID: String?, line: Int?, age: Duration) {
      self.fileID = fileID
      self.line = line
      self.age = age
    }

    /// The source file and line that requested the read, and the age of the read.
    public var description: String {
      let place = if let fileID, let line { "\(fileID):\(line)" } else { "the library" }
      return "\(place), for \(age)"
    }
  }

  /// The size of the log in bytes.
  public let byteCount: Int
  /// The reads of this `Database` that may prevent a restart of the log, the oldest first. Empty if
  /// only a `DatabaseSnapshot`, another process, or another `Database` or `Connection` on the same
  /// file prevents it.
  public let readers: [Reader]

  /// Creates a report from its parts.
  public init(byteCount: Int, readers: [Reader]) {
    self.byteCount = byteCount
    self.readers = readers
  }

  /// The size of the log, and its readers.
  public var description: String {
    let holders =
      readers.isEmpty
      ? "another connection" : readers.map(\.description).joined(separator: "; ")
    return "the write-ahead log has \(byteCount) bytes, held by \(holders)"
  }
}

extension Database {
  /// Restarts the log if its size is near `Configuration.maximumWALBytes`, and reports the readers
  /// that prevent the restart. Called at the end of an access that uses the writer, when no code of
  /// the caller runs any more.
  func keepWALWithinBound(_ core: ConnectionCore) {
    guard core.state.pointee.wal.wantsRestart else { return }
    access.pool.endKeptSnapshots()
    let start = Deadline.roughlyNow
    guard let byteCount = core.keepWALWithinBound(), let notify = configuration.onPinnedWAL else {
      return
    }
    let readers = access.pool.readers(since: start)
    // The closure runs on its own thread, because it may use the database. On this thread, it would
    // wait for the writer, which the ending access has not given back yet.
    WorkerThreads(maximum: 1).submit { notify(PinnedWAL(byteCount: byteCount, readers: readers)) }
  }
}

extension ConnectionPool {
  /// Returns the reads that began at `moment` or earlier, the oldest first.
  func readers(since moment: Deadline) -> [PinnedWAL.Reader] {
    let now = Deadline.roughlyNow.nanoseconds
    let occupants = state.withLock(\.occupants)
    return
      occupants
      .filter { $0.core.isReader && $0.start.nanoseconds <= moment.nanoseconds }
      .sorted { $0.start.nanoseconds < $1.start.nanoseconds }
      .map { occupant in
        PinnedWAL.Reader(
          fileID: occupant.place?.fileID.description, line: occupant.place.map { Int($0.line) },
          age: .nanoseconds(Int64(clamping: now &- occupant.start.nanoseconds)))
      }
  }
}

/// The write-ahead log is above its bound, and cannot begin anew because somebody still reads from
/// it.
/// - SeeAlso: <https://www.sqlite.org/wal.html#avoiding_excessively_large_wal_files>
public struct PinnedLog: Hashable, Sendable, CustomStringConvertible {
  /// A read that keeps its snapshot.
  public struct Reader: Hashable, Sendable, CustomStringConvertible {
    /// The module and file that asked for it, as `#fileID` says; nil for a read of a single call,
    /// as `db.fetch`.
    public let fileID: String?
    /// The line in it.
    public let line: Int?
    /// How long it has been running.
    public let age: Duration

    /// A reader with its parts.
    public init(fileID: String?, line: Int?, age: Duration) {
      self.fileID = fileID
      self.line = line
      self.age = age
    }

    /// The place, and the time in seconds.
    public var description: String {
      let place = if let fileID, let line { "\(fileID):\(line)" } else { "a single call" }
      return "\(place), for \(age)"
    }
  }

  /// The size of the log in bytes.
  public let byteCount: Int
  /// The reads of this `Database` that may hold it, the oldest first. Empty where it is another
  /// process, or another `Database` or `Connection` of the same file.
  public let readers: [Reader]

  /// A report with its parts.
  public init(byteCount: Int, readers: [Reader]) {
    self.byteCount = byteCount
    self.readers = readers
  }

  /// The size, and who reads.
  public var description: String {
    let holders =
      readers.isEmpty
      ? "another connection" : readers.map(\.description).joined(separator: "; ")
    return "the write-ahead log has \(byteCount) bytes, held by \(holders)"
  }
}

extension Database {
  /// Keeps the log within its bound, and tells who is in the way. The writer is lent, and nobody's
  /// code runs.
  func keepLogWithinBound(_ core: ConnectionCore) {
    guard core.state.pointee.log.wantsAttempt else { return }
    let start = Deadline.roughlyNow
    guard let byteCount = core.keepLogWithinBound(), let tell = configuration.onPinnedLog else {
      return
    }
    let readers = access.pool.readers(since: start)
    // On a thread of its own: it may use the database, whose writer is still lent here.
    WorkerThreads(maximum: 1).submit { tell(PinnedLog(byteCount: byteCount, readers: readers)) }
  }
}

extension ConnectionPool {
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
}

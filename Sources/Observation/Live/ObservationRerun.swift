import SQLCore

/// A report of a live query that ran again as a whole after a commit, and took long.
public struct ObservationRerun: Sendable, CustomStringConvertible {
  /// The SQL of the query, with its values as parameters.
  public let sql: String
  /// The time from the beginning of the fetch to its end, with the wait for a reader.
  public let duration: Duration
  /// The reason why the query ran again, as one sentence.
  public let reason: String

  /// The duration, the SQL and the reason.
  public var description: String {
    "a live query took \(duration) to run again: \(sql)\n  \(reason)"
  }
}

extension Database {
  /// Calls a closure whenever a live query of this database runs again as a whole after a commit
  /// and takes longer than a limit; nil ends that. Use it during development.
  ///
  /// ```swift
  /// db.onObservationRerun(longerThan: .milliseconds(5)) { print($0) }
  /// // a live query took 0.031 seconds to run again: SELECT DISTINCT "status" FROM "Post"
  /// //   Runs again after each commit that touches what it reads, because it selects DISTINCT rows.
  /// ```
  ///
  /// The closure replaces an earlier one. It is called on the thread of the observation, which
  /// continues when it returns; no lock is held meanwhile. A query that is maintained is reported,
  /// too, when it has to be fetched, such as after a commit that touched very many rows. The first
  /// fetch of an observation is not reported.
  public func onObservationRerun(
    longerThan limit: Duration, _ report: (@Sendable (ObservationRerun) -> Void)?
  ) {
    ChangeTracker.of(self)?.reportReruns(report.map { RerunReporting(limit: limit, report: $0) })
  }
}

/// What reports live queries that run again, and from which duration on.
struct RerunReporting: Sendable {
  let limit: Duration
  let report: @Sendable (ObservationRerun) -> Void
}

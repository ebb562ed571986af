import SQLCore

/// An explanation of how the result of a live query is kept up to date.
///
/// ```swift
/// print(try await db.observe(Post.select { $0.count() }).explanation)
/// // Runs again after each commit that touches what it reads, because it counts rows.
/// ```
public struct ObservationExplanation: Hashable, Sendable, CustomStringConvertible {
  /// Whether the result is maintained: a commit costs what it changed. Otherwise the whole query
  /// runs again after each commit that touches what it reads.
  public let isMaintained: Bool
  /// The reason as one sentence.
  public let description: String
  /// The missing indexes without which the query cannot be maintained; empty if the reason is
  /// another one.
  public let missingIndexes: [SuggestedIndex]
}

extension QueryWatch {
  /// Finds out how the query would be kept up to date now. It costs the compilation of the query
  /// and, if an index is missing, a copy of the schema in memory.
  func explain() async throws -> ObservationExplanation {
    let (preparation, _) = try await prepare(isNew: true).get()
    let maintenance = preparation.maintenance
    var indexes: [SuggestedIndex] = []
    for sql in maintenance.reason?.scanningSQL ?? [] {
      let more = try await watch.reading(hops: true, isFirst: true) {
        try $0.missingIndexes(for: sql)
      }
      indexes += more.filter { !indexes.contains($0) }
    }
    var text = maintenance.explanation
    if !indexes.isEmpty {
      text += " Missing: " + indexes.map(\.sql).joined(separator: "; ")
    }
    return ObservationExplanation(
      isMaintained: maintenance.isMaintained, description: text, missingIndexes: indexes)
  }
}

extension RerunReason {
  /// The sentence that says that the query runs again and why, without its full stop.
  var sentence: String {
    "Runs again after each commit that touches what it reads, because \(text)"
  }
}

extension QueryObservation {
  /// The explanation of how the result is kept up to date with the current schema.
  ///
  /// Compiles the query, but does not run it. If an index is missing, the search for it takes some
  /// milliseconds more. Throws the errors that `fetch` throws when the query is compiled.
  public var explanation: ObservationExplanation {
    get async throws { try await QueryWatch(source, in: database).explain() }
  }
}

extension LiveQuery {
  /// The explanation of how the result is kept up to date with the current schema.
  ///
  /// It costs and throws the same as `QueryObservation.explanation`.
  public var explanation: ObservationExplanation {
    get async throws { try await observer.explain() }
  }
}

/// The reason why a query is fetched again after each change of the columns that it reads.
final class RerunReason: Error {
  /// The reason as the end of a sentence that begins with "because".
  let text: String
  /// The statements that would scan a table, if indexes are missing.
  let scanningSQL: [String]
  /// Whether the answer may change a moment later, although the schema stays the same.
  let isOfMoment: Bool

  static let lacksRoom = RerunReason(
    "what maintained queries hold would exceed Configuration.maximumLiveMemory")
  static let isResting = RerunReason("a difference cost more than a run, for the time being")

  init(_ text: String, scanningSQL: [String] = [], isOfMoment: Bool = false) {
    self.text = text
    self.scanningSQL = scanningSQL
    self.isOfMoment = isOfMoment
  }
}

/// A report of a live query that ran again as a whole after a commit, and took long.
///
/// ```swift
/// db.onObservationRerun(longerThan: .milliseconds(5)) { rerun in print(rerun.reason, rerun.sql) }
/// ```
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
  /// and takes longer than a limit; nil ends the reports. Use it during development.
  ///
  /// ```swift
  /// db.onObservationRerun(longerThan: .milliseconds(5)) { print($0) }
  /// // a live query took 0.031 seconds to run again: SELECT DISTINCT "status" FROM "Post"
  /// //   Runs again after each commit that touches what it reads, because it selects DISTINCT rows.
  /// ```
  ///
  /// The closure replaces an earlier closure. It is called on the thread of the observation, which
  /// continues when the closure returns. No lock is held during the call. A maintained query is
  /// also reported if it has to be fetched, for example after a commit that touched very many rows.
  /// The first fetch of an observation is not reported.
  public func onObservationRerun(
    longerThan limit: Duration, _ report: (@Sendable (ObservationRerun) -> Void)?
  ) {
    ChangeTracker.of(self)?.reportReruns(report.map { RerunReporting(limit: limit, report: $0) })
  }
}

/// The closure that reports slow re-runs of live queries, and the duration from which a re-run
/// counts as slow.
struct RerunReporting: Sendable {
  let limit: Duration
  let report: @Sendable (ObservationRerun) -> Void
}

import SQLCore

/// An explanation of how the result of a live query is kept up to date.
///
/// ```swift
/// print(try await db.observe(Post.select { $0.count() }).explanation)
/// // Maintained: a commit changes the values by the rows of Post that it touched.
/// ```
public struct ObservationExplanation: Hashable, Sendable, CustomStringConvertible {
  /// Whether the result is maintained. If it is, the cost of a commit depends on what the commit
  /// changed. If it is not, the whole query runs again after each commit that touches something
  /// that the query reads.
  public let isMaintained: Bool
  /// A sentence that says how the result is kept up to date, and why. If indexes are missing, the
  /// statements that create these indexes follow the sentence.
  public let description: String
  /// The indexes that must be created before the query can be maintained. Empty if no index is
  /// missing.
  public let missingIndexes: [SuggestedIndex]
}

extension QueryWatch {
  /// Returns the explanation of how the query would be kept up to date with the current schema. The
  /// method compiles the query. If an index is missing, the method also copies the schema into a
  /// database in memory.
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
  /// A sentence that says why the query runs again, without the full stop.
  var sentence: String {
    "Runs again after each commit that touches what it reads, because \(text)"
  }
}

extension QueryObservation {
  /// The explanation of how the result is kept up to date with the current schema.
  ///
  /// Reading this property compiles the query, but does not run the query. If an index is missing,
  /// the search for that index takes some milliseconds more. Throws the errors that `fetch` throws
  /// when the query is compiled.
  public var explanation: ObservationExplanation {
    get async throws { try await QueryWatch(source, in: database).explain() }
  }
}

extension LiveQuery {
  /// The explanation of how the result is kept up to date with the current schema.
  ///
  /// This property has the same cost as `QueryObservation.explanation`, and throws the same errors.
  public var explanation: ObservationExplanation {
    get async throws { try await observer.explain() }
  }
}

/// The reason why a query runs again after each change of the columns that the query reads.
final class RerunReason: Error {
  /// The reason as a clause that follows the word "because" in a sentence.
  let text: String
  /// The statements that would scan a table because an index is missing.
  let scanningSQL: [String]
  /// Whether the reason is temporary. A temporary reason may disappear at any time, even if the
  /// schema does not change.
  let isOfMoment: Bool

  static let lacksRoom = RerunReason(
    "what maintained queries hold would exceed Configuration.maximumLiveMemory")
  static let hasInvalidText = RerunReason("a value by which it is ordered cannot be read")
  static let isResting = RerunReason("a difference cost more than a run, for the time being")

  init(_ text: String, scanningSQL: [String] = [], isOfMoment: Bool = false) {
    self.text = text
    self.scanningSQL = scanningSQL
    self.isOfMoment = isOfMoment
  }
}

/// A report that a live query ran again as a whole after a commit, and that this run took longer
/// than a limit.
///
/// ```swift
/// db.onObservationRerun(longerThan: .milliseconds(5)) { rerun in print(rerun.reason, rerun.sql) }
/// ```
public struct ObservationRerun: Sendable, CustomStringConvertible {
  /// The SQL of the query, in which values are parameters.
  public let sql: String
  /// The time from the beginning of the fetch to its end, including the wait for a reader.
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
  /// and takes longer than a limit. Pass nil to end the reports. Use this method during
  /// development.
  ///
  /// ```swift
  /// db.onObservationRerun(longerThan: .milliseconds(5)) { print($0) }
  /// // a live query took 0.031 seconds to run again: SELECT count(*) FROM Post
  /// //   Runs again after each commit that touches what it reads, because it is raw SQL.
  /// ```
  ///
  /// The closure replaces an earlier closure. The closure is called on the thread of the
  /// observation, and the observation continues when the closure returns. No lock is held during
  /// the call.
  ///
  /// If a maintained query has to be fetched, for example after a commit that touched very many
  /// rows, this fetch is reported as well. The first fetch of an observation is not reported.
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

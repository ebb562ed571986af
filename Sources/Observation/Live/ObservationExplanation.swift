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
  /// The indexes that the query lacks to be maintained; empty if it is for another reason.
  public let missingIndexes: [SuggestedIndex]
}

extension QueryWatch {
  /// Finds out how the query would be kept up to date now. It costs the compilation of the query
  /// and, if an index is missing, a copy of the schema in memory.
  func explain() async throws -> ObservationExplanation {
    let preparation = try await prepare().get()
    switch preparation.maintenance {
    case .maintained(let plan):
      return ObservationExplanation(
        isMaintained: true, description: "Maintained: \(plan.explanation).", missingIndexes: [])
    case .runsAgain(let reason):
      var indexes: [SuggestedIndex] = []
      for sql in reason.scanningSQL {
        let more = try await watch.reading(hops: true) { try $0.missingIndexes(for: sql) }
        indexes += more.filter { !indexes.contains($0) }
      }
      var text = "\(reason.sentence)."
      if !indexes.isEmpty {
        text += " Missing: " + indexes.map(\.sql).joined(separator: "; ")
      }
      return ObservationExplanation(
        isMaintained: false, description: text, missingIndexes: indexes)
    }
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
  /// It compiles the query, but does not run it. If an index is missing, it also takes some
  /// milliseconds to find out which. Throws the errors that `fetch` throws when the query is
  /// compiled.
  public var explanation: ObservationExplanation {
    get async throws { try await watch().explain() }
  }
}

extension LiveQuery {
  /// The explanation of how the result is kept up to date with the current schema.
  ///
  /// It costs and throws what `QueryObservation.explanation` does.
  public var explanation: ObservationExplanation {
    get async throws { try await watch.explain() }
  }
}

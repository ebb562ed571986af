import QueryDSL
import SQLCore

// The preparation of a query finds the tables and columns that the query reads, and how its result
// can be kept up to date. Queries that differ only in their values share one preparation.

extension QueryWatch {
  /// The way in which a result is kept up to date after commits.
  struct Maintenance: Sendable {
    /// The plan of the query; nil if the query has no plan. The plan gives the rows of the result
    /// their keys. If `reason` is nil, the plan also merges commits into the result.
    let plan: (any MaintenancePlan<Row>)?
    /// The reason why the query runs again; nil if the result is maintained.
    let reason: RerunReason?

    var isMaintained: Bool { reason == nil }

    /// One sentence that says how the result is kept up to date, or why the query runs again.
    var explanation: String {
      (reason?.sentence ?? "Maintained: \(plan?.explanation ?? "")") + "."
    }

    /// Whether the decision for or against maintenance stays valid until the schema changes.
    var isLasting: Bool {
      reason?.isOfMoment != true
    }
  }

  /// The facts that were found out about a query. All queries that differ only in values share
  /// these facts.
  final class Preparation: Sendable {
    let maintenance: Maintenance
    /// The tables and columns that the query reads.
    let interests: [QualifiedTableName: Subscription.Interest]
    /// The conditions on the rows that the query reads; nil if the conditions are not known.
    let conditions: QueryConditions?
    let schemaVersion: Int32
    /// The value of `TableWatch.generation` when the preparation was made. This value changes when
    /// a function or a collation is registered, and when the content of the database is replaced.
    /// The preparation is then not valid any more.
    let generation: UInt64
    /// The sentence in `db.liveStatus` that says how the result is kept up to date.
    let explanation: String
    let isMaintained: Bool
    /// Whether merging a commit needs a reader connection, because the plan reads from a snapshot.
    let readsSnapshots: Bool

    init(
      _ maintenance: Maintenance, interests: [QualifiedTableName: Subscription.Interest],
      conditions: QueryConditions?, schemaVersion: Int32, generation: UInt64
    ) {
      self.maintenance = maintenance
      self.interests = interests
      self.conditions = conditions
      self.schemaVersion = schemaVersion
      self.generation = generation
      explanation = maintenance.explanation
      isMaintained = maintenance.isMaintained
      readsSnapshots = maintenance.plan?.readsSnapshots == true
    }
  }

  /// The tables and rows to watch for one query with its values.
  struct Watched: Sendable {
    var tables: [QualifiedTableName: Subscription.Interest]
    /// The indexes that are missing. If they existed, the watch could ignore more of the changed
    /// rows.
    var missingIndexes: [SuggestedIndex] = []
  }

  /// Finds out what the query reads, and how its result can be kept up to date. If the query does
  /// not compile, returns SQLite's error. Queries with the same SQL share a template, so only the
  /// first of these queries needs to read from the database.
  ///
  /// - Parameters:
  ///   - past: a version of the schema that is known to be out of date.
  ///   - isNew: whether to find out everything again, even if the template already has a
  ///     preparation.
  func prepare(
    after past: Int32? = nil, isNew: Bool = false
  ) async throws -> Result<(Preparation, Watched), DatabaseError> {
    let (source, watch) = (source, watch)
    let generation = watch.generation
    let known: @Sendable () -> (Preparation, Watched)? = {
      guard !isNew,
        let known = source.template.preparation(generation: generation, after: past),
        let watched = try? Self.watched(known, source.values, in: watch, on: nil)
      else { return nil }
      return (known, watched)
    }
    if let known = known() { return .success(known) }
    return try await watch.reading(hops: false, isFirst: result == nil) { core in
      // Another query of the template may have been prepared during the wait for the connection.
      if let known = known() { return .success(known) }
      try core.run(cached: "BEGIN DEFERRED")
      try core.lend().refreshSchema()
      let version = try core.schemaVersion()
      let texts = try source.template.texts()
      var dependencies: Set<ColumnDependency> = []
      do {
        for text in texts { dependencies.formUnion(try core.dependencies(of: text)) }
      } catch let error as DatabaseError where error.code.primary == .error {
        try core.run(cached: "ROLLBACK")
        return .failure(error)
      }
      let connection = core.lend()
      let maintenance = try Self.maintenance(
        of: source.template, in: watch,
        PlanningContext(
          dependencies: dependencies, connection: connection, isPrivate: watch.isPrivate,
          reserve: watch.database.configuration.liveReserve,
          // A part is a row that a plan holds in addition to the rows of the result. A part takes
          // about 256 bytes, and all parts of one query may take an eighth of `maximumHeldBytes`.
          maximumParts: watch.maximumHeldBytes / 2_048))
      let preparation = Preparation(
        maintenance, interests: try connection.interests(of: dependencies),
        conditions: try source.template.shape.map { QueryConditions(of: try $0()) },
        schemaVersion: version, generation: generation)
      let watched = try Self.watched(preparation, source.values, in: watch, on: connection)
      try core.run(cached: "COMMIT")
      if maintenance.isLasting { source.template.keep(preparation) }
      return .success((preparation, watched))
    }
  }

  /// Returns the tables and rows to watch for a query with the given values.
  ///
  /// - Parameter connection: a connection for reading facts that are not known yet. If it is nil
  ///   and such a fact is needed, the method throws.
  private static func watched(
    _ preparation: Preparation, _ values: [DatabaseValue], in watch: TableWatch,
    on connection: Connection?
  ) throws -> Watched {
    var watched = Watched(tables: preparation.interests)
    if preparation.maintenance.isMaintained {
      preparation.maintenance.plan?.narrow(&watched.tables, values)
    }
    watched.missingIndexes = try watch.narrow(
      &watched.tables, by: preparation.conditions, values: values,
      schemaVersion: preparation.schemaVersion, on: connection)
    return watched
  }

  private static func maintenance(
    of template: LiveTemplate<Row>, in watch: TableWatch, _ context: PlanningContext
  ) throws -> Maintenance {
    do {
      guard watch.database.hasBuiltInCollations else {
        throw RerunReason("one of SQLite's own collations was replaced")
      }
      return Maintenance(plan: try template.plan(context), reason: watch.rowlessReason)
    } catch let reason as RerunReason {
      return Maintenance(plan: nil, reason: reason)
    }
  }
}

#if canImport(SwiftUI)
  import Apus
  import SwiftUI

  /// A query, a row or a closure that a `Live` property follows.
  struct LiveRequest<Value> {
    /// The value by which requests are compared: requests with equal identities have the same
    /// result.
    let identity: AnyHashable
    /// Begins to follow the request in a database. If a closure is given, it is called to apply
    /// each change after the first result.
    let begin: @MainActor (Database, (@Sendable (() -> Void) -> Void)?) -> any LiveObject<Value>
  }

  extension LiveRequest {
    @MainActor
    init<Query: Fetchable>(_ query: Query) where Value == Results<Query.Row> {
      // If the query cannot be written as SQL, its type is the identity. The error is reported when
      // the query is followed.
      identity = (try? query.sql).map(AnyHashable.init) ?? AnyHashable(ObjectIdentifier(Query.self))
      begin = { LiveQuery(query, in: $0, applying: $1) }
    }

    @MainActor
    init(sql: SQL) where Value == Results<Row> {
      identity = sql
      begin = { LiveQuery(sql: sql, in: $0, applying: $1) }
    }

    @MainActor
    init<M: Model>(_ type: M.Type, _ id: M.ID) where Value == M? {
      identity = id
      begin = { LiveModel(type, id, in: $0, applying: $1) }
    }

    @MainActor
    init(
      id: some Hashable & Sendable, _ read: @escaping @Sendable (Connection) throws -> Value
    ) where Value: Equatable & Sendable {
      identity = id
      begin = { LiveValue(in: $0, applying: $1, read) }
    }
  }

  /// An object that follows a request: a `LiveQuery`, a `LiveModel` or a `LiveValue`.
  protocol LiveObject<Shown>: AnyObject {
    associatedtype Shown
    /// The result that the property shows; nil before the first result is loaded.
    var shown: Shown? { get }
    var phase: LivePhase { get }
    func refresh() async
  }

  extension LiveQuery: LiveObject {
    var shown: Results<Row>? { rows }
  }

  extension LiveModel: LiveObject {
    var shown: M?? { .some(model) }
  }

  extension LiveValue: LiveObject {
    var shown: Value? { value }
  }
#endif

#if canImport(SwiftUI)
  import Apus
  import SwiftUI

  /// A property of a view that shows the result of a query, and follows its changes.
  ///
  /// ```swift
  /// struct PostList: View {
  ///   @Live(Post.where { $0.$status == .published }, animation: .default) var posts
  ///
  ///   var body: some View {
  ///     List(posts) { post in Text(post.title) }
  ///       .refreshable { await $posts.refresh() }
  ///   }
  /// }
  /// ```
  ///
  /// The property uses the database of the environment, which a view sets:
  /// `ContentView().database(db)`. `$posts` has the phase, the error and `refresh()`.
  ///
  /// If the view is made again with another query, the property follows the new query. Two queries
  /// are equal if their SQL and its values are equal. Until the new result is loaded, the property
  /// keeps the last result. When the view disappears, the property stops following the query. On
  /// systems without SwiftUI, a check compiles this file with a stand-in for SwiftUI that has the
  /// same declarations, and tests the property: see `Integrations/Package.swift`.
  @MainActor
  @propertyWrapper
  public struct Live<Value>: DynamicProperty {
    @Environment(\.database) private var database
    @State private var store = LiveStore<Value>()
    private let request: LiveRequest<Value>
    private let initialValue: Value
    private let animation: Animation?

    init(_ request: LiveRequest<Value>, initially value: Value, _ animation: Animation?) {
      self.request = request
      initialValue = value
      self.animation = animation
    }

    /// The last result. Before the first result is loaded, this is an empty result, nil, or the
    /// value that was assigned.
    public var wrappedValue: Value { store.value ?? initialValue }

    /// The state of the property, with methods to refresh the result or to follow another query.
    public var projectedValue: LiveState<Value> { LiveState(store: store) }

    /// Follows the query in the database of the environment, if the query or the database has
    /// changed. SwiftUI calls this method before it reads the body of the view.
    public nonisolated func update() {
      MainActor.assumeIsolated { store.follow(request, in: database, animation) }
    }
  }

  extension Live {
    /// Follows the rows of a query.
    ///
    /// - Parameter animation: The animation of the changes after the first result; nil for none.
    ///   Rows that have an `id` are inserted, moved and removed one by one.
    public init<Query: Fetchable>(_ query: Query, animation: Animation? = nil)
    where Value == Results<Query.Row> {
      self.init(LiveRequest(query), initially: Results(), animation)
    }

    /// Follows the rows of a raw SELECT.
    ///
    /// ```swift
    /// @Live(sql: "SELECT status, count(*) AS posts FROM Post GROUP BY status") var counts
    /// ```
    public init(sql: SQL, animation: Animation? = nil) where Value == Results<Row> {
      self.init(LiveRequest(sql: sql), initially: Results(), animation)
    }

    /// Follows the row with the given key. The value is nil after the row was deleted.
    ///
    /// ```swift
    /// init(id: Post.ID) { _post = Live(Post.self, id) }
    /// @Live var post: Post?
    /// ```
    public init<M: Model>(_ type: M.Type, _ id: M.ID, animation: Animation? = nil)
    where Value == M? {
      self.init(LiveRequest(type, id), initially: nil, animation)
    }

    /// Follows the value that a closure reads from one snapshot.
    ///
    /// ```swift
    /// @Live({ try $0.count(Post.all) }) var count = 0
    /// ```
    ///
    /// Closures cannot be compared. So if the closure captures other values than before, you must
    /// also pass another `id`.
    public init(
      wrappedValue: Value, id: some Hashable & Sendable = 0, animation: Animation? = nil,
      _ read: @escaping @Sendable (Connection) throws -> Value
    ) where Value: Equatable & Sendable {
      self.init(LiveRequest(id: id, read), initially: wrappedValue, animation)
    }
  }
#endif

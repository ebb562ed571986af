#if canImport(SwiftUI)
  import Apus
  import SwiftUI

  /// The state of a `Live` property: `$posts`.
  @MainActor
  public struct LiveState<Value> {
    let store: LiveStore<Value>

    /// The state of loading. It is `.failed` with `NoDatabase` if the environment has no database.
    public var phase: LivePhase { store.phase }

    /// Whether the result is loaded and kept up to date.
    public var isLoaded: Bool { phase.isLoaded }

    /// The error of the last fetch; nil if it succeeded. After an error, the property keeps the
    /// last result.
    public var error: (any Error)? {
      if case .failed(let error) = phase { error } else { nil }
    }

    /// Fetches the result now, and returns when it is shown.
    public func refresh() async {
      await store.refresh()
    }

    /// Follows another query in place of the declared one. This ends when the view disappears, or
    /// when it is made again with another declared query.
    ///
    /// ```swift
    /// struct PostSearch: View {
    ///   @Live(Post.order(by: \.$title)) var posts
    ///   let text: String
    ///
    ///   var body: some View {
    ///     List(posts) { post in Text(post.title) }
    ///       .onChange(of: text) { _, text in
    ///         $posts.show(Post.where { $0.$title.contains(text) })
    ///       }
    ///   }
    /// }
    /// ```
    public func show<Query: Fetchable>(_ query: Query) where Value == Results<Query.Row> {
      store.show(LiveRequest(query))
    }

    /// Follows another raw SELECT.
    public func show(sql: SQL) where Value == Results<Row> {
      store.show(LiveRequest(sql: sql))
    }

    /// Follows another row.
    public func show<M: Model>(_ type: M.Type, _ id: M.ID) where Value == M? {
      store.show(LiveRequest(type, id))
    }
  }

  /// The error of a `Live` property in a view whose environment has no database.
  public struct NoDatabase: Error, Hashable, CustomStringConvertible {
    /// The remedy.
    public var description: String {
      "the environment has no database: call `.database(db)` on a view that contains this one"
    }
  }
#endif

#if canImport(SwiftUI)
  import Apus
  import SwiftUI

  private struct DatabaseKey: EnvironmentKey {
    static var defaultValue: Database? { nil }
  }

  extension EnvironmentValues {
    /// The database of the views in this environment, which `@Live` follows; nil if none was set.
    ///
    /// ```swift
    /// @Environment(\.database) private var database
    /// // try await database?.update(post)
    /// ```
    public var database: Database? {
      get { self[DatabaseKey.self] }
      set { self[DatabaseKey.self] = newValue }
    }
  }

  extension View {
    /// Sets the database of this view and of the views that it contains.
    ///
    /// ```swift
    /// ContentView().database(db)
    /// ```
    public nonisolated func database(_ database: Database) -> some View {
      environment(\.database, database)
    }
  }
#endif

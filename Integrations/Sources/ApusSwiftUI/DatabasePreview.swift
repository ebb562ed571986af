#if canImport(SwiftUI)
  import Apus
  import SwiftUI

  /// A view with a database in memory, for previews.
  ///
  /// ```swift
  /// DatabasePreview([Post.self]) { tx in
  ///   try tx.insert(post)
  /// } content: {
  ///   ContentView()
  /// }
  /// ```
  /// In Xcode, write this code in `#Preview { }`.
  ///
  /// If the database cannot be filled, the error is shown in place of the content.
  public struct DatabasePreview<Content: View>: View {
    @State private var database: Result<Database, any Error>
    private let content: Content

    /// Opens a database in memory with the tables of the models, and fills it in a transaction.
    public init(
      _ models: [any TableModel.Type], _ fill: (Connection) throws -> Void = { _ in },
      @ViewBuilder content: () -> Content
    ) {
      _database = State(
        wrappedValue: Result {
          let database = try Database.inMemory(models: models)
          try database.write { try fill($0) }
          return database
        })
      self.content = content()
    }

    /// The content, with the database in its environment.
    public var body: some View {
      switch database {
      case .success(let database): content.database(database)
      case .failure(let error): Text(String(describing: error))
      }
    }
  }
#endif

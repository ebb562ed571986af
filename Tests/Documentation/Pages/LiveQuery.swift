private struct List {
  init(_ rows: some Sequence, @ViewBuilder _ content: () -> Void) {}
  func refreshable(_ action: @escaping @MainActor () async -> Void) {}
}
@resultBuilder private enum ViewBuilder { static func buildBlock() {} }
@MainActor private var live: LiveQuery<Post> { unavailable() }

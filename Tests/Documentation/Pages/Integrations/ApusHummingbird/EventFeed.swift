private struct UserContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  init(source: Source) { coreContext = .init(source: source) }
  let user = User(name: "Jane", email: "jane@example.org")
}
nonisolated(unsafe) private let router = Router(context: UserContext.self)
private let counts = [1]
private func board() async throws -> [Int] { [] }

/// The places of the servers that run at once. Each server keeps some 20 files open, and a process may
/// open only 1,024 on many systems.
actor TestPlaces {
  static let shared = TestPlaces()
  static let count = 8

  private var free = count
  private var waiters: [CheckedContinuation<Void, Never>] = []

  /// Waits for a free place, and keeps it until the body ends.
  nonisolated func run(_ body: () async throws -> Void) async throws {
    await take()
    do {
      try await body()
    } catch {
      await give()
      throw error
    }
    await give()
  }

  private func take() async {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { waiters.append($0) }
    }
  }

  private func give() {
    if waiters.isEmpty { free += 1 } else { waiters.removeFirst().resume() }
  }
}

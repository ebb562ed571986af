/// The use of a damaged file by an unsuspecting program. Each call must return or throw a typed
/// error.
enum DamagedUse {
  static func use(_ damaged: Folder, _ tally: inout Tally) async throws {
    let folder = try Folder(isWatched: false)
    try folder.copy(Scenario.file, from: damaged)
    let steps = StepLimit()
    let db: OnTrial.Database
    do {
      db = try OnTrial.openWithModels(folder.file(Scenario.file), limit: steps)
    } catch {
      return try require(
        OnTrial.isTyped(error), "opening with models threw \(type(of: error)): \(error)",
        kind: "an undocumented error")
    }
    for call in OnTrial.uses(in: folder) {
      steps.begin()
      do {
        try await call(db)
        tally.count("calls that returned")
      } catch {
        try require(
          OnTrial.isTyped(error), "a call threw \(type(of: error)): \(error)",
          kind: "an undocumented error")
        tally.count("calls that threw")
      }
    }
    try? OnTrial.close(db)
  }
}

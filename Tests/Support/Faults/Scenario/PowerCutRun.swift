import Apus
import CFaults
import Foundation

/// A run of a scenario on a disk that is copied at many moments, each time as a power cut may leave
/// it.
struct PowerCutRun {
  let reference: Reference
  let synchronous: Configuration.Synchronous
  /// Returns the steps that the file may contain after a cut, from the numbers of the last step
  /// that was acknowledged and the last one that had begun.
  let mayHold: (_ acknowledged: Int, _ begun: Int) -> ClosedRange<Int>

  static let seedsPerMoment = 3

  /// Runs the scenario once, with cuts at `moments` random moments, and checks each disk.
  /// - Returns: a description of each failed check.
  func run(
    moments: Int, seed: UInt64, random: inout SeededGenerator, _ tally: inout Tally
  ) async throws -> [String] {
    let operations = try await countOperations()
    let images = try Folder(isWatched: false)
    disk_begin()
    var cuts: [(folder: String, label: String)] = []
    for _ in 0..<moments {
      let operation = Int.random(in: 1...operations, using: &random)
      for _ in 0..<Self.seedsPerMoment {
        let folder = images.file("\(cuts.count)")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        guard disk_cut_at(operation, random.next(), folder) != 0 else { continue }
        cuts.append((folder, "\(synchronous) operation \(operation) cut \(cuts.count)"))
      }
    }
    try await runSteps()
    disk_end()
    var findings: [String] = []
    for (number, cut) in cuts.enumerated() {
      let (acknowledged, begun) = (
        disk_acknowledged_at(Int32(number)), disk_begun_at(Int32(number))
      )
      if acknowledged < 0 {
        tally.count("not met")
        continue
      }
      tally.count("cuts")
      do {
        try check(cut.folder, acknowledged: acknowledged, begun: begun)
      } catch {
        findings.append("\(cut.label), step \(acknowledged) of \(begun): \(error)")
      }
      try FileManager.default.removeItem(atPath: cut.folder)
    }
    return findings
  }

  private func countOperations() async throws -> Int {
    disk_begin()
    defer { disk_end() }
    try await runSteps()
    return disk_operation_count()
  }

  private func runSteps() async throws {
    let folder = try Folder()
    try folder.copy(Scenario.file, from: reference.scenario.template)
    let session = Session(folder: folder, configuration: .ofTrials(synchronous: synchronous))
    for (index, step) in reference.scenario.steps.enumerated() {
      disk_begin_step(index + 1)
      try await step.run(session)
      disk_acknowledge(index + 1)
    }
    await session.abandon()
  }

  private func check(_ folder: String, acknowledged: Int, begun: Int) throws {
    let path = folder + "/" + Scenario.file
    // The file is opened as a program would find it.
    let db = try Database(path: path)
    let findings = try db.rows("PRAGMA integrity_check")
    try require(
      try findings.map { try $0.get(String.self, at: 0) } == ["ok"], "damaged: \(findings)")
    try db.close()
    try checkContent(path, mayHold(acknowledged, begun))
    // A copy is complete as soon as it has its name.
    for name in ["backup.sqlite", "vacuumed.sqlite", "new.sqlite"] {
      let copy = folder + "/" + name
      guard FileManager.default.fileExists(atPath: copy) else { continue }
      _ = try Content(of: copy)
    }
  }

  private func checkContent(_ path: String, _ allowed: ClosedRange<Int>) throws {
    let content = try Content(of: path)
    guard !allowed.contains(where: { reference.contents[$0] == content }) else { return }
    let found = reference.contents.lastIndex(of: content)
    throw Violation(
      found.map { "the file ends with step \($0), not in \(allowed)" }
        ?? "the file does not have the contents after any step")
  }
}

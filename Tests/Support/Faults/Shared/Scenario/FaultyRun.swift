import CFaults
import Foundation

/// A run of a scenario during which something fails.
///
/// Each step must either be done completely, or throw a typed error and leave the file as it was.
/// Tried again without the fault, it must be done.
struct FaultyRun {
  let reference: Reference
  /// Makes something fail from now on; the two others return the number of failures, and end the
  /// fault.
  let arm: () -> Void
  let failures: () -> Int
  let disarm: () -> Void
  var configuration = Reference.configuration

  func run(_ label: String, _ tally: inout Tally) async throws {
    let folder = try Folder()
    try folder.copy(Scenario.file, from: reference.scenario.template)
    let session = Session(folder: folder, configuration: configuration)
    do {
      try await runSteps(session, &tally)
    } catch {
      disarm()
      tally.fail(label, error)
    }
    await session.abandon()
  }

  private func runSteps(_ session: Session, _ tally: inout Tally) async throws {
    arm()
    var wasMet = false
    for (index, step) in reference.scenario.steps.enumerated() {
      let before = failures()
      do {
        try await step.run(session)
        if failures() > before { wasMet = true }
      } catch let violation as Violation {
        throw violation
      } catch {
        let met = failures() - before
        disarm()
        wasMet = wasMet || met > 0
        try require(
          met > 0, "\(step.name) threw, although nothing had failed: \(error)",
          kind: "an error without a fault")
        try require(
          OnTrial.isTyped(error), "\(step.name) threw \(type(of: error)): \(error)",
          kind: "an undocumented error")
        tally.count("errors")
        try check(session, index, of: step, after: error)
        do {
          try await step.run(session)
        } catch {
          throw Violation(
            "\(step.name) does not work without the fault either: \(error)",
            kind: "a step that fails again without a fault")
        }
      }
    }
    disarm()
    tally.count(wasMet ? "met" : "not met")
    let content = try Content(of: session.path)
    try require(
      content == reference.contents.last, "the file has wrong contents at the end",
      kind: "wrong contents")
    for (name, content) in reference.copies {
      try require(
        try session.copies[name].map { try Content(ofCopy: $0) } == content,
        "the copy \(name) has wrong contents", kind: "a wrong copy")
    }
    for (name, value) in reference.readings {
      try require(
        session.readings[name] == value,
        "\(name) read \(session.readings[name] ?? "nothing"), not \(value)",
        kind: "a wrong result")
    }
  }

  /// Checks that nothing of a step that threw is in the file, and everything before it is.
  private func check(
    _ session: Session, _ index: Int, of step: Scenario.Step, after error: any Error
  ) throws {
    let expected = reference.contents[index]
    do {
      if session.database != nil {
        // The content as this process sees it.
        try require(
          try Content(of: session.path) == expected, "the file does not have its earlier contents")
      } else {
        // The content as the next process would find it. A commit that failed may have reached the
        // disk.
        try require(
          holds([expected, reference.contents[index + 1]], at: session.path),
          "the file has neither its earlier contents nor the new ones")
      }
    } catch let violation {
      throw Violation(
        "after \(step.name) threw \(error): \(violation)", kind: "wrong contents after an error")
    }
  }

  /// Returns whether a copy of the file has one of several contents. A connection that is about to
  /// close may write while the file is copied, so the copy is repeated.
  private func holds(_ contents: [Content], at path: String) -> Bool {
    for _ in 0..<50 {
      if let content = try? Content(ofCopy: path), contents.contains(content) { return true }
      usleep(10_000)
    }
    return false
  }
}

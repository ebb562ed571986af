import CFaults

/// R1: a file operation fails, once or from then on.
enum InputOutputFaults: Trial {
  static let name = "R1"
  static let title = "I/O faults"
  static let unit = "points"
  static let quick = 2_000
  static let full = 50_000
  static let partSize = 250

  static func prepareProcess() throws {
    try require(faults_register(Folder.watched) == 0, "the file layer is not registered")
  }

  static func run(_ numbers: Range<Int>, seed: UInt64, tally: inout Tally) async throws {
    let reference = try await Reference(OnTrial.scenario())
    for number in numbers {
      Progress.show(number)
      var random = SeededGenerator(seed: seed, number: number)
      let fault = Fault.draw(from: reference.operations, using: &random)
      let run = FaultyRun(
        reference: reference, arm: fault.arm, failures: { faults_failed() },
        disarm: { faults_disarm() })
      try await run.run("R1 \(number) seed \(seed): \(fault)", &tally)
      tally.count(unit)
    }
  }

  static func judge(_ tally: Tally) -> [String] {
    let errors = tally.counts["errors", default: 0]
    return errors * 4 < tally.counts[unit, default: 0]
      ? ["only \(errors) faults caused errors"] : []
  }
}

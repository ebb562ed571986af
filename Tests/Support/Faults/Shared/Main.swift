import Foundation

/// The program that tries a library while files, power, memory or processes fail: `Scripts/faults`.
///
///     Faults quick|full [ROW …] [--seed N] [--state FILE] [--page FILE] [--commit TEXT]
///     Faults part ROW FIRST END SEED      one part, in this process; prints its tally as JSON
///     Faults child WHAT PATH NUMBER       a process that a part starts, and perhaps kills
@main
enum Main {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      if arguments.first == "part" {
        try await runPart(arguments)
      } else if arguments.first == "child" {
        try await ChildRun.run(Array(arguments.dropFirst()))
      } else {
        let options = try Options(arguments)
        exit(try await Runner(options).run() ? 0 : 1)
      }
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(64)
    }
  }

  private static func runPart(_ arguments: [String]) async throws {
    guard arguments.count == 5,
      let trial = OnTrial.trials.first(where: { $0.name == arguments[1] }),
      let first = Int(arguments[2]), let end = Int(arguments[3]), let seed = UInt64(arguments[4])
    else { throw Violation("usage: Faults part ROW FIRST END SEED") }
    var tally = Tally()
    do {
      try trial.prepareProcess()
      try await trial.run(first..<end, seed: seed, tally: &tally)
    } catch {
      tally.fail("\(trial.name) \(first)..<\(end) seed \(seed): \(error)")
    }
    FileHandle.standardOutput.write(try JSONEncoder().encode(tally))
  }
}

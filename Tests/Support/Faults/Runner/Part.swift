import Foundation

/// Some numbers of a row, run by a process of their own.
struct Part: Sendable {
  let trial: any Trial.Type
  let numbers: Range<Int>
  let seed: UInt64

  /// What tells it from other parts in a state file.
  var key: String { "\(trial.name) \(numbers.lowerBound) \(numbers.upperBound) \(seed)" }

  static func parts(of trial: any Trial.Type, count: Int, seed: UInt64) -> [Part] {
    stride(from: 0, to: count, by: trial.partSize).map {
      Part(trial: trial, numbers: $0..<min($0 + trial.partSize, count), seed: seed)
    }
  }

  /// Runs it, and waits on this thread.
  func run() -> Tally {
    do {
      let process = Process()
      process.executableURL = URL(filePath: CommandLine.arguments[0])
      process.arguments = [
        "part", trial.name, "\(numbers.lowerBound)", "\(numbers.upperBound)", "\(seed)",
      ]
      let folder = try Folder(isWatched: false)
      // Files rather than pipes: nobody has to read them while it runs.
      for name in ["output", "errors"] {
        _ = FileManager.default.createFile(atPath: folder.file(name), contents: nil)
      }
      process.standardOutput = FileHandle(forWritingAtPath: folder.file("output"))
      process.standardError = FileHandle(forWritingAtPath: folder.file("errors"))
      try process.run()
      let ended = wait(for: process)
      let output = FileManager.default.contents(atPath: folder.file("output")) ?? Data()
      if ended, process.terminationReason == .exit, process.terminationStatus == 0,
        let tally = try? JSONDecoder().decode(Tally.self, from: output)
      {
        return tally
      }
      let errors = FileManager.default.contents(atPath: folder.file("errors")) ?? Data()
      var tally = Tally()
      let reason =
        !ended
        ? "did not end"
        : "ended by \(process.terminationReason == .exit ? "status" : "signal") "
          + "\(process.terminationStatus)"
      tally.fail("\(key): \(reason): …\(String(decoding: errors.suffix(2_000), as: UTF8.self))")
      return tally
    } catch {
      var tally = Tally()
      tally.fail("\(key): cannot be run: \(error)")
      return tally
    }
  }

  /// False where it had to be killed. What is bounded is a part that hangs, not one that is slow.
  private func wait(for process: Process) -> Bool {
    let watchdog = DispatchWorkItem { kill(process.processIdentifier, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(3_600), execute: watchdog)
    process.waitUntilExit()
    defer { watchdog.cancel() }
    return !(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL)
  }
}

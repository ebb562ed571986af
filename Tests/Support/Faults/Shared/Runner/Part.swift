import Foundation

/// Some numbers of a trial, which one process runs.
struct Part: Sendable {
  let trial: any Trial.Type
  let numbers: Range<Int>
  let seed: UInt64

  /// Identifies the part in a state file.
  var key: String { "\(trial.name) \(numbers.lowerBound) \(numbers.upperBound) \(seed)" }

  static func parts(of trial: any Trial.Type, count: Int, seed: UInt64) -> [Part] {
    stride(from: 0, to: count, by: trial.partSize).map {
      Part(trial: trial, numbers: $0..<min($0 + trial.partSize, count), seed: seed)
    }
  }

  private init(of part: Part, _ numbers: Range<Int>) {
    trial = part.trial
    self.numbers = numbers
    seed = part.seed
  }

  init(trial: any Trial.Type, numbers: Range<Int>, seed: UInt64) {
    self.trial = trial
    self.numbers = numbers
    self.seed = seed
  }

  private enum End {
    case tally(Tally)
    /// The process ended in the middle of a number, if that is known.
    case broken(String, at: Int?)
  }

  /// Runs the part, and waits on this thread. A number that ends the process is a failure, and the
  /// other numbers of the part are tried nevertheless.
  func run() -> Tally {
    guard !numbers.isEmpty else { return Tally() }
    switch runOnce() {
    case .tally(let tally): return tally
    case .broken(let reason, let number):
      var tally = Tally()
      if let number, numbers.contains(number) {
        tally.add(Part(of: self, numbers.lowerBound..<number).run())
        tally.fail("\(trial.name) \(number) seed \(seed): \(reason)")
        tally.count("ended the process")
        tally.count(trial.unit)
        tally.add(Part(of: self, number + 1..<numbers.upperBound).run())
      } else {
        tally.fail("\(key): \(reason)")
      }
      return tally
    }
  }

  private func runOnce() -> End {
    do {
      let process = Process()
      process.executableURL = URL(filePath: CommandLine.arguments[0])
      process.arguments = [
        "part", trial.name, "\(numbers.lowerBound)", "\(numbers.upperBound)", "\(seed)",
      ]
      let folder = try Folder(isWatched: false)
      // Files are used rather than pipes, since they need not be read while the process runs.
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
        return .tally(tally)
      }
      let errors = String(
        decoding: FileManager.default.contents(atPath: folder.file("errors")) ?? Data(),
        as: UTF8.self)
      let reason =
        !ended
        ? "the process did not end"
        : "the process ended with \(process.terminationReason == .exit ? "status" : "signal") "
          + "\(process.terminationStatus)"
      return .broken("\(reason): …\(errors.suffix(4_000))", at: Progress.last(in: errors))
    } catch {
      return .broken("the process cannot be run: \(error)", at: nil)
    }
  }

  /// Waits for the process. Returns false if it had to be killed: the limit is for parts that hang,
  /// not for slow ones.
  private func wait(for process: Process) -> Bool {
    let watchdog = DispatchWorkItem { kill(process.processIdentifier, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(3_600), execute: watchdog)
    process.waitUntilExit()
    defer { watchdog.cancel() }
    return !(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL)
  }
}

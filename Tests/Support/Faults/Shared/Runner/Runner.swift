import Foundation
import Synchronization

/// A runner of the parts of all trials, two at a time, that prints the table.
struct Runner {
  let options: Options
  private let state: StateFile

  init(_ options: Options) throws {
    var options = options
    let state = StateFile(
      path: options.state, head: "\(options.commit) \(options.isFull ? "full" : "quick")")
    // A run that was stopped continues with its seed.
    if !options.hasSeed, let seed = state.seed { options.seed = seed }
    self.options = options
    self.state = state
    state.begin(seed: options.seed)
  }

  func run() async throws -> Bool {
    Terminal.say("seed \(options.seed)")
    try Folder.beginRun()
    defer { Folder.endRun() }
    var results: [RowResult] = []
    for trial in options.trials {
      let result = await run(trial)
      results.append(result)
      Terminal.say(result.line)
      for failure in result.tally.failures { Terminal.say("     " + failure) }
    }
    let table = Table(results: results, options: options)
    Terminal.say("\n" + table.text)
    if let page = options.page { try table.write(to: page) }
    let hasPassed = results.allSatisfy(\.hasPassed)
    if hasPassed { state.remove() }
    return hasPassed
  }

  private func run(_ trial: any Trial.Type) async -> RowResult {
    let parts = Part.parts(of: trial, count: options.count(of: trial), seed: options.seed)
    let begin = ContinuousClock.now
    var result = RowResult(trial: trial, count: options.count(of: trial))
    let done = state.done
    var waiting = parts.filter { done[$0.key] == nil }[...]
    for part in parts {
      guard let earlier = done[part.key] else { continue }
      result.tally.add(earlier.tally)
      result.seconds += earlier.seconds
      result.finished += 1
    }
    await withTaskGroup(of: (Part, Tally).self) { group in
      func begin(_ part: Part) {
        group.addTask {
          await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: (part, part.run())) }.start()
          }
        }
      }
      for _ in 0..<trial.partsAtOnce { if let part = waiting.popFirst() { begin(part) } }
      var last = ContinuousClock.now
      while let (part, tally) = await group.next() {
        result.tally.add(tally)
        result.finished += 1
        let now = ContinuousClock.now
        if tally.failures.isEmpty { state.add(part, tally, seconds: (now - last).inSeconds) }
        last = now
        Terminal.show("\(trial.name) \(trial.title): \(result.finished) of \(parts.count) parts")
        if let next = waiting.popFirst() { begin(next) }
      }
    }
    result.seconds += (ContinuousClock.now - begin).inSeconds
    result.tally.failures += trial.judge(result.tally)
    Terminal.show("")
    return result
  }
}

extension Duration {
  fileprivate var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }
}

import Foundation

@main
enum Main {
  /// Runs the workloads in a task, off the main actor.
  @concurrent
  static func main() async {
    do {
      try await run(Options(Array(CommandLine.arguments.dropFirst())))
    } catch let error as Options.Invalid {
      fail(error.message)
    } catch {
      fail("\(error)")
    }
  }

  nonisolated(nonsending)
    private static func run(_ options: Options) async throws
  {
    if options.isMemory { return try ObservationMemory.report() }
    if options.isObservers {
      return try await ManyObservers.report(
        sizes: options.sizes, kinds: options.filters, seconds: options.seconds)
    }
    let workloads = Workload.all.filter(options.wants)
    guard !workloads.isEmpty else {
      let known = Workload.all.map(\.name).joined(separator: ", ")
      throw Options.Invalid(message: "no workload matches; the workloads are \(known)")
    }
    print(Report.header)
    var measurements: [Measurement] = []
    for workload in workloads {
      let measurement = try await workload.measure(rounds: options.rounds, only: options.sides)
      print(Report.line(measurement))
      if let note = Report.note(measurement) { print("     \(note)") }
      // Each line is visible as soon as it is measured, even in a pipe.
      fflush(nil)
      measurements.append(measurement)
    }
    if let path = options.json {
      try Report.json(measurements).write(toFile: path, atomically: true, encoding: .utf8)
    }
    if let path = options.page {
      try PerformancePage(measurements, rounds: options.rounds).write(to: path)
    }
  }

  private static func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(1)
  }
}

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
    if let figures = options.figures { return try publish(Figures(path: figures), options) }
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
      // If the output is a pipe, it is buffered. Flushing makes each line visible as soon as it is
      // measured.
      fflush(nil)
      measurements.append(measurement)
    }
    let figures = Figures(measurements, rounds: options.rounds)
    if let path = options.json { try figures.write(to: path) }
    try publish(figures, options)
  }

  /// Writes the pages, or with `--check` only compares them with the text that would be written.
  private static func publish(_ figures: Figures, _ options: Options) throws {
    guard let pages = options.pages else { return }
    let folder = URL(filePath: pages)
    let root = folder.appending(path: "..").standardizedFileURL
    for (path, text) in try PerformancePages(figures, root: root).files() {
      let file = folder.appending(path: path)
      if try options.isCheck && String(contentsOf: file, encoding: .utf8) != text {
        throw Options.Invalid(
          message: "Documentation/\(path) is not what Benchmarks/Pages and the figures give; "
            + "run `Scripts/bench --pages`")
      }
      if !options.isCheck { try text.write(to: file, atomically: true, encoding: .utf8) }
    }
  }

  private static func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(1)
  }
}

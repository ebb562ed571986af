import Foundation

/// Compiles the Swift of README, Documentation, the articles of DocC and the documentation comments;
/// runs the pages that are programs, and compares what they print with what they show.
///
///     ExampleChecker ROOT BINARIES FOLDER [PAGE …]
@main
struct Main {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count >= 3 else {
      print("usage: ExampleChecker ROOT BINARIES FOLDER [PAGE …]")
      exit(2)
    }
    let paths = Array(arguments)
    var check = Check(
      compiler: Compiler(
        root: URL(filePath: paths[0]), binaries: URL(filePath: paths[1]),
        folder: URL(filePath: paths[2])))
    let failures = try check.run(only: Array(paths.dropFirst(3)))
    for failure in failures { print(failure) }
    print("\(check.summary); \(failures.count) failures")
    exit(failures.isEmpty ? 0 : 1)
  }
}

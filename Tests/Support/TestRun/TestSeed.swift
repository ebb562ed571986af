import Foundation

/// The seed of a test with random input.
public enum TestSeed {
  /// The name of the environment variable that repeats a run.
  public static let variable = "APUS_SEED"

  /// Returns the seed of `APUS_SEED`, or a new one, and prints it.
  public static func draw(fileID: String = #fileID, line: Int = #line) -> UInt64 {
    let seed =
      ProcessInfo.processInfo.environment[variable].flatMap(UInt64.init)
      ?? .random(in: .min ... .max)
    print("\(variable)=\(seed) at \(fileID):\(line)")
    return seed
  }
}

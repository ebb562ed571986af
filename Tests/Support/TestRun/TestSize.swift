import Foundation

/// How much work the tests do that draw lots, storm or run the compiler: `APUS_TEST_SIZE`.
///
/// Such a test states its sizes side by side with `count(small:full:long:)`. Every other test does
/// the same whatever the size.
public enum TestSize: String, Sendable, CaseIterable {
  /// What `Scripts/test` runs, and what runs without the variable: minutes on two slow cores.
  case small
  /// What `.ci/run` runs.
  case full
  /// The full size, except where the sanitizer would take an hour.
  case sanitized
  /// What `Scripts/full` runs: hours.
  case long

  /// The name of the environment variable.
  public static let variable = "APUS_TEST_SIZE"

  /// The size of this run.
  public static let current: TestSize = {
    guard let text = ProcessInfo.processInfo.environment[variable], !text.isEmpty else {
      return .small
    }
    guard let size = TestSize(rawValue: text) else {
      let sizes = allCases.map(\.rawValue).joined(separator: ", ")
      preconditionFailure("\(variable) is \(text) and has to be one of: \(sizes)")
    }
    return size
  }()

  /// Returns the count for the size of this run.
  ///
  /// - Parameters:
  ///   - sanitized: the full count where it is nil.
  ///   - long: the full count where it is nil.
  public static func count(
    small: Int, full: Int, sanitized: Int? = nil, long: Int? = nil
  ) -> Int {
    switch current {
    case .small: small
    case .full: full
    case .sanitized: sanitized ?? full
    case .long: long ?? full
    }
  }

  /// Returns every item at every size but the small one, which takes `small` of them, spread evenly
  /// over the list.
  public static func sample<Item>(_ items: [Item], small: Int) -> [Item] {
    guard current == .small, small < items.count else { return items }
    return (0..<small).map { items[$0 * items.count / small] }
  }
}

import Foundation

/// The amount of work of the tests that use random input, run many tasks at once or run the
/// compiler: `APUS_TEST_SIZE`.
///
/// Such a test gives its sizes side by side with `count(small:full:long:)`. Every other test does
/// the same at every size.
public enum TestSize: String, Sendable, CaseIterable {
  /// The size of `Scripts/test` and `.ci/run`, and of runs without the variable: minutes on two slow
  /// cores.
  case small
  /// The size of the first run of `Scripts/full`: all programs for the compiler, and larger storms.
  case full
  /// The full size, except where the sanitizer would take an hour.
  case sanitized
  /// The size of `Scripts/full`: hours.
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
  ///   - sanitized: the full count if it is nil.
  ///   - long: the full count if it is nil.
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

  /// Returns all items at every size but the small one, at which it returns `small` items, spread
  /// evenly over the list.
  public static func sample<Item>(_ items: [Item], small: Int) -> [Item] {
    guard current == .small, small < items.count else { return items }
    return (0..<small).map { items[$0 * items.count / small] }
  }
}

import CFaults
import Foundation

/// A run of a scenario without faults: the content after each step, and the operations that can
/// fail.
struct Reference: Sendable {
  static let configuration = OnTrial.configuration

  let scenario: Scenario
  /// The content of the file before the first step, and after each step.
  let contents: [Content]
  let readings: [String: String]
  let copies: [String: Content]
  let operations: [(kind: Fault.Kind, count: Int)]
  /// The number of allocations of the steps, if they are counted.
  let allocations: Int

  init(_ scenario: Scenario) async throws {
    let folder = try Folder()
    try folder.copy(Scenario.file, from: scenario.template)
    let session = Session(folder: folder, configuration: Self.configuration)
    faults_arm(0, 0, 0, 0)
    var contents = [try Content(of: session.path)]
    var allocations = 0
    for step in scenario.steps {
      let before = allocator_count()
      try await step.run(session)
      allocations += allocator_count() - before
      contents.append(try Content(ofCopy: session.path))
    }
    self.allocations = allocations
    await session.abandon()
    self.scenario = scenario
    self.contents = contents
    readings = session.readings
    copies = try session.copies.mapValues { try Content(ofCopy: $0) }
    operations = Fault.Kind.allCases.map { ($0, faults_count($0.rawValue)) }.filter { $0.count > 0 }
    try require(Set(contents.map(\.digest)).count > 1, "the scenario changes nothing")
  }
}

/// A file operation that fails.
struct Fault: CustomStringConvertible {
  enum Kind: UInt32, CaseIterable {
    case open = 1
    case read = 2
    case write = 4
    case sync = 8
    case truncate = 16
    case lock = 32
    case sharedMap = 64
    case sharedLock = 128
    case delete = 256
    case access = 512
    case size = 1024
    case rename = 2048
    case link = 4096
    case force = 8192
  }

  let kind: Kind
  let number: Int
  let code: Code
  let isLasting: Bool

  /// The primary result codes of SQLite with which operations fail.
  enum Code: Int32 {
    case busy = 5
    case ioError = 10
    case full = 13
    case cannotOpen = 14
  }

  var description: String {
    "\(kind) \(number) \(isLasting ? "and all later ones" : "once"): \(code)"
  }

  /// Returns a random one of the operations that a run without faults made.
  static func draw(
    from operations: [(kind: Kind, count: Int)], using random: inout SeededGenerator
  ) -> Fault {
    let (kind, count) = operations[Int.random(in: operations.indices, using: &random)]
    let codes: [Code] =
      switch kind {
      case .write: [.ioError, .full]
      case .lock, .sharedLock: [.ioError, .busy]
      case .open: [.cannotOpen]
      default: [.ioError]
      }
    return Fault(
      kind: kind, number: Int.random(in: 1...count, using: &random),
      code: codes[Int.random(in: codes.indices, using: &random)],
      isLasting: Bool.random(using: &random))
  }

  func arm() { faults_arm(kind.rawValue, number, code.rawValue, isLasting ? 1 : 0) }
}

import Foundation

/// Intact files to be damaged: one without a log, and one with commits in its log.
struct Originals {
  private let alone: Folder
  private let logged: Folder

  init() throws {
    alone = try Folder(isWatched: false)
    logged = try Folder(isWatched: false)
    let path = alone.file(Scenario.file)
    try Samples.makeTemplate(at: path)
    try OnTrial.makeOriginal(at: path) { try logged.copy(Scenario.file, from: alone) }
  }

  func copy(to folder: Folder, withLog: Bool) throws {
    try folder.copy(Scenario.file, from: withLog ? logged : alone)
  }
}

/// A damage that is done to a file.
struct Damage: CustomStringConvertible {
  let description: String

  static func draw(
    for folder: Folder, using random: inout SeededGenerator
  ) throws -> Damage {
    let names = folder.files.filter { !$0.hasSuffix("-shm") }.sorted()
    let name = names[Int.random(in: names.indices, using: &random)]
    let path = folder.file(name)
    guard var bytes = FileManager.default.contents(atPath: path), bytes.count > 2_048 else {
      throw Violation("\(name) is too short to be damaged")
    }
    let what: String
    switch Int.random(in: 0..<10, using: &random) {
    case 0:
      bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
      what = "ends after \(bytes.count) bytes"
    case 1:
      let page = Int.random(in: 0..<bytes.count / 1_024, using: &random) * 1_024
      bytes.replaceSubrange(page..<page + 1_024, with: Data(count: 1_024))
      what = "zeros from \(page) on"
    case 2:
      let (from, to) = (
        Int.random(in: 0..<bytes.count / 1_024, using: &random) * 1_024,
        Int.random(in: 0..<bytes.count / 1_024, using: &random) * 1_024
      )
      bytes.replaceSubrange(to..<to + 1_024, with: Data(bytes[from..<from + 1_024]))
      what = "the page at \(from) is repeated at \(to)"
    case 3, 4, 5:
      what = flip(in: 0..<100, of: &bytes, using: &random)
    case 6, 7:
      // The headers of pages, which contain most of what can be wrong.
      let page = Int.random(in: 0..<bytes.count / 1_024, using: &random) * 1_024
      what = flip(in: page..<page + 40, of: &bytes, using: &random)
    default:
      what = flip(in: 0..<bytes.count, of: &bytes, using: &random)
    }
    try bytes.write(to: URL(filePath: path))
    return Damage(description: "\(name): \(what)")
  }

  private static func flip(
    in range: Range<Int>, of bytes: inout Data, using random: inout SeededGenerator
  ) -> String {
    let places = (0..<Int.random(in: 1...6, using: &random)).map { _ in
      (Int.random(in: range, using: &random), UInt8.random(in: 0..<8, using: &random))
    }
    for (place, bit) in places { bytes[place] ^= 1 << bit }
    return "bits " + places.map { "\($0).\($1)" }.joined(separator: ", ")
  }
}

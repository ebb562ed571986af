import Foundation

/// The order of the pages that mention a symbol: pages that teach come first. DocC sorts them by name,
/// and shows only the first few.
struct Mentions {
  private let order: [String: Int]

  /// - Parameter page: the first page of the site, in DocC's format. Its groups have the order.
  init(page: URL) throws {
    struct Page: Decodable {
      struct Group: Decodable { let identifiers: [String] }
      let topicSections: [Group]
    }
    let groups = try JSONDecoder().decode(Page.self, from: Data(contentsOf: page)).topicSections
    let pages = groups.flatMap(\.identifiers).enumerated().map { ($0.element, $0.offset) }
    order = Dictionary(pages) { first, _ in first }
  }

  /// Sorts the mentions in the file of a symbol, which has them as `"mentions":["…","…"]`.
  func sort(in file: URL) throws {
    let text = try String(contentsOf: file, encoding: .utf8)
    guard let start = text.firstRange(of: "\"mentions\":["),
      let end = text[start.upperBound...].firstIndex(of: "]")
    else { return }
    let pages = text[start.upperBound..<end].split(separator: ",").map(String.init)
    let sorted = pages.enumerated().sorted { left, right in
      (rank(left.element), left.offset) < (rank(right.element), right.offset)
    }
    let list = sorted.map(\.element).joined(separator: ",")
    try text.replacingCharacters(in: start.upperBound..<end, with: list).write(
      to: file, atomically: true, encoding: .utf8)
  }

  private func rank(_ page: String) -> Int {
    let name = page.filter { $0 != "\"" && $0 != "\\" }
    // What comes from another library, and what stands behind the library, teaches least.
    let isLast = name.contains("/ComingFrom") || name.hasSuffix("/Architecture")
    return (order[name] ?? order.count) + (isLast ? 2 * order.count : 0)
  }
}

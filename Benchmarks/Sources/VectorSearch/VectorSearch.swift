import Apus
import Foundation

/// A program that measures searches by a vector index. It prints which share of the exact result
/// they find, and how their time compares with that of exact searches.
@main
enum VectorSearch {
  struct Document: Model {
    @PrimaryKey var id: Int
    @Column var title: String
    @Column var kind: Int
    @Column var embedding: [Float]

    static var schema: Schema<Document> { VectorIndex(\.$embedding, metric: .cosine) }
  }

  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst().map { $0 }
    guard let library = arguments.first else {
      print("usage: VectorSearch LIBRARY [ROWS [DIMENSIONS]]")
      exit(2)
    }
    let count = arguments.dropFirst().first.flatMap(Int.init) ?? 100_000
    let dimensions = arguments.dropFirst(2).first.flatMap(Int.init) ?? 384
    let folder = FileManager.default.temporaryDirectory.appending(path: "vectors-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var configuration = Configuration()
    configuration.extensions = [SQLiteExtension(path: library)]
    let db = try Database(
      path: folder.appending(path: "vectors.sqlite").path, models: [Document.self],
      configuration: configuration)

    var topics = Topics(dimensions: dimensions, count: max(count / 100, 8))
    let clock = ContinuousClock()
    let inserting = try clock.measure {
      for start in stride(from: 0, to: count, by: 5_000) {
        try db.insert(
          (start..<min(start + 5_000, count)).map {
            Document(id: $0, title: "document \($0)", kind: $0 % 100, embedding: topics.vector())
          })
      }
    }
    let rebuilding = try clock.measure { try db.rebuildVectorIndex(of: Document.self) }
    print(
      "\(count) vectors of \(dimensions) dimensions; inserted in \(inserting.seconds) s, ",
      terminator: "")
    print("placed in \(rebuilding.seconds) s")

    let queries = (0..<40).map { _ in topics.vector() }
    for (title, kinds) in [
      ("all rows", 100), ("half of the rows", 50), ("a tenth", 10), ("1 %", 1),
    ] {
      try measure(title, kinds, queries, in: db)
    }
  }

  private static func measure(
    _ title: String, _ kinds: Int, _ queries: [[Float]], in db: Database
  ) throws {
    let shares = [1, 0.02, 0.05, 0.1, 0.2, 0.4]
    var times = [Double](repeating: 0, count: shares.count)
    var found = [Int](repeating: 0, count: shares.count)
    for vector in queries {
      var exact: Set<Int> = []
      for (index, share) in shares.enumerated() {
        var query = Document.nearest(
          to: vector, by: \.$embedding, metric: .cosine, limit: 10, examining: share)
        if kinds < 100 { query = query.where { $0.$kind < kinds } }
        var hits: [(Document, Double)] = []
        times[index] += try ContinuousClock().measure { hits = try db.fetch(query) }.seconds
        if share == 1 { exact = Set(hits.map(\.0.id)) }
        found[index] += exact.intersection(hits.map(\.0.id)).count
      }
    }
    print(
      "\n\(title)\n\n| examining | recall@10 | ms | exact time divided by it |\n|--:|--:|--:|--:|")
    for (index, share) in shares.enumerated() {
      let number = Double(queries.count)
      print(
        String(
          format: "| %@ | %.3f | %.1f | %.1f |", share == 1 ? "all (exact)" : "\(share)",
          Double(found[index]) / (number * 10), times[index] / number * 1_000,
          times[0] / times[index]))
    }
  }
}

/// A source of vectors that are distributed like embeddings. All vectors have a common part. They
/// form topics of very different sizes, and the topics form larger groups. Within a topic, the
/// vectors spread in few directions.
private struct Topics {
  private let dimensions: Int
  private var centers: [[Float]] = []
  private var bases: [[[Float]]] = []
  private var sums: [Double] = []
  private var random = SplitMix(state: 7)

  init(dimensions: Int, count: Int) {
    self.dimensions = dimensions
    let scale = (1...dimensions).map { Float(1 / Double($0).squareRoot()) }
    let common = (0..<dimensions).map { _ in random.normal() * 0.6 }
    func sum(_ left: [Float], _ factor: Float, _ random: inout SplitMix) -> [Float] {
      zip(left, scale).map { $0 + random.normal() * $1 * factor }
    }
    let groups = (0..<max(Int(Double(count).squareRoot()), 4)).map { _ in sum(common, 3, &random) }
    var total = 0.0
    for index in 0..<count {
      centers.append(sum(groups[Int(random.next() % UInt64(groups.count))], 2, &random))
      total += pow(Double(index + 1), -0.7)
      sums.append(total)
    }
    for _ in 0..<8 {
      bases.append((0..<32).map { _ in scale.map { $0 * random.normal() * 0.9 } })
    }
  }

  mutating func vector() -> [Float] {
    let place = Double(random.next() >> 11) / 0x1p53 * (sums.last ?? 1)
    let topic = min(sums.partitioningIndex { $0 >= place }, centers.count - 1)
    var vector = centers[topic].map { $0 + random.normal() * 0.1 }
    for direction in bases[topic % 8] {
      let factor = random.normal()
      for index in 0..<dimensions { vector[index] += direction[index] * factor }
    }
    let length = vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
    return vector.map { $0 / length }
  }
}

extension [Double] {
  /// Returns the index of the first element for which the condition holds; `count` if there is
  /// none. If the condition holds for an element, it must also hold for all later elements.
  fileprivate func partitioningIndex(_ condition: (Double) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if condition(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension Duration {
  fileprivate var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}

private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }

  mutating func normal() -> Float {
    let first = Double(next() >> 11) / 0x1p53 + .leastNonzeroMagnitude
    let second = Double(next() >> 11) / 0x1p53
    return Float((-2 * log(first)).squareRoot() * cos(2 * .pi * second))
  }
}

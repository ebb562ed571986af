import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The cells into which an index divides vectors. The value has the centroids of the cells, and
/// finds the centroid that is nearest to a vector.
///
/// The centroids come from k-means in two levels: a sample is divided into a few groups, and each
/// group into cells. Vectors are compared in the form that `coded(_:by:)` returns.
struct VectorCells: Sendable {
  /// Vectors with fewer dimensions are not compared by their codes.
  static let fewestCodedDimensions = 64

  let metric: VectorMetric
  let dimensions: Int
  /// The mean of the sample from which the cells were learnt. This mean is subtracted from a vector
  /// before the vector's code is made.
  let mean: [Float]
  private let centroids: Points
  /// The centers of the groups of centroids. A vector is compared only with the centroids of the
  /// four nearest groups.
  private let groups: Points
  private let members: [[Int]]

  var count: Int { centroids.count }

  /// Learns the cells from a sample of vectors. Only vectors with the most frequent number of
  /// dimensions are used. Returns nil if the sample is empty.
  ///
  /// - Parameter step: a closure that is called in each round of k-means. If the closure throws an
  ///   error, the learning ends.
  init?(
    learning count: Int, from sample: [[Float]], by metric: VectorMetric, _ step: () throws -> Void
  ) throws {
    var frequencies: [Int: Int] = [:]
    for vector in sample where !vector.isEmpty { frequencies[vector.count, default: 0] += 1 }
    guard let dimensions = frequencies.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key
    else { return nil }
    var points = Points(width: (dimensions + 7) / 8 * 8)
    for vector in sample where vector.count == dimensions {
      points.append(Self.coded(vector, by: metric))
    }
    let isNormal = metric == .cosine
    let groups = try points.centers(
      Int(Double(count).squareRoot()), of: Array(0..<points.count), isNormal: isNormal, step)
    var members = [[Int]](repeating: [], count: groups.count)
    for index in 0..<points.count { members[groups.nearest(to: points[index])].append(index) }
    var centroids = Points(width: points.width)
    for group in members where !group.isEmpty {
      let share = count * group.count / max(points.count, 1)
      centroids.append(
        try points.centers(max(share, 1), of: group, isNormal: isNormal, step).numbers[...])
    }
    try self.init(
      centroids, dimensions: dimensions, mean: points.mean(of: Array(0..<points.count)),
      metric: metric)
  }

  /// Creates cells from centroids that were learnt before.
  init(
    centroids vectors: [[Float]], mean: [Float], dimensions: Int, metric: VectorMetric
  ) throws {
    var centroids = Points(width: (dimensions + 7) / 8 * 8)
    for vector in vectors { centroids.append(Self.padded(vector)) }
    try self.init(centroids, dimensions: dimensions, mean: mean, metric: metric)
  }

  private init(
    _ centroids: Points, dimensions: Int, mean: [Float], metric: VectorMetric
  ) throws {
    self.metric = metric
    self.dimensions = dimensions
    self.mean = mean
    self.centroids = centroids
    groups = try centroids.centers(
      Int(Double(centroids.count).squareRoot()), of: Array(0..<centroids.count), isNormal: false,
      {})
    var members = [[Int]](repeating: [], count: groups.count)
    for index in 0..<centroids.count { members[groups.nearest(to: centroids[index])].append(index) }
    self.members = members
  }

  /// Returns the centroid of a cell, with the same number of dimensions as the vectors of the
  /// table.
  func centroid(_ index: Int) -> [Float] { Array(centroids[index].prefix(dimensions)) }

  /// Returns the nearest cell and the code of a vector; nil if the vector has another number of
  /// dimensions.
  func place(of vector: [Float]) -> (cell: Int, code: Data)? {
    guard vector.count == dimensions else { return nil }
    let coded = Self.coded(vector, by: metric)
    var best = (cell: 0, similarity: -Float.infinity)
    for group in groups.nearest(4, to: coded[...]) {
      for cell in members[group] {
        let similarity = centroids.similarity(cell, to: coded[...])
        if similarity > best.similarity { best = (cell, similarity) }
      }
    }
    return (best.cell, Self.code(of: coded, around: mean))
  }

  /// Returns the code of a vector, with one bit for each dimension. A bit is set if the vector is
  /// greater than the mean in this dimension, as in `vec_quantize_binary(vec_sub(vector, mean))`.
  static func code(of coded: [Float], around mean: [Float]) -> Data {
    var bytes = [UInt8](repeating: 0, count: coded.count / 8)
    for (index, pair) in zip(coded, mean).enumerated() where pair.0 - pair.1 > 0 {
      bytes[index / 8] |= 1 << UInt8(index % 8)
    }
    return Data(bytes)
  }

  /// Returns the vector in the form in which vectors are compared. It is padded with zeros to a
  /// multiple of 8 dimensions. With the metric `.cosine`, its length is 1, because only the
  /// direction counts.
  static func coded(_ vector: [Float], by metric: VectorMetric) -> [Float] {
    guard metric == .cosine else { return padded(vector) }
    let length = vector.reduce(0 as Double) { $0 + Double($1) * Double($1) }.squareRoot()
    return padded(length > 0 ? vector.map { Float(Double($0) / length) } : vector)
  }

  private static func padded(_ vector: [Float]) -> [Float] {
    vector + [Float](repeating: 0, count: (8 - vector.count % 8) % 8)
  }
}

extension VectorCells {
  /// A list of points that have the same number of dimensions.
  private struct Points: Sendable {
    /// The number of dimensions, which is a multiple of 8.
    let width: Int
    private(set) var numbers: [Float] = []
    /// For each point, half the square of its length.
    private var halfSquares: [Float] = []

    init(width: Int) {
      self.width = width
    }

    var count: Int { halfSquares.count }

    subscript(index: Int) -> ArraySlice<Float> { numbers[index * width..<(index + 1) * width] }

    /// Appends one or more points.
    mutating func append(_ points: some Collection<Float>) {
      let start = count
      numbers += points
      for index in start..<numbers.count / max(width, 1) {
        halfSquares.append(Self.product(self[index], self[index]) / 2)
      }
    }

    /// Returns the similarity of a vector and a point: a greater number means a smaller distance.
    func similarity(_ index: Int, to vector: ArraySlice<Float>) -> Float {
      Self.product(self[index], vector) - halfSquares[index]
    }

    func nearest(to vector: ArraySlice<Float>) -> Int {
      var best = (index: 0, similarity: -Float.infinity)
      for index in 0..<count {
        let similarity = similarity(index, to: vector)
        if similarity > best.similarity { best = (index, similarity) }
      }
      return best.index
    }

    /// Returns the indices of the nearest points.
    func nearest(_ number: Int, to vector: ArraySlice<Float>) -> [Int] {
      guard count > number else { return Array(0..<count) }
      var best: [(index: Int, similarity: Float)] = []
      for index in 0..<count {
        let similarity = similarity(index, to: vector)
        if best.count == number, similarity <= best[number - 1].similarity { continue }
        let place = best.firstIndex { $0.similarity < similarity } ?? best.count
        best.insert((index, similarity), at: place)
        if best.count > number { best.removeLast() }
      }
      return best.map(\.index)
    }

    func mean(of members: [Int]) -> [Float] {
      var sums = [Float](repeating: 0, count: width)
      for member in members {
        let start = member * width
        for offset in 0..<width { sums[offset] += numbers[start + offset] }
      }
      return sums.map { $0 / Float(max(members.count, 1)) }
    }

    /// Divides some of the points into groups by k-means, and returns the center of each group.
    func centers(
      _ number: Int, of members: [Int], isNormal: Bool, _ step: () throws -> Void
    ) throws -> Points {
      var centers = Points(width: width)
      for member in members.shuffled().prefix(max(number, 1)) { centers.append(self[member]) }
      guard centers.count > 1 else { return centers }
      for _ in 0..<8 {
        try step()
        var cells = [[Int]](repeating: [], count: centers.count)
        for member in members { cells[centers.nearest(to: self[member])].append(member) }
        var moved = Points(width: width)
        for cell in cells {
          // A center without points moves to a random point.
          let center =
            cell.isEmpty ? Array(self[members.randomElement() ?? 0]) : mean(of: cell)
          moved.append(isNormal ? VectorCells.coded(center, by: .cosine) : center)
        }
        centers = moved
      }
      return centers
    }

    /// Returns the scalar product. Multiplies eight numbers at a time. With one number at a time,
    /// learning would take several times as long.
    private static func product(_ left: ArraySlice<Float>, _ right: ArraySlice<Float>) -> Float {
      left.withUnsafeBufferPointer { left in
        right.withUnsafeBufferPointer { right in
          let count = min(left.count, right.count) / 8
          // The pointers are valid inside the closures, and both have at least `count` groups of
          // eight numbers.
          let (left, right) = (UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
          var sum = SIMD8<Float>()
          for index in 0..<count {
            sum +=
              left.loadUnaligned(fromByteOffset: index * 32, as: SIMD8<Float>.self)
              * right.loadUnaligned(fromByteOffset: index * 32, as: SIMD8<Float>.self)
          }
          return sum.sum()
        }
      }
    }
  }
}

extension RandomAccessCollection {
  /// Returns the first index whose element belongs to the second part of a collection, or
  /// `endIndex` if no element does. All elements of the first part must come before the elements of
  /// the second part.
  ///
  /// This is a binary search. It examines at most as many elements as `count` has binary digits.
  @inlinable
  package func partitioningIndex(where belongsToSecond: (Element) -> Bool) -> Index {
    var low = startIndex
    var length = count
    while length > 0 {
      let half = length / 2
      let middle = index(low, offsetBy: half)
      if belongsToSecond(self[middle]) {
        length = half
      } else {
        low = index(after: middle)
        length -= half + 1
      }
    }
    return low
  }
}

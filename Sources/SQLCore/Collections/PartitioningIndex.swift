extension RandomAccessCollection {
  /// Returns the index of the first element for which `belongsToSecond` returns true, or `endIndex`
  /// if it returns false for all elements. The elements for which it returns false must come before
  /// all others.
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

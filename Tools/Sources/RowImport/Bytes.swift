/// A part of the bytes of a source, which is valid until the next record or object is read.
package typealias Bytes = UnsafeBufferPointer<UInt8>

// These properties parse numbers in the most common forms. Their results are the same as those of
// the parser of data frames. They return nil for all other forms, which that parser then reads.
extension Bytes {
  /// The bytes as text; nil if they are not UTF-8.
  var text: String? { String(validating: self, as: UTF8.self) }

  /// The bytes as an integer of at most 18 digits; nil if they have another form.
  var certainInteger: Int64? {
    guard let first, count <= 19 else { return nil }
    let isNegative = first == UInt8(ascii: "-")
    let start = isNegative || first == UInt8(ascii: "+") ? 1 : 0
    guard start < count, count - start <= 18 else { return nil }
    var number: Int64 = 0
    for index in start..<count {
      let digit = self[index] &- 0x30
      guard digit <= 9 else { return nil }
      number = number &* 10 &+ Int64(digit)
    }
    return isNegative ? -number : number
  }

  /// The bytes as a Double. Nil if a Double cannot hold all digits of the number, or if the bytes
  /// have an uncommon form.
  var certainReal: Double? {
    guard let first, count <= 24 else { return nil }
    let isNegative = first == UInt8(ascii: "-")
    var number: UInt64 = 0
    var digitCount = 0
    var fractionCount = -1
    for index in (isNegative ? 1 : 0)..<count {
      let byte = self[index]
      if byte == UInt8(ascii: "."), fractionCount < 0, digitCount > 0 {
        fractionCount = 0
        continue
      }
      let digit = byte &- 0x30
      guard digit <= 9 else { return writtenReal }
      digitCount += 1
      if fractionCount >= 0 { fractionCount += 1 }
      // Only the first 16 digits are added up, because a number of 16 digits is certain to be less
      // than 2⁶⁴. If there are more than 15 digits, `writtenReal` reads the number.
      if digitCount <= 16 { number = number * 10 + UInt64(digit) }
    }
    guard fractionCount != 0, digitCount > 0 else { return nil }
    guard digitCount <= 15 else { return writtenReal }
    // A Double represents both the digits and the power of ten exactly, so the quotient is the
    // Double nearest to the written number.
    let real = Double(number) / powersOfTen[Swift.max(0, fractionCount)]
    return isNegative ? -real : real
  }

  /// The Double that Swift writes with exactly these characters; nil if Swift writes no Double so.
  private var writtenReal: Double? {
    guard let text, let real = Double(text), real.isFinite, String(real) == text else { return nil }
    return real
  }
}

private let powersOfTen: [Double] = [
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
]

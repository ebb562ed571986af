import Dispatch
import Foundation
import SQLCore
import TestRun
import Testing

@Suite("Unique64", .blocking)
struct Unique64Tests {
  @Test("an id is an Int64 with bit 63 clear")
  func layout() {
    let id = Unique64()
    #expect(MemoryLayout<Unique64>.size == 8)
    #expect(id.rawValue > 0)
    #expect(Unique64(rawValue: id.rawValue) == id)
  }

  @Test("bits 62–16 are ticks of 16 µs since 2001, and bits 15–0 are the tag")
  func bits() {
    let clock = ManualClock(Date(timeIntervalSinceReferenceDate: 1))
    let id = Unique64.Generator(now: clock.read).next(tag: 0x1234)
    #expect(id.rawValue == 62_500 << 16 | 0x1234)
  }

  @Test("ids increase strictly, whatever their tags")
  func increasing() {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    let generator = Unique64.Generator()
    var last = generator.next()
    for _ in 0..<TestSize.count(small: 10_000, full: 100_000) {
      let id = generator.next(tag: .random(in: .min ... .max, using: &random))
      guard id > last else {
        Issue.record("\(id) after \(last), seed \(seed)")
        return
      }
      last = id
    }
  }

  @Test("ids increase strictly in each of several threads, and no tick is used twice")
  func threads() {
    let generator = Unique64.Generator()
    let made = Lock<[[Unique64]]>([])
    let count = TestSize.count(small: 5_000, full: 50_000)
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      let ids = (0..<count).map { _ in generator.next(tag: Int16(thread)) }
      made.withLock { $0.append(ids) }
    }
    let lists = made.withLock { $0 }
    #expect(lists.allSatisfy { $0.isStrictlyIncreasing })
    #expect(Set(lists.joined().map { $0.rawValue >> 16 }).count == 8 * count)
  }

  @Test("an id is greater than one received from another task")
  func handedOver() async {
    let generator = Unique64.Generator()
    var last = generator.next()
    for _ in 0..<1_000 {
      let before = last
      last = await Task.detached { generator.next() }.value
      guard last > before else {
        Issue.record("\(last) after \(before)")
        return
      }
    }
  }

  @Test("ids are described by their digits, and encoded as a text of them")
  func coding() throws {
    let id = Unique64(rawValue: 3_301_234_567_890_123_456)
    #expect(id.description == "3301234567890123456")
    #expect(Unique64(id.description) == id)
    #expect(Unique64("9223372036854775808") == nil)
    #expect(try JSONEncoder().encode([id]) == Data(#"["3301234567890123456"]"#.utf8))
    #expect(try JSONDecoder().decode([Unique64].self, from: Data("[-1,7]".utf8)).last?.tag == 7)
  }

  @Test("an id is a text in JSON wherever it stands, and an integer stays a number")
  func strings() throws {
    struct Post: Codable, Equatable {
      var id = Unique64(rawValue: 3_301_234_567_890_123_456)
      var parentID: Unique64? = Unique64(rawValue: -1)
      var views = 7
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let json = try encoder.encode(Post())
    #expect(json == Data(#"{"id":"3301234567890123456","parentID":"-1","views":7}"#.utf8))
    #expect(try JSONDecoder().decode(Post.self, from: json) == Post())
  }

  @Test("an id is decoded only from an integer or the text of one")
  func decoding() throws {
    func decode(_ json: String) throws -> [Unique64] {
      try JSONDecoder().decode([Unique64].self, from: Data(json.utf8))
    }
    let ids = [Unique64(rawValue: .max), Unique64(rawValue: .min), Unique64(rawValue: 7)]
    #expect(try decode(#"["9223372036854775807", "-9223372036854775808", 7]"#) == ids)
    #expect(try decode(#"[9223372036854775807, -9223372036854775808, "7"]"#) == ids)
    for json in [#"["x"]"#, #"[""]"#, #"["9223372036854775808"]"#, "[null]", "[1.5]", "[[1]]"] {
      #expect(throws: DecodingError.self, "\(json)") { try decode(json) }
    }
    let list = try PropertyListEncoder().encode(["7"])
    #expect(try PropertyListDecoder().decode([Unique64].self, from: list) == [ids[2]])
  }

  @Test("an id has no integer literals, so it cannot be compared with a plain number")
  func noLiteral() {
    let type: Any.Type = Unique64.self
    #expect(!(type is any ExpressibleByIntegerLiteral.Type))
  }

  @Test("the process has one shared generator", arguments: [0, 1, 42, Int16.max])
  func shared(tag: Int16) {
    let first = Unique64.shared.next(tag: tag)
    let second = Unique64(tag: tag)
    #expect(first < second)
    #expect(first.tag == tag)
    #expect(second.tag == tag)
    #expect(Unique64.shared.next().tag == 0)
  }

  @Test("the date of an id is exact to a tick")
  func date() {
    let before = Date()
    let date = Unique64.Generator().next().date
    let after = Date()
    #expect(date > before.addingTimeInterval(-0.000_018))
    #expect(date < after.addingTimeInterval(0.000_002))
  }

  @Test("a generator whose clock reads the date of an id returns the same tick")
  func dateRoundTrip() {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<10_000 {
      let ticks = Int64.random(in: 1..<(1 << 47), using: &random)
      let id = Unique64(rawValue: ticks << 16)
      let again = Unique64.Generator(now: { id.date }).next()
      guard again == id else {
        Issue.record("\(again) for \(id), seed \(seed)")
        return
      }
    }
  }

  @Test(
    "a tag is read back and does not change the ticks",
    arguments: [
      .min, -12_345, -1, 0, 1, 255, 256, Int16.max,
    ])
  func tags(tag: Int16) {
    let date = Date(timeIntervalSinceReferenceDate: 800_000_000)
    let id = Unique64.Generator(now: { date }).next(tag: tag)
    #expect(id.tag == tag)
    #expect(id.date == date)
    #expect(id.rawValue > 0)
  }

  @Test("an id can be the default value of a property")
  func defaultValue() {
    struct Author: Equatable {
      var id = Unique64()
      var name: String
    }
    let jane = Author(name: "Jane")
    let george = Author(name: "George")
    #expect(jane.id < george.id)
    #expect(Author(id: jane.id, name: "Jane") == jane)
  }
}

import Apus
import ApusCluster
import ApusRemote
import Testing

/// Answers that are not of the protocol, from a node that is damaged or hostile.
@Suite("Malformed answers")
struct MalformedAnswerTests {
  /// The name of the only column, "x".
  private static let name: UInt64 = 0x78
  private static let (end, more): (UInt64, UInt64) = (.max, 0xEEEE_EEEE_EEEE_EEEE)
  /// Eight bytes of a text, without its end.
  private static let endless: UInt64 = 0x7878_7878_7878_7878

  struct Answer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let messages: [FakeNode.Message]

    init(_ description: String, _ messages: FakeNode.Message...) {
      testDescription = description
      self.messages = messages
    }
  }

  private static func blob(_ length: UInt64, _ words: UInt64...) -> FakeNode.Message {
    FakeNode.Message(words: [1, name, 4, length] + words + [end])
  }

  private static let answers: [Answer] = [
    Answer("a BLOB of 2^63 - 1 bytes", blob(UInt64(Int64.max), 0)),
    Answer("a BLOB of -1 bytes", blob(.max, 0)),
    Answer("a BLOB of -3 bytes", blob(.max - 2, 0)),
    Answer("a BLOB that is longer than the answer", blob(24, 0)),
    Answer("a text without an end", FakeNode.Message(words: [1, name, 3, endless])),
    Answer("a result without an end", FakeNode.Message(words: [1, name])),
    Answer("no columns", FakeNode.Message(words: [0, 1, 2])),
    Answer("-1 columns", FakeNode.Message(words: [.max, name, 1, 2])),
    Answer("2^32 + 1 columns", FakeNode.Message(words: [1 << 32 | 1, name, 1, 2])),
    Answer("a name without an end", FakeNode.Message(words: [1, endless])),
    Answer("nothing", FakeNode.Message(words: [])),
    Answer(
      "a second part without columns", FakeNode.Message(words: [1, name, more]),
      FakeNode.Message(words: [0, 1])),
    Answer("a failure without its message", FakeNode.Message(type: 0, words: [1, endless])),
    Answer("a failure after a result without columns", FakeNode.Message(type: 0, words: [0])),
  ]

  @Test("an answer of the protocol is read")
  func right() throws {
    let node = try FakeNode(answer: [Self.blob(3, 0x03_0201)])
    defer { node.stop() }
    let session = try node.cluster.connect(isReader: true) { false }
    defer { session.close() }
    let rows = try session.rows(of: RemoteText(sql: "SELECT x", isReadOnly: true)) { false }
    #expect(rows.columnCount == 1)
    var hasRow = try rows.next { false }
    #expect(hasRow)
    var values: [[UInt8]?] = []
    for index in 0...1 {
      rows.withValue(at: index) { value in
        if case .blob(let bytes) = value { values.append(Array(bytes)) } else { values.append(nil) }
      }
    }
    // The answer lacks a second column.
    #expect(values == [[1, 2, 3], nil])
    hasRow = try rows.next { false }
    #expect(!hasRow)
  }

  @Test("a malformed answer to a query throws the error of a lost session", arguments: answers)
  func query(_ answer: Answer) throws {
    let node = try FakeNode(answer: answer.messages)
    defer { node.stop() }
    let session = try node.cluster.connect(isReader: true) { false }
    defer { session.close() }
    let error = #expect(throws: RemoteSessionError.self) {
      let rows = try session.rows(of: RemoteText(sql: "SELECT x", isReadOnly: true)) { false }
      while try rows.next(isStopped: { false }) {}
    }
    #expect(error?.message == "the node sent an answer that ends too early")
  }

  @Test("after a malformed answer to a write, its outcome is unknown")
  func write() throws {
    let node = try FakeNode(answer: [FakeNode.Message(type: 6, words: [1])])
    defer { node.stop() }
    let session = try node.cluster.connect(isReader: false) { false }
    defer { session.close() }
    let error = #expect(throws: RemoteSessionError.self) {
      try session.run(RemoteText(sql: "INSERT INTO t VALUES (1)")) { false }
    }
    #expect(error?.outcome == .unknown)
  }
}

import Apus
import Foundation
import Hummingbird

/// An event of a stream that browsers read with `EventSource`.
///
/// ```swift
/// let event = ServerSentEvent("post", text: "hello")
/// // event: post
/// // data: hello
/// ```
///
/// - SeeAlso: <https://html.spec.whatwg.org/multipage/server-sent-events.html>
public struct ServerSentEvent: Sendable {
  /// The lines of the event, without its number and the empty line that ends it.
  private var lines: ByteBuffer

  /// Makes an event with a text of any number of lines. Line breaks of a name are left out.
  public init(_ name: String, text: String) {
    lines = ByteBuffer()
    start(name)
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isLineBreak) {
      lines.writeString("data: \(line)\n")
    }
  }

  /// Makes an event with a value as JSON: dates in ISO 8601, as Hummingbird's answers have them, and
  /// keys in alphabetical order. Throws what encoding throws.
  public init(_ name: String, json value: some Encodable) throws {
    lines = ByteBuffer()
    start(name)
    // JSON has no line breaks outside of strings, and escapes those inside.
    lines.writeString("data: ")
    lines.writeBytes(try Self.encoder.encode(value))
    lines.writeString("\n")
  }

  private mutating func start(_ name: String) {
    lines.writeString("event: \(String(name.filter { !$0.isLineBreak }))\n")
  }

  /// The bytes that are sent, with a number by which a client can continue.
  func bytes(at position: EventPosition) -> ByteBuffer {
    var bytes = ByteBuffer(string: "id: \(position)\n")
    bytes.writeImmutableBuffer(lines)
    bytes.writeString("\n")
    return bytes
  }

  /// A comment, which keeps the connection open and finds out that a client is gone.
  static let heartbeat = ByteBuffer(string: ": still here\n\n")

  private static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}

extension Character {
  /// Whether an event stream ends a line here: `\n`, `\r` or both.
  fileprivate var isLineBreak: Bool { self == "\n" || self == "\r" || self == "\r\n" }
}

/// The place of an event in the feed of one run of a server: `epoch.number`.
///
/// When a browser connects again, it sends the last position that it received. The epoch differs
/// from run to run, because the numbers begin again.
public struct EventPosition: Hashable, Sendable, LosslessStringConvertible {
  let epoch: UInt32
  var number: Int

  init(epoch: UInt32, number: Int) {
    self.epoch = epoch
    self.number = number
  }

  /// Reads a position; nil if the text is not one.
  public init?(_ description: String) {
    let parts = description.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let epoch = UInt32(parts[0]), let number = Int(parts[1]) else {
      return nil
    }
    self.init(epoch: epoch, number: number)
  }

  /// The text of the position, which is the `id` of an event.
  public var description: String { "\(epoch).\(number)" }
}

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
  /// The lines of the event, except the line with its position and the empty line at its end.
  private var lines: ByteBuffer

  /// Makes an event with a text of any number of lines. Line breaks in the name are removed.
  public init(_ name: String, text: String) {
    lines = ByteBuffer()
    start(name)
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isLineBreak) {
      lines.writeString("data: \(line)\n")
    }
  }

  /// Makes an event whose data is a value as JSON. Dates are in ISO 8601, as in Hummingbird's
  /// answers, and keys are in alphabetical order. Throws the errors of encoding the value.
  public init(_ name: String, json value: some Encodable) throws {
    lines = ByteBuffer()
    start(name)
    // The encoder writes the JSON in one line. Line breaks inside strings are escaped.
    lines.writeString("data: ")
    lines.writeBytes(try Self.encoder.encode(value))
    lines.writeString("\n")
  }

  private mutating func start(_ name: String) {
    lines.writeString("event: \(String(name.filter { !$0.isLineBreak }))\n")
  }

  /// Returns the bytes that are sent. They contain the position of the event, from which a client
  /// can continue later.
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
  /// Whether the character ends a line of an event stream: `\n`, `\r`, or the two together.
  fileprivate var isLineBreak: Bool { self == "\n" || self == "\r" || self == "\r\n" }
}

/// The position of an event in a feed, as the text `epoch.number`. The epoch stands for one run of
/// the server.
///
/// When a browser connects again, it sends the last position that it received. Each run of the
/// server has another epoch, because its numbers begin again.
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

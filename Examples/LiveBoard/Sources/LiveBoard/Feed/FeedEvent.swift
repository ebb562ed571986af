import Foundation
import Hummingbird

/// An event of the feed, in the form in which it is sent to each browser.
struct FeedEvent: Sendable {
  let id: EventID
  /// The person that the event is for; nil if it is for everyone.
  let audience: Person.ID?
  let bytes: ByteBuffer

  init(_ name: String, _ payload: some Encodable, id: EventID, audience: Person.ID? = nil) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // JSON has no line breaks outside of strings, and escapes those inside.
    let json = try encoder.encode(payload)
    var bytes = ByteBuffer()
    bytes.writeString("id: \(id)\nevent: \(name)\ndata: ")
    bytes.writeBytes(json)
    bytes.writeString("\n\n")
    self.id = id
    self.audience = audience
    self.bytes = bytes
  }

  /// A comment, which keeps the connection open and finds out that a browser is gone.
  static let heartbeat = ByteBuffer(string: ": still here\n\n")
}

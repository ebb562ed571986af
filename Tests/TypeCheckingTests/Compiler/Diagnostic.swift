/// An error that the compiler found in a client program.
struct Diagnostic: Hashable, Sendable {
  let place: ClientProgram.Place
  let message: String

  /// Whether the solver gave up, which explains nothing.
  var isSurrender: Bool { message.contains("unable to type-check") }
}

extension Diagnostic {
  /// Reads a line like `Client.swift:17:13: error: …`. Returns nil for any other line.
  init?(_ line: Substring) {
    guard let mark = line.firstRange(of: ": error: ") else { return nil }
    let place = line[..<mark.lowerBound].split(separator: ":")
    guard place.count == 3, place[0].hasSuffix(ClientProgram.fileName),
      let row = Int(place[1]), let column = Int(place[2])
    else { return nil }
    self.place = ClientProgram.Place(line: row, column: column)
    message = String(line[mark.upperBound...])
  }
}

extension Diagnostic: CustomStringConvertible {
  var description: String { "\(place.line):\(place.column): \(message)" }
}

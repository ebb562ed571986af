/// A file that a user of the library could write.
///
/// The sign `‸` stands directly before the place where the compiler should report an error. The
/// file that it reads is without the sign.
struct ClientProgram: Sendable {
  static let fileName = "Client.swift"

  /// A line and, in bytes of UTF-8, a column; both count from 1.
  struct Place: Hashable, Sendable {
    let line: Int
    let column: Int
  }

  let source: String
  let expectedPlaces: [Place]

  /// A whole file, in which no error is expected.
  init(_ source: String) {
    self.source = source
    expectedPlaces = []
  }

  init(_ models: ClientModels, _ code: String) {
    var source = ""
    var places: [Place] = []
    var line = 1
    var column = 1
    for character in models.rawValue + "\n" + code + "\n" {
      guard character != "‸" else {
        places.append(Place(line: line, column: column))
        continue
      }
      source.append(character)
      column += character.utf8.count
      if character == "\n" {
        line += 1
        column = 1
      }
    }
    self.source = source
    expectedPlaces = places
  }
}

import Apus

/// An edit of a card. If a property is nil, the card keeps its value.
struct CardEdit: Sendable, Codable {
  var title: String?
  var notes: String?
  var listID: BoardList.ID?
  var assigneeID: Person.ID?
  /// Whether the card is assigned to no person from now on.
  var isUnassigned: Bool?
  /// The names of all tags that the card has from now on.
  var tags: [String]?

  /// Returns the edit with its texts converted to the form in which they are stored. Throws
  /// `BoardError.invalid` if a text is not valid, or if there are too many tags.
  func checked() throws -> CardEdit {
    var edit = self
    edit.title = try title.map { try CheckedText.line($0, "title", atMost: Limits.title) }
    edit.notes = try notes.map { try CheckedText.lines($0, "notes", atMost: Limits.notes) }
    edit.tags = try tags.map(Self.checked)
    return edit
  }

  private static func checked(_ tags: [String]) throws -> [String] {
    var names: [String] = []
    for tag in tags {
      let name = try CheckedText.line(tag, "tag", atMost: Limits.tagName)
      guard !name.contains(",") else {
        throw BoardError.invalid(field: "tags", reason: "a tag contains a comma")
      }
      // The column with the tags' names has the collation NOCASE, which ignores the case of ASCII
      // letters. So two such names are the same tag.
      let folded = CaseFolding.ascii.fold(name)
      if !names.contains(where: { CaseFolding.ascii.fold($0) == folded }) { names.append(name) }
    }
    guard names.count <= Limits.tagsOfCard else {
      throw BoardError.invalid(
        field: "tags", reason: "a card has at most \(Limits.tagsOfCard) tags")
    }
    return names
  }
}

/// The reasons for which the board refuses an edit. Nothing is written then.
enum BoardError: Error {
  /// A text or a number that the board does not accept.
  case invalid(field: String, reason: String)
  /// Something that does not exist, or no longer exists.
  case notFound(String)
  /// The card was changed after the person who edits it read it. `CardFace` is the present card.
  case conflict(CardFace)
  /// An undo or a redo conflicts with a later edit; the text says how in a sentence.
  case overtaken(String)
  /// The board has as many rows as it may have.
  case full(String)
}

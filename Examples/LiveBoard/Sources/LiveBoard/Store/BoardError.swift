/// The reasons for which the board refuses an edit. Nothing is written then.
enum BoardError: Error {
  /// A text or a number that the board does not accept.
  case invalid(field: String, reason: String)
  /// Something that does not exist, or no longer.
  case notFound(String)
  /// The card was edited since the editor read it. It carries the card as it is now.
  case conflict(CardFace)
  /// An undo or a redo that conflicts with a later edit, in a sentence.
  case overtaken(String)
  /// The board has as many rows as it may have.
  case full(String)
}

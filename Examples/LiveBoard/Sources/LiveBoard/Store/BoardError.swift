/// An error that is thrown if the board refuses an edit. Nothing was written in this case.
enum BoardError: Error {
  /// A text or a number that the board does not accept.
  case invalid(field: String, reason: String)
  /// Something that does not exist, or no longer exists.
  case notFound(String)
  /// The card was changed after the person had opened it for editing. The associated value is the
  /// present card.
  case conflict(CardFace)
  /// An undo or a redo conflicts with a later edit. The text is a sentence that describes the
  /// conflict.
  case overtaken(String)
  /// The board already has the greatest allowed number of lists, cards or tags.
  case full(String)
}

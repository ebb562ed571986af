import Apus
import ApusHistory

/// A card of a list.
///
/// The database file contains the triggers. So they also run for an edit that another program
/// makes, such as the `sqlite3` shell: the card gets a new version and becomes unread.
struct Card: Model, Codable, Equatable {
  @PrimaryKey var id = Unique64()
  @Column var listID: BoardList.ID
  @Column var title: String
  @Column var notes: String = ""
  @Column var assigneeID: Person.ID?
  @Column var position: Double = 0
  /// The number of the last edit; see `Edition`. An editor sends the version of the card that it
  /// has shown. If the card has another version by then, the edit is refused.
  @Column var version = 0

  static var schema: Schema<Card> {
    ForeignKey(\.$listID, references: \BoardList.$id, onDelete: .cascade)
    ForeignKey(\.$assigneeID, references: \Person.$id, onDelete: .setNull)
    Index(\.$listID, \.$position)
    Index(\.$assigneeID)
    Check("card_title") { $0.$title.length().between(1, and: Limits.title) }
    Check("card_notes") { $0.$notes.length() <= Limits.notes }
    Default(\.$notes, "")
    Default(\.$position, 0)
    Default(\.$version, 0)
    FullText(prefixes: [2, 3]) {
      $0.$title.weighted(4)
      $0.$notes
    }
    Logged()
    Trigger("Card_edited", after: .update(of: \.$listID, \.$title, \.$notes, \.$assigneeID)) {
      old, new in
      Edition.next
      Card.update { $0.$version = Edition.number }.where { $0.$id == new.$id }
    } when: { old, new in
      new.$version == old.$version
      AnyOf {
        new.$listID != old.$listID
        new.$title != old.$title
        new.$notes != old.$notes
        new.$assigneeID != old.$assigneeID
      }
    }
    Trigger("Card_added", after: .insert) { new in
      Edition.next
      Card.update { $0.$version = Edition.number }.where { $0.$id == new.$id }
      Unread.insert(
        \.$personID, \.$cardID, \.$listID,
        from: Person.select { ($0.$id, new.$id, new.$listID) }
      ).onConflictDoNothing()
    }
    Trigger("Card_unread", after: .update(of: \.$version)) { old, new in
      Unread.insert(
        \.$personID, \.$cardID, \.$listID,
        from: Person.select { ($0.$id, new.$id, new.$listID) }
      ).onConflictUpdate(\.$personID, \.$cardID) { $0.$listID = $0.new.$listID }
    }
  }
}

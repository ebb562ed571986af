import Apus

/// The number of edits of all cards. Triggers count the edits, and store the number in the edited
/// card as its version.
///
/// No number is used twice, even if an undo restores the earlier texts of a card. The reason is
/// that this table is not logged, so that an undo does not change it.
struct Edition: Model, Equatable {
  @PrimaryKey var id = 1
  @Column var number: Int

  static var next: Insert<Edition> {
    Edition.insert([Edition(number: 1)]).onConflictUpdate(\.$id) { $0.$number += 1 }
  }

  static var number: SQLExpression<Int> {
    Edition.where { $0.$id == 1 }.select(\.$number).subquery().nonOptional()
  }
}

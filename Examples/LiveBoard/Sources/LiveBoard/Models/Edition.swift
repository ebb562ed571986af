import Apus

/// The number of edits of all cards. Triggers count them, and give each edited card the number as its
/// version.
///
/// No number is used twice, even after an undo has given a card its earlier texts, because this
/// table is not logged and has no history.
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

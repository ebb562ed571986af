import Apus

/// A person who uses the board. The board has no passwords: each browser chooses a person.
struct Person: Model, Codable, Equatable {
  @PrimaryKey var id = Unique64()
  @Column var name: String
  @Column var hue: Hue = .blue

  static var schema: Schema<Person> {
    Unique(\.$name)
    Check("person_name") { $0.$name.length().between(1, and: Limits.personName) }
    Default(\.$hue, .blue)
  }
}

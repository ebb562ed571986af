import Apus

// The smallest program that uses Apus, whose size `Scripts/Measures/footprint` measures.

struct Note: Model {
  @PrimaryKey var id: Int64
  @Column var text: String
}

@main
enum SmallApus {
  static func main() throws {
    let database = try Database.inMemory(models: [Note.self])
    try database.write { try $0.insert(Note(id: 1, text: "small")) }
    let notes = try database.read { try $0.fetch(Note.all) }
    print(notes[0].text)
  }
}

private let other = Post.ID()
private let scores = [Score(player: 1, points: 2)]
private let person: Person = unavailable()
private let encoder = JSONEncoder()
private struct Recent: SQLView {
  @Column var title: String
  @Column var views: Int
  static var definition: some Fetchable { Post.select(\.$title, \.$views) }
}

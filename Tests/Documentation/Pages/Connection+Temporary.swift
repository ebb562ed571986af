private struct Recent: SQLView {
  @Column var title: String
  @Column var views: Int
  static var definition: some Fetchable { Post.select(\.$title, \.$views) }
}

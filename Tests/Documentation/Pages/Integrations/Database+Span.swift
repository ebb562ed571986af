private struct Card: Model {
  @PrimaryKey var id: Int
  @Column var list = ""
}
private let list = ""
private let id = 1

private struct Task: Model {
  @PrimaryKey var id: Int
  @Column var isDone: Bool
  @Column var priority: Int
}

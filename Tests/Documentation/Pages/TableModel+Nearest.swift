private struct Post: Model {
  @PrimaryKey var id = Unique64()
  @Column var status: Status = .draft
  @Column var embedding: [Float]
}

private struct Picture: Model {
  @PrimaryKey var id = Unique64()
  @Column var embedding: [Float]
}

private func schema(@SchemaBuilder<Picture> _ elements: () -> Schema<Picture>) -> Schema<Picture> {
  elements()
}

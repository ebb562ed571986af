private struct Picture: Model {
  @PrimaryKey var id = Unique64()
  @Column var embedding: [Float]

  static var schema: Schema<Picture> { VectorIndex(\.$embedding) }
}

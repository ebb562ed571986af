private struct Visit: Model {
  @PrimaryKey var id = UUID()
  @Column var arrival = Date()
}

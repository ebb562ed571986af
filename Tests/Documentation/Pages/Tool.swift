private struct Author: Model { @PrimaryKey var id: Int }

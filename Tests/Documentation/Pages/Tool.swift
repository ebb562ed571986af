private struct Author: Model { @PrimaryKey var id: Int }
private protocol ModelTool { static var models: [any TableModel.Type] { get } }
extension ModelTool { static func main() {} }

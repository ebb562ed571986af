import Apus
import CommandInterface

/// A program with the commands `plan`, `migrate` and `check` for the models that it names.
///
/// ```swift
/// @main struct BlogTool: ModelTool {
///   static let models: [any TableModel.Type] = [Author.self, Post.self]
/// }
/// ```
///
///     swift run BlogTool plan blog.sqlite       what a migration would do
///     swift run BlogTool migrate blog.sqlite    migrates the file
///     swift run BlogTool check blog.sqlite      damage, and values that the models cannot read
///
/// The tool `apus` cannot have these commands, because only your program knows its models.
public protocol ModelTool {
  /// The models with which your program opens its databases.
  static var models: [any TableModel.Type] { get }

  /// The options with which your program migrates. Default: `MigrationOptions()`.
  static var migration: MigrationOptions { get }
}

extension ModelTool {
  /// The default options.
  public static var migration: MigrationOptions { MigrationOptions() }

  /// Runs the command that the program's arguments name, and ends the program. The exit status is 0
  /// for success, 1 for an error or a refused migration, 2 for wrong arguments, 3 if `plan` or
  /// `check` found something, 130 after Ctrl-C, and 143 after SIGTERM.
  public static func main() async { await ToolCommand<Self>.runMain() }
}

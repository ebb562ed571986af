import SQLCore
import Testing

// SQLite is built with more or fewer parts. A test that needs one of them says so, and is skipped where
// the library lacks it, as `Scripts/Checks/other-sqlites` shows. There is no other reason to skip a test.

extension Trait where Self == ConditionTrait {
  /// The trait of a test that needs a part of SQLite.
  public static func needs(_ feature: SQLiteLibrary.Feature) -> ConditionTrait {
    .enabled(if: feature.isAvailable, Comment(rawValue: "SQLite lacks \(feature)"))
  }
}

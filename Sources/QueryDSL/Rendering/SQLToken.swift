/// A keyword, an operator or another fixed piece of SQL, such as `SELECT` or `=`. It is one byte in
/// a query's shape, and a text in the SQL.
@usableFromInline
package enum SQLToken: UInt8, BitwiseCopyable, Sendable {
  case select = 1, distinct, from, `where`, and, or, not, groupBy, having, orderBy
  case ascending, descending, limit, noLimit, offset, exists, inner, left, on, comma
  case open, close, star, countStar, one, zero
  case equal, notEqual, isSame, isNotSame, less, greater, lessOrEqual, greaterOrEqual
  case plus, minus, times, divide, negate
  case isNull, isNotNull, like, escape, between, `in`, arrayValues
  case update, set, deleteFrom, insertInto, values, onConflict, doUpdateSet, doNothing
  case `is`, nullsFirst, nullsLast, `as`, space
  case `case`, when, then, `else`, end, cast, integerType, realType, textType, blobType
  case collate, glob, concat, remainder, bitAnd, bitOr, bitNot, shiftLeft, shiftRight, jsonArrow
  case filter, over, partitionBy, windowOrderBy, rows, range, groups, window
  case unboundedPreceding, preceding, currentRow, following, unboundedFollowing
  case excludeCurrentRow, excludeGroup, excludeTies
  case right, full, cross, with, recursive, materialized, notMaterialized, asQuery
  case union, unionAll, intersect, except, selectAllFrom, selectValueFrom, valueIsNotNull
  case valueIsNull, defaultValues, returning
  // Comparisons with 1 and with 0. The text of such a token already contains the number, so no
  // value follows the token.
  case equalOne, equalZero, notEqualOne, notEqualZero
  case isOne, isZero, isNotOne, isNotZero
  case updateOrIgnore

  /// The text, including the spaces around it.
  var text: StaticString {
    switch self {
    case .select: "SELECT "
    case .distinct: "DISTINCT "
    case .from: " FROM "
    case .where: " WHERE "
    case .and: " AND "
    case .or: " OR "
    case .not: "NOT "
    case .groupBy: " GROUP BY "
    case .having: " HAVING "
    case .orderBy: " ORDER BY "
    case .ascending: ""
    case .descending: " DESC"
    case .limit: " LIMIT "
    case .noLimit: " LIMIT -1"
    case .offset: " OFFSET "
    case .exists: "EXISTS "
    case .inner: " JOIN "
    case .left: " LEFT JOIN "
    case .on: " ON "
    case .comma: ", "
    case .open: "("
    case .close: ")"
    case .star: "*"
    case .countStar: "count(*)"
    case .one: "1"
    case .zero: "0"
    case .equal: " = "
    case .notEqual: " <> "
    case .isSame: " IS "
    case .isNotSame: " IS NOT "
    case .less: " < "
    case .greater: " > "
    case .lessOrEqual: " <= "
    case .greaterOrEqual: " >= "
    case .plus: " + "
    case .minus: " - "
    case .times: " * "
    case .divide: " / "
    case .negate: "-"
    case .isNull: " IS NULL"
    case .isNotNull: " IS NOT NULL"
    case .like: " LIKE "
    case .escape: " ESCAPE "
    case .between: " BETWEEN "
    case .in: " IN "
    case .arrayValues: "SELECT value FROM apus_array"
    case .update: "UPDATE "
    case .set: " SET "
    case .deleteFrom: "DELETE FROM "
    case .insertInto: "INSERT INTO "
    case .values: " VALUES "
    case .onConflict: " ON CONFLICT"
    case .doUpdateSet: " DO UPDATE SET "
    case .doNothing: " DO NOTHING"
    case .is: " IS "
    case .nullsFirst: " NULLS FIRST"
    case .nullsLast: " NULLS LAST"
    case .as: " AS "
    case .space: " "
    case .case: "CASE"
    case .when: " WHEN "
    case .then: " THEN "
    case .else: " ELSE "
    case .end: " END"
    case .cast: "CAST("
    case .integerType: "INTEGER"
    case .realType: "REAL"
    case .textType: "TEXT"
    case .blobType: "BLOB"
    case .collate: " COLLATE "
    case .glob: " GLOB "
    case .concat: " || "
    case .remainder: " % "
    case .bitAnd: " & "
    case .bitOr: " | "
    case .bitNot: "~"
    case .shiftLeft: " << "
    case .shiftRight: " >> "
    case .jsonArrow: " -> "
    case .filter: " FILTER (WHERE "
    case .over: " OVER "
    case .partitionBy: "PARTITION BY "
    case .windowOrderBy: "ORDER BY "
    case .rows: "ROWS BETWEEN "
    case .range: "RANGE BETWEEN "
    case .groups: "GROUPS BETWEEN "
    case .window: " WINDOW "
    case .unboundedPreceding: "UNBOUNDED PRECEDING"
    case .preceding: " PRECEDING"
    case .currentRow: "CURRENT ROW"
    case .following: " FOLLOWING"
    case .unboundedFollowing: "UNBOUNDED FOLLOWING"
    case .excludeCurrentRow: " EXCLUDE CURRENT ROW"
    case .excludeGroup: " EXCLUDE GROUP"
    case .excludeTies: " EXCLUDE TIES"
    case .right: " RIGHT JOIN "
    case .full: " FULL JOIN "
    case .cross: " CROSS JOIN "
    case .with: "WITH "
    case .recursive: "RECURSIVE "
    case .materialized: " AS MATERIALIZED ("
    case .notMaterialized: " AS NOT MATERIALIZED ("
    case .asQuery: " AS ("
    case .union: " UNION "
    case .unionAll: " UNION ALL "
    case .intersect: " INTERSECT "
    case .except: " EXCEPT "
    case .selectAllFrom: "SELECT * FROM ("
    case .selectValueFrom: "SELECT \"value\" FROM ("
    case .valueIsNotNull: ") WHERE \"value\" IS NOT NULL"
    case .valueIsNull: ") WHERE \"value\" IS NULL"
    case .defaultValues: " DEFAULT VALUES"
    case .returning: " RETURNING "
    case .equalOne: " = 1"
    case .equalZero: " = 0"
    case .notEqualOne: " <> 1"
    case .notEqualZero: " <> 0"
    case .isOne: " IS 1"
    case .isZero: " IS 0"
    case .isNotOne: " IS NOT 1"
    case .isNotZero: " IS NOT 0"
    case .updateOrIgnore: "UPDATE OR IGNORE "
    }
  }
}

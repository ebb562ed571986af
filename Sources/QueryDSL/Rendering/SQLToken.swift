/// A word or sign of SQL as Apus writes it: a byte in a query's shape, text in its SQL.
@usableFromInline
package enum SQLToken: UInt8, Sendable {
  case select = 1, distinct, from, `where`, and, or, not, groupBy, having, orderBy
  case ascending, descending, limit, noLimit, offset, exists, inner, left, on, comma
  case open, close, star, countStar, one, zero
  case equal, notEqual, isSame, isNotSame, less, greater, lessOrEqual, greaterOrEqual
  case plus, minus, times, divide, negate
  case isNull, isNotNull, like, escape, between, `in`, arrayValues
  case update, set, deleteFrom, insertInto, values, onConflict, doUpdateSet, doNothing, excluded
  case `is`, nullsFirst, nullsLast, `as`

  /// The text, with the spaces that it needs.
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
    case .onConflict: " ON CONFLICT "
    case .doUpdateSet: " DO UPDATE SET "
    case .doNothing: " DO NOTHING"
    case .excluded: "excluded."
    case .is: " IS "
    case .nullsFirst: " NULLS FIRST"
    case .nullsLast: " NULLS LAST"
    case .as: " AS "
    }
  }
}

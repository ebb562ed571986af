import Apus
import Foundation

/// Random typed expressions over the columns of a sale.
struct RandomExpressions {
  var values: RandomValues
  let sale: Columns<Sale>

  // MARK: Numbers

  mutating func integer(_ depth: Int) -> SQLExpression<Int?> {
    guard depth > 0 else {
      return switch values.below(5) {
      case 0: SQLExpression<Int?>(values.small())
      case 1: sale.$storeID.optional
      case 2: sale.$rating
      case 3: sale.$id.optional
      default: sale.$quantity.optional
      }
    }
    let (a, b) = (integer(depth - 1), integer(depth - 1))
    switch values.below(20) {
    case 0: return a + b
    case 1: return a - b
    case 2: return a * values.small()
    case 3: return a / b
    case 4: return a.remainder(b)
    case 5: return -a
    case 6: return a.abs()
    case 7: return a.coalesce(b)
    case 8: return a.nullIf(b)
    case 9: return a.max(with: b)
    case 10: return a.min(with: b)
    case 11: return iif(predicate(depth - 1), a, b)
    case 12: return Case(when: predicate(depth - 1), then: a).when(predicate(0), then: b).else(nil)
    case 13: return text(depth - 1).length()
    case 14: return text(depth - 1).instr(values.text())
    // An integer that leaves 64 bits is refused, so the generator makes none.
    case 15: return real(depth - 1).cast(to: Int.self).remainder(1_000)
    case 16: return date(depth - 1).component(values.pick([.year, .month, .day, .weekday, .hour]))
    case 17: return date(depth - 1).unixSeconds()
    case 18: return text(depth - 1).cast(to: Int.self).remainder(1_000)
    default: return a.ifNull(values.small()).optional
    }
  }

  mutating func real(_ depth: Int) -> SQLExpression<Double?> {
    guard depth > 0 else {
      return switch values.below(4) {
      case 0: SQLExpression<Double?>(values.real())
      case 1: sale.$weight
      default: sale.$amount.optional
      }
    }
    let (a, b) = (real(depth - 1), real(depth - 1))
    switch values.below(12) {
    case 0: return a + b
    case 1: return a - b
    case 2: return a * b
    case 3: return a / b
    case 4: return a.abs()
    case 5: return a.round()
    case 6: return integer(depth - 1).cast(to: Double.self)
    case 7: return a.coalesce(b)
    case 8: return iif(predicate(depth - 1), a, b)
    case 9: return a.max(with: b)
    case 10: return integer(depth - 1) * values.real()
    default: return -a
    }
  }

  // MARK: Texts and dates

  mutating func text(_ depth: Int) -> SQLExpression<String?> {
    guard depth > 0 else {
      return switch values.below(3) {
      case 0: SQLExpression<String?>(values.text())
      case 1: sale.$note
      default: sale.$name.optional
      }
    }
    let a = text(depth - 1)
    switch values.below(15) {
    case 0: return a.lower()
    case 1: return a.upper()
    case 2: return a.trim()
    case 3: return a.ltrim("a ")
    case 4: return a.rtrim("bB")
    case 5: return a.replace(values.text(), with: values.text())
    case 6: return a.substr(values.below(9) - 4)
    case 7: return a.substr(values.below(9) - 4, values.below(9) - 4)
    case 8: return a.concat(text(depth - 1))
    case 9: return a.coalesce(text(depth - 1))
    case 10: return iif(predicate(depth - 1), a, text(depth - 1))
    case 11: return integer(depth - 1).cast(to: String.self)
    case 12: return a.hex().optional
    case 13: return date(depth - 1).strftime(values.pick(["%Y-%m-%d", "%H:%M:%S", "%j %w%%"]))
    default: return a.max(with: text(depth - 1))
    }
  }

  mutating func date(_ depth: Int) -> SQLExpression<Date?> {
    guard depth > 0 else { return values.flip() ? sale.$createdAt.optional : sale.$shippedAt }
    let date = date(0)
    switch values.below(5) {
    case 0: return date.modified(by: .startOfMonth)
    case 1: return date.modified(by: .days(values.small() * 20))
    case 2: return date.modified(by: .months(values.small()), .startOfDay)
    case 3: return date.modified(by: .hours(values.small()), .weekday(values.below(7)))
    default: return date.modified(by: .startOfYear, .years(values.small()))
    }
  }

  // MARK: Conditions

  mutating func predicate(_ depth: Int) -> SQLPredicate {
    if depth > 0 {
      switch values.below(4) {
      case 0: return predicate(depth - 1) && predicate(depth - 1)
      case 1: return predicate(depth - 1) || predicate(depth - 1)
      case 2: return !predicate(depth - 1)
      default: break
      }
    }
    let next = max(0, depth - 1)
    switch values.below(24) {
    case 0: return integer(next) < integer(next)
    case 1: return integer(next) == values.optional(values.small())
    case 2: return integer(next) != integer(next)
    case 3: return real(next) >= real(next)
    case 4: return real(next) == values.optional(values.real())
    case 5: return text(next) > text(next)
    case 6: return text(next) == values.optional(values.text())
    case 7: return text(next).like(values.text() + values.pick(["%", "_", "%a%", ""]))
    case 8:
      return text(next).like(values.pick(["a!%%", "%!_", "!!%", "%a!%", "a%!b"]), escape: "!")
    case 9: return text(next).glob(values.pick(["a*", "?", "*B", "*%*", "*é*"]))
    case 10: return text(next).contains(values.text())
    case 11: return sale.$name.hasPrefix(values.text())
    case 12: return sale.$status.isIn([.open, values.pick([.paid, .quoted, .none])])
    case 13: return integer(next).isIn([values.small(), values.small()].map { Int?($0) })
    case 14: return sale.$quantity.between(values.small(), and: values.small())
    case 15: return text(next).collated(values.pick([.noCase, .trimmed])) == text(next)
    case 16: return text(next).collated(values.pick([.noCase, .trimmed])) < text(next)
    case 17: return values.flip() ? sale.$isGift == values.flip() : sale.$isPaid.isTrue
    case 18: return date(next) < SQLExpression<Date?>(values.date())
    case 19:
      return values.flip()
        ? sale.$code == values.code() : sale.$token == values.optional(values.token())
    case 20: return sale.$big > SQLExpression<Int>(values.big())
    case 21: return sale.$big.cast(to: Double.self) < values.extreme()
    case 22: return sale.$tags == JSON(values.pick([[], ["a"], ["a", "ü"]]))
    default: return integer(next).isIn(stores(next))
    }
  }

  private mutating func stores(_ depth: Int) -> some Fetchable<Int?> {
    let text = values.text()
    return Store.where { $0.$region == values.optional(text) }.select { $0.$id.optional }
  }
}

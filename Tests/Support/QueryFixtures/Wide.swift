import Foundation
import QueryDSL
import SQLCore

struct Wide: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var c1: String? = nil
  @Column var c2: Double = 2.5
  @Column var c3: JSON<[Int]> = []
  @Column var c4: Bool = true
  @Column var c5: Data? = nil
  @Column var c6: String = "6"
  @Column var c7: Int = 7
  @Column var c8: String? = nil
  @Column var c9: Double = 9.5
  @Column var c10: JSON<[Int]> = []
  @Column var c11: Bool = true
  @Column var c12: Data? = nil
  @Column var c13: String = "13"
  @Column var c14: Int = 14
  @Column var c15: String? = nil
  @Column var c16: Double = 16.5
  @Column var c17: JSON<[Int]> = []
  @Column var c18: Bool = true
  @Column var c19: Data? = nil
  @Column var c20: String = "20"
  @Column var c21: Int = 21
  @Column var c22: String? = nil
  @Column var c23: Double = 23.5
  @Column var c24: JSON<[Int]> = []
  @Column var c25: Bool = true
  @Column var c26: Data? = nil
  @Column var c27: String = "27"
  @Column var c28: Int = 28
  @Column var c29: String? = nil
  @Column var c30: Double = 30.5
  @Column var c31: JSON<[Int]> = []
  @Column var c32: Bool = true
  @Column var c33: Int = 33
  @Column var c34: String = "34"
  @Column var c35: Int = 35
  @Column var c36: String? = nil
  @Column var c37: Double = 37.5
  @Column var c38: JSON<[Int]> = []
  @Column var c39: Bool = true
  @Column var c40: Data? = nil
  @Column var c41: String = "41"
  @Column var c42: Int = 42
  @Column var c43: String? = nil
  @Column var c44: Double = 44.5
  @Column var c45: JSON<[Int]> = []
  @Column var c46: Bool = true
  @Column var c47: Data? = nil
  @Column var c48: String = "48"
  @Column var c49: Int = 49
  @Column var c50: String? = nil
  @Column var c51: Double = 51.5
  @Column var c52: JSON<[Int]> = []
  @Column var c53: Bool = true
  @Column var c54: Data? = nil
  @Column var c55: String = "55"
  @Column var c56: Int = 56
  @Column var c57: String? = nil
  @Column var c58: Double = 58.5
  @Column var c59: String = "59"
}

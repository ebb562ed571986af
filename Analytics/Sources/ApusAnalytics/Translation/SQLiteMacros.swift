/// The macros that compute, in DuckDB, the results that SQLite's operators and functions have. Each
/// connection to DuckDB creates them.
enum SQLiteMacros {
  static let definitions = [
    // SQLite has no NaN. A calculation that results in NaN in DuckDB has the result NULL in SQLite.
    "apus_real(x) AS CASE WHEN isnan(x) THEN NULL ELSE x END",
    // In SQLite, LIKE, NOCASE, lower and upper convert ASCII letters only. DuckDB's own `lower` and
    // `upper` have the same result if all characters of the text are ASCII, which is so if the text
    // has as many bytes as characters. They are a hundred times as fast as `translate`.
    """
    apus_lower(x) AS CASE WHEN strlen(x) = length(x) THEN lower(x) \
    ELSE translate(x, '\(upper)', '\(lower)') END
    """,
    """
    apus_upper(x) AS CASE WHEN strlen(x) = length(x) THEN upper(x) \
    ELSE translate(x, '\(lower)', '\(upper)') END
    """,
    // In SQLite, a real number divided by 0 is NULL.
    "apus_quotient(a, b) AS a / nullif(b, 0::DOUBLE)",
    // CAST(… AS INTEGER) rounds towards zero, and limits the result to 64 bits.
    """
    apus_integer(x) AS CASE WHEN x >= 9223372036854775807::DOUBLE THEN 9223372036854775807::BIGINT \
    WHEN x <= -9223372036854775808::DOUBLE THEN (-9223372036854775808)::BIGINT \
    ELSE TRY_CAST(trunc(x) AS BIGINT) END
    """,
    // CAST(… AS INTEGER) of a text converts the digits at the start of the text, and ignores the
    // rest.
    #"apus_digits(x) AS regexp_extract(x, '^[ \t\n\v\f\r]*([+-]?[0-9]+)', 1)"#,
    """
    apus_text_integer(x) AS CASE WHEN x IS NULL THEN NULL WHEN apus_digits(x) = '' THEN 0::BIGINT \
    ELSE coalesce(TRY_CAST(apus_digits(x) AS BIGINT), CASE WHEN apus_digits(x)[1] = '-' \
    THEN (-9223372036854775808)::BIGINT ELSE 9223372036854775807::BIGINT END) END
    """,
    // An integer is compared with a real number exactly, not as a DOUBLE.
    """
    apus_lt(i, r) AS CASE WHEN i IS NULL THEN NULL WHEN r >= 9223372036854775808::DOUBLE THEN TRUE \
    WHEN r <= -9223372036854775808::DOUBLE THEN FALSE ELSE i < TRY_CAST(ceil(r) AS BIGINT) END
    """,
    """
    apus_le(i, r) AS CASE WHEN i IS NULL THEN NULL WHEN r >= 9223372036854775808::DOUBLE THEN TRUE \
    WHEN r < -9223372036854775808::DOUBLE THEN FALSE ELSE i <= TRY_CAST(floor(r) AS BIGINT) END
    """,
    """
    apus_eq(i, r) AS CASE WHEN i IS NULL OR r IS NULL THEN NULL \
    WHEN r >= 9223372036854775808::DOUBLE OR r < -9223372036854775808::DOUBLE THEN FALSE \
    ELSE r = floor(r) AND i = TRY_CAST(floor(r) AS BIGINT) END
    """,
    """
    apus_round(x) AS CASE WHEN abs(x) > 4503599627370496::DOUBLE THEN x \
    WHEN x < 0 THEN trunc(x - 0.5::DOUBLE) + 0::DOUBLE ELSE trunc(x + 0.5::DOUBLE) END
    """,
    // substr counts from 1, or from the end if the start is negative. A negative length selects the
    // characters before the start.
    """
    apus_substr(x, s, n) AS CASE WHEN x IS NULL OR s IS NULL OR n IS NULL THEN NULL \
    WHEN n >= 0 THEN CASE WHEN s > 0 THEN substring(x, s, n) \
    WHEN s = 0 THEN substring(x, 1, greatest(n - 1, 0)) \
    WHEN s + length(x) >= 0 THEN substring(x, s + length(x) + 1, n) \
    ELSE substring(x, 1, greatest(n + s + length(x), 0)) END \
    ELSE apus_before(x, CASE WHEN s > 0 THEN s - 1 WHEN s = 0 THEN 0 ELSE s + length(x) END, n) END
    """,
    """
    apus_before(x, p, n) AS CASE WHEN p <= 0 THEN '' \
    ELSE substring(x, greatest(p + n, 0) + 1, least(-n, p)) END
    """,
    // The argument of `apus_time` is a number of seconds since 1970. As in SQLite, the result is
    // NULL if the date is outside of the years 0 to 9999.
    """
    apus_time(s) AS CASE WHEN s BETWEEN -62167219200 AND 253402300799 \
    THEN make_timestamp(s * 1000000) END
    """,
    "apus_months(t, n) AS date_trunc('month', t) + to_months(n) + (t - date_trunc('month', t))",
    "apus_weekday(t, n) AS t + to_days(CAST((n - date_part('dow', t) + 7) % 7 AS INTEGER))",
    """
    apus_valid(t) AS CASE WHEN t >= make_timestamp(-62167219200000000) \
    AND t < make_timestamp(253402300800000000) THEN t END
    """,
  ]

  private static let upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
  private static let lower = "abcdefghijklmnopqrstuvwxyz"
}

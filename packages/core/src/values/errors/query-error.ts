import { brand } from "./brand.ts";
import { TableError } from "./table-error.ts";

/**
 * A query cannot run as written, so nothing was sent; or its result is not the expected one: `query.none-found`,
 * `query.several-found`, `query.token-repeated`. Codes begin with `query.`.
 */
export class QueryError extends TableError {
  static {
    brand(this, "QueryError");
  }
}

/** The query would read a complete table without a call of `.scan()`. Code `query.scan-refused`. */
export class ScanRefused extends QueryError {
  static {
    brand(this, "ScanRefused");
  }

  /**
   * @param named - the properties in its conditions
   * @param indexes - indexes that could serve it without a scan
   */
  constructor(
    entity: string,
    table: string,
    missing: readonly string[],
    named: readonly string[],
    indexes: readonly string[] = [],
  ) {
    const names = missing.join(", ");
    const isOpen = missing.some((name) => named.includes(name));
    const why = isOpen
      ? `its conditions leave ${names} open, as ne() and startsWith("") do`
      : `it does not say ${names}`;
    const [index] = indexes;
    const by = index === undefined ? "" : `Ask by via("${index}"), or compare`;
    super(
      "query.scan-refused",
      `This query over ${entity} would scan the whole table ${table}: ${why}. ` +
        `${index === undefined ? "Compare" : by} ${names} (eq, in or a range) in where(), on both sides of an or, or call .scan() to read the whole table on purpose.`,
      { entity, table, missing, ...(index !== undefined && { indexes }) },
    );
  }
}

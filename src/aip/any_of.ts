/**
 * Conditions on many values in one bound parameter. D1 allows at most 100 bound parameters in a statement.
 */
import { type SQL, sql } from "drizzle-orm";

/**
 * The values as the rows of a subquery, for use with `in`. They take one bound parameter, whatever their
 * number.
 */
export const valuesSubselect = (values: readonly (string | number)[]): SQL =>
  sql`(select "value" from json_each(${JSON.stringify(values)}))`;

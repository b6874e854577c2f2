/** A condition on many values in one bound parameter: D1 takes 100 of them. */
import { type SQL, sql } from "drizzle-orm";

/** The values as the rows of a subselect, for `in`: one bound parameter, however many there are. */
export const valuesSubselect = (values: readonly (string | number)[]): SQL =>
  sql`(select "value" from json_each(${JSON.stringify(values)}))`;

/** The statement at the beginning of a batch that fails unless its organizations are in the database of the batch. */
import type { Query } from "./d1_through.ts";

/** The texts of a JSON parameter. */
export const listed = "(select value from json_each(?))";

const refusalText = "organization is ";

const writePattern = /^\s*(insert|update|delete)\b/i;

/**
 * The first statement of a batch. It fails if an organization is not in this database, or if the batch writes while
 * it leaves. SQLite quotes the text, an invalid JSON path, in its error.
 */
export function placeCheck(roots: string[], queries: Query[]): Query {
  const refused = queries.some(({ sql }) => writePattern.test(sql))
    ? "'leaving', 'departed', 'arriving'"
    : "'departed', 'arriving'";
  return {
    sql: `select json_extract('{}', '${refusalText}' || "state") from "organization_moves" where "uid" in ${listed} and "state" in (${refused})`,
    params: [JSON.stringify(roots)],
  };
}

/** The state that made the check of a batch fail. Undefined for another error. */
export function refusedState(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  return new RegExp(`${refusalText}(leaving|departed|arriving)`).exec(thrown.message)?.[1];
}

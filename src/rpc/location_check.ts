/** The statement at the beginning of a batch that says whether its organizations are in the database of the batch. */
import type { D1Result } from "@cloudflare/workers-types";
import type { Query, Send } from "./d1_through.ts";

/** The texts of a JSON parameter. */
export const listed = "(select value from json_each(?))";

const reason = "organization is ";

/** A database does not serve an organization, or the batch writes while the organization leaves. Nothing was written. */
export class Unserved extends Error {
  readonly state: string;

  constructor(state: string, cause?: unknown) {
    super(`${reason}${state}`, { cause });
    this.state = state;
  }
}

/**
 * Sends a batch with the check in front. Throws Unserved. A batch that writes is undone by a guard. A batch that only
 * reads may be sent to a replica, which takes no guard, so the check is its first result.
 */
export async function sendChecked(
  send: Send,
  roots: string[],
  queries: Query[],
): Promise<D1Result[]> {
  const params = [JSON.stringify(roots)];
  const where = `from "organization_moves" where "uid" in ${listed} and "state" in`;
  if (!queries.some(({ writes }) => writes)) {
    const sql = `select "state" ${where} ('departed', 'arriving')`;
    const [check, ...results] = await send([{ sql, params }, ...queries]);
    const [refused] = (check?.results ?? []) as { state: string }[];
    if (refused) throw new Unserved(refused.state);
    return results;
  }
  const sql = `insert into "write_guards" ("reason") select '${reason}' || "state" ${where} ('leaving', 'departed', 'arriving')`;
  try {
    return (await send([{ sql, params, writes: ["write_guards"] }, ...queries])).slice(1);
  } catch (thrown) {
    const state = refusedState(thrown);
    throw state === undefined ? thrown : new Unserved(state, thrown);
  }
}

/** The state that made a guard, or a trigger of the move, refuse the batch. Undefined for another error. */
function refusedState(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  return new RegExp(`${reason}(leaving|departed|arriving)`).exec(thrown.message)?.[1];
}

/** A separate platform that sends events, and an organization with its owner. */
import { startOwnPlatform } from "../../world/own_platform.ts";
import { randomName, randomUid } from "../../world/personas.ts";
import { tokenFor } from "../../world/platform.ts";

/** Short pauses between attempts. */
const defaultRetries = "1s 1s 1s 1s";

/** Starts the platform on a new database. Without a queue, only the schedule sends events. `close` stops it. */
export async function startSending(bindings: Record<string, string> = {}, hasQueue = true) {
  const { origin, db, env, runSchedule, stop } = await startOwnPlatform({
    sendsEvents: hasQueue,
    bindings: { DELIVERY_RETRIES: defaultRetries, ...bindings },
  });
  const sql = async (query: string, ...values: unknown[]) =>
    (
      await db
        .prepare(query)
        .bind(...values)
        .all<Record<string, unknown>>()
    ).results;
  // One person owns all organizations of a test.
  await sql("update quotas set quota_limit = -1 where kind = 'owned_organizations'");
  const owner = randomUid();
  await sql(
    "insert into identities (uid, name, last_seen_time, create_time, update_time) values (?, 'o', 1, 1, 1)",
    owner,
  );
  const token = await tokenFor(owner);

  /** One call with a body of JSON, as the owner of everything that is created here. */
  async function call(path: string, body?: unknown, method = body ? "POST" : "GET") {
    const response = await fetch(origin + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer = text === "" ? undefined : JSON.parse(text);
    return { status: response.status, body: answer };
  }

  /** Like `call`. Throws if the call fails. */
  async function done(...asked: Parameters<typeof call>) {
    const { status, body } = await call(...asked);
    if (status >= 300) throw new Error(`${asked[0]}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  const newOrganization = async () =>
    (await done("/iam/v2/groups", { name: randomName("org") })).uid as string;
  const newGroup = async (parent: string) =>
    (await done(`/iam/v2/groups/${parent}`, { name: randomName("group") })).uid as string;
  const newRepo = async (parent: string) =>
    (await done(`/registry/v2/repos/${parent}`, { name: randomName("repo") })).uid as string;
  const subscribe = async (parent: string, subscription: object) =>
    await done(`/events/v2/subscriptions/${parent}`, subscription);
  return {
    ...{ origin, env, token, owner, sql, call, done, runSchedule, close: stop },
    ...{ newOrganization, newGroup, newRepo, subscribe },
  };
}

export type Sending = Awaited<ReturnType<typeof startSending>>;

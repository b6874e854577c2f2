/** A separate platform with two databases, and organizations in both. */
import type { D1Database } from "@cloudflare/workers-types";
import { startOwnPlatform } from "./own_platform.ts";
import { randomName, randomUid } from "./personas.ts";
import { registryAudience, tokenFor } from "./platform.ts";

/** The names of the databases. */
export type DatabaseName = "DB" | "DB_2";

const ownerRole = "select uid from roles where name = 'owner' and length(uid) = 40";

/** An organization, its database, and the person who owns it. */
export interface Home {
  uid: string;
  name: string;
  at: DatabaseName;
  owner: string;
  token: string;
}

/** Starts it. New organizations come into `DB_2`. `stop` stops it. */
export async function startSpread(setting: Parameters<typeof startOwnPlatform>[0] = {}) {
  const platform = await startOwnPlatform({
    further: ["DB_2"],
    ...setting,
    bindings: { NEW_ORGANIZATIONS: "DB_2", METER: "true", ...setting.bindings },
  });
  const { origin, databases } = platform;

  /** The rows of a statement in one database. */
  const rowsIn = async <Row = Record<string, unknown>>(
    at: DatabaseName,
    query: string,
    ...values: unknown[]
  ): Promise<Row[]> => {
    const database = databases[at] as D1Database;
    const { results } = await database
      .prepare(query)
      .bind(...values)
      .all<Row>();
    return results;
  };

  /** One call with a body of JSON. */
  async function call(path: string, token: string, body?: unknown, method = body ? "POST" : "GET") {
    const response = await fetch(origin + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    // Tests read answers of every shape.
    return {
      status: response.status,
      body: text === "" ? undefined : JSON.parse(text),
      roundTrips: Number(
        /round_trips=(\d+)/.exec(response.headers.get("server-timing") ?? "")?.[1],
      ),
    };
  }

  /** Like `call`, and returns the body. Throws if the call fails. */
  async function done(...asked: Parameters<typeof call>) {
    const { status, body } = await call(...asked);
    if (status >= 300) throw new Error(`${asked[0]}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  /** A person whom the first database has. */
  async function newPerson(): Promise<{ uid: string; token: string }> {
    const uid = randomUid();
    await rowsIn(
      "DB",
      "insert into identities (uid, name, last_seen_time, create_time, update_time) values (?, 'o', 1, 1, 1)",
      uid,
    );
    return { uid, token: await tokenFor(uid) };
  }

  /** A new organization. A call creates it in `DB_2`, and SQL in `DB`. */
  async function newHome(at: DatabaseName, owner?: { uid: string; token: string }): Promise<Home> {
    const person = owner ?? (await newPerson());
    const name = randomName("org");
    if (at === "DB_2") {
      const { uid } = await done("/iam/v2/groups", person.token, { name });
      return { uid, name, at, owner: person.uid, token: person.token };
    }
    const uid = randomUid();
    await rowsIn(
      at,
      "insert into groups (uid, name, create_time, update_time) values (?, ?, 1, 1)",
      uid,
      name,
    );
    await rowsIn(
      at,
      `insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time) values (?, ?, (${ownerRole}), 1, 1)`,
      `${uid}/00000000000000aa`,
      person.uid,
    );
    return { uid, name, at, owner: person.uid, token: person.token };
  }

  const registryToken = (uid: string) => tokenFor(uid, { aud: registryAudience }, 3600);
  return { ...platform, rowsIn, call, done, newPerson, newHome, registryToken };
}

export type SpreadPlatform = Awaited<ReturnType<typeof startSpread>>;

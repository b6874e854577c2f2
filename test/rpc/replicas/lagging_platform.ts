/** The platform on a database with a lagging replica, in the process of the test. */
import type { D1Database } from "@cloudflare/workers-types";
import type { Env } from "../../../src/config.ts";
import { handleSchedule } from "../../../src/events/deliveries/wake.ts";
import { writeHeartbeat } from "../../../src/events/heartbeat.ts";
import platform from "../../../src/platform.ts";
import { bookmarkHeader } from "../../../src/rpc/bookmark.ts";
import { openDatabase } from "../../../src/rpc/database.ts";
import { startOwnPlatform } from "../../world/own_platform.ts";
import { randomName, randomUid } from "../../world/personas.ts";
import { tokenFor } from "../../world/platform.ts";
import { LaggingDatabase } from "./lagging_database.ts";

/** A call of the API. */
export interface Asked {
  token?: string;
  body?: unknown;
  method?: string;
  headers?: Record<string, string>;
  bookmark?: string | undefined;
}

/** Starts the platform with `READS` set to `nearest`, or with other variables. */
export async function startLaggingPlatform(bindings: Record<string, string> = {}) {
  const { db, databases, env: variables, stop } = await startOwnPlatform({ further: ["DB_2"] });
  const database = new LaggingDatabase(db, databases.DB_2 as D1Database);
  const env: Env = { ...variables, READS: "nearest", ...bindings, DB: database.binding };
  // It is the replica, and no database of its own.
  delete (env as { DB_2?: D1Database }).DB_2;
  const later: Promise<unknown>[] = [];
  const execution = { waitUntil: (work: Promise<unknown>) => void later.push(work) };

  /** Sends a request to the platform, and waits for its work after the response. */
  const fetchPlatform = async (url: string | Request, init?: RequestInit) => {
    const response = await platform.fetch(new Request(url, init), env, execution);
    await Promise.allSettled(later.splice(0));
    return response;
  };

  async function call(path: string, asked: Asked = {}) {
    const { token, body, method = body === undefined ? "GET" : "POST", bookmark } = asked;
    database.served.length = 0;
    const response = await fetchPlatform(`${env.BASE_URL}${path}`, {
      method,
      headers: {
        ...asked.headers,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(bookmark === undefined ? {} : { [bookmarkHeader]: bookmark }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      bookmark: response.headers.get(bookmarkHeader) ?? undefined,
      // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
      body: (text === "" ? undefined : JSON.parse(text)) as any,
      /** Where the batches ran, and what began their sessions. */
      served: [...database.served],
    };
  }

  const done = async (path: string, asked: Asked) => {
    const answer = await call(path, asked);
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer;
  };

  /** Writes the time, as the schedule does every minute. */
  const beat = (time = Date.now()) => writeHeartbeat(openDatabase(env, execution).db, time);

  /** Runs the schedule of the events Worker. */
  const runSchedule = () => handleSchedule({}, env, execution);

  /** The times in the table of heartbeats, at the primary. */
  const heartbeats = async () => {
    const rows = await db.prepare("select time from heartbeats").all<{ time: number }>();
    return rows.results.map(({ time }) => time);
  };

  const newPerson = async () => {
    const uid = randomUid();
    const session = database.binding.withSession("first-primary");
    const insert = session.prepare(
      "insert into identities (uid, name, last_seen_time, create_time, update_time) values (?, ?, 1, 1, 1)",
    );
    await session.batch([insert.bind(uid, randomName("user"))]);
    return { uid, token: await tokenFor(uid) };
  };

  /** An organization, and a person who owns it. */
  const newOrganization = async () => {
    const owner = await newPerson();
    const body = { name: randomName("org") };
    const made = await done("/iam/v2/groups", { token: owner.token, body });
    return { uid: made.body.uid as string, owner };
  };

  const roleUid = async (name: string): Promise<string> => {
    const [row] = (
      await db
        .prepare("select uid from roles where name = ? and length(uid) = 40")
        .bind(name)
        .all<{ uid: string }>()
    ).results;
    return row?.uid ?? "";
  };

  /** An identity with a role at the organization. Returns its binding, too. */
  const newBot = async (organization: { uid: string; owner: { token: string } }, role: string) => {
    const { token } = organization.owner;
    const body = { name: randomName("bot") };
    const { uid } = (await done(`/iam/v2/identities/${organization.uid}`, { token, body })).body;
    const bound = await done(`/iam/v2/roleBindings/${organization.uid}`, {
      token,
      body: { identityUid: uid, roleUid: await roleUid(role) },
    });
    return { uid: uid as string, token: await tokenFor(uid), binding: bound.body.uid as string };
  };

  return {
    ...{ env, database, fetchPlatform, call, done, beat, runSchedule, heartbeats, stop },
    ...{ newPerson, newOrganization, newBot },
  };
}

export type LaggingPlatform = Awaited<ReturnType<typeof startLaggingPlatform>>;
export type LaggingOrganization = Awaited<ReturnType<LaggingPlatform["newOrganization"]>>;

/** A platform for this folder, whose D1 contains the same rows in every run. */
import type { D1Database, D1PreparedStatement } from "@cloudflare/workers-types";
import { startOwnPlatform } from "../world/own_platform.ts";
import { type Recording, recorderOf, type SentStatement } from "../world/recorder.ts";
import { openCallers, type Tokens } from "./callers.ts";
import type { CostCase } from "./case.ts";
import { eventRows } from "./events.ts";
import { scatteredRows } from "./many_grants.ts";
import { organizationOf, type Row, rowsOf } from "./rows.ts";
import { contentStatements } from "./stored_content.ts";

/** The organization of the calls, between the two others in every index. */
const organization = organizationOf("5");
/** The previous one is the public namespace, which the public feeds are about. */
const others = { public: organizationOf("1"), "after.example": organizationOf("e") };

export interface CostPlatform {
  /** Makes the call, which must succeed, and returns its statements. */
  record(asked: CostCase): Promise<SentStatement[][]>;
  /** The lines of the plan by which D1 runs each statement with its own parameters, by its text. */
  explain(statements: SentStatement[]): Promise<Map<string, string[]>>;
  stop(): Promise<void>;
}

/** Starts it. The times of the rows are in 2026, and no two organizations share a row. */
export async function startCostPlatform(): Promise<CostPlatform> {
  const { db, origin, stop } = await startOwnPlatform({
    wrapper: recorderOf("./platform.js"),
    bindings: { DNS_URL: "" },
  });
  const callers = await openCallers(organization);
  await fill(db, callers.rows);
  const stage = { url: origin, tokens: callers.tokens };
  return {
    record: (asked) => record(stage, asked),
    explain: (statements) => explain(db, statements),
    async stop() {
      callers.close();
      await stop();
    },
  };
}

async function fill(db: D1Database, callers: Record<string, Row[]>[]): Promise<void> {
  // The quotas are read, and no row of the stage is near one.
  await db.prepare("update quotas set quota_limit = 1000000000").run();
  const named = { "asked.example": organization, ...others };
  const all = Object.entries(named).map(([name, of]) => ({
    ...rowsOf(of, name),
    events: eventRows(of),
  }));
  for (const rows of [...all, scatteredRows(organization), ...callers]) {
    await db.batch(Object.entries(rows).flatMap(([table, some]) => insert(db, table, some)));
  }
  const content = Object.values(named).flatMap(contentStatements);
  await db.batch(content.map(([text, ...parameters]) => db.prepare(text).bind(...parameters)));
}

/** One statement for all rows of a table. All rows have the same columns. */
function insert(db: D1Database, table: string, rows: Row[]): D1PreparedStatement[] {
  const [first] = rows;
  if (!first) return [];
  const columns = Object.keys(first);
  const values = columns.map((name) => `value ->> '$.${name}'`);
  const text = `insert into ${table} (${columns.join()}) select ${values.join()} from json_each(?)`;
  return [db.prepare(text).bind(JSON.stringify(rows))];
}

function bodyOf({ body }: CostCase): string | null {
  if (body === undefined) return null;
  return typeof body === "string" ? body : JSON.stringify(body);
}

async function record({ url, tokens }: { url: string; tokens: Tokens }, asked: CostCase) {
  const { method = "GET" } = asked;
  const headers = new Headers({ "x-record": method });
  const token = tokens[asked.who ?? "owner"];
  const { user } = asked;
  const basic = Buffer.from(`${user}:${token}`).toString("base64");
  if (token) headers.set("authorization", user ? `Basic ${basic}` : `Bearer ${token}`);
  if (asked.key) headers.set("idempotency-key", asked.key);
  if (asked.contentType) headers.set("content-type", asked.contentType);
  const fetched = async (path: string) => {
    const response = await fetch(`${url}${path}`, {
      // The response to a HEAD could not contain the recording.
      method: method === "HEAD" ? "GET" : method,
      ...{ headers, body: bodyOf(asked) },
    });
    const recording = (await response.json()) as Recording;
    if (recording.status < 200 || recording.status > 299) {
      throw new Error(`${asked.name}: ${recording.status} ${recording.body}`);
    }
    return recording;
  };
  const first = await fetched(asked.path);
  if (!asked.second) return first.statements;
  const { nextPageToken } = JSON.parse(first.body) as { nextPageToken?: string };
  if (!nextPageToken) throw new Error(`${asked.name}: there is no second page`);
  const mark = asked.path.includes("?") ? "&" : "?";
  return (await fetched(`${asked.path}${mark}page_token=${nextPageToken}`)).statements;
}

async function explain(db: D1Database, sent: SentStatement[]): Promise<Map<string, string[]>> {
  const plans = new Map<string, string[]>();
  const statements = [...new Map(sent.map((one) => [one.sql, one])).values()];
  for (let at = 0; at < statements.length; at += 50) {
    const some = statements.slice(at, at + 50);
    const answers = await db.batch<{ detail: string }>(
      some.map(({ sql, params }) => db.prepare(`explain query plan ${sql}`).bind(...params)),
    );
    for (const [index, { results }] of answers.entries()) {
      plans.set(
        some[index]?.sql ?? "",
        results.map(({ detail }) => detail),
      );
    }
  }
  return plans;
}

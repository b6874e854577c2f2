import { Miniflare, convertV4MiniflareOptions as options } from "miniflare";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Recording, recorderOf } from "./recorder.ts";

/** Calls D1 in every way that a Worker can, and returns the results. */
const worker = `
export default {
  async fetch(request, { DB }, { waitUntil }) {
    if (request.url.endsWith("/later")) {
      const write = async () => {
        await scheduler.wait(50);
        await DB.prepare("insert into things (name) values (?)").bind("later").run();
      };
      waitUntil(write());
      return new Response(request.method);
    }
    const session = DB.withSession("first-primary");
    const insert = session.prepare("insert into things (name) values (?)");
    await session.batch([insert.bind("one"), insert.bind("two")]);
    const select = (db) => db.prepare("select name from things where name > ? order by name").bind("one");
    const { results } = await select(DB).all();
    const raw = await select(session).raw();
    const first = await select(DB).first("name");
    const { meta } = await DB.prepare("delete from things where name <> ''").run();
    const bookmark = typeof session.getBookmark();
    return Response.json({ results, raw, first, changes: meta.changes, bookmark }, { status: 202 });
  },
};`;
const answer = {
  results: [{ name: "two" }],
  raw: [["two"]],
  first: "two",
  changes: 2,
  bookmark: "string",
};

let miniflare: Miniflare;
let url: string;

beforeAll(async () => {
  miniflare = new Miniflare(
    options({
      modules: [
        { type: "ESModule", path: "recorder.js", contents: recorderOf("./worker.js") },
        { type: "ESModule", path: "worker.js", contents: worker },
      ],
      compatibilityDate: "2026-10-01",
      d1Databases: { DB: "recorded" },
    }),
  );
  url = (await miniflare.ready).href;
  const db = await miniflare.getD1Database("DB");
  await db.exec("create table things (name text)");
});

afterAll(() => miniflare.dispose());

test("a call without the header has its usual response", async () => {
  const response = await fetch(url);
  expect(response.status).toBe(202);
  expect(await response.json()).toEqual(answer);
});

test("a recording has the answer and every statement, by round trip, with its parameters and counts", async () => {
  const response = await fetch(url, { headers: { "x-record": "1" } });
  const { status, body, statements } = (await response.json()) as Recording;
  expect(status).toBe(202);
  expect(JSON.parse(body)).toEqual(answer);
  const insert = { sql: "insert into things (name) values (?)", rowsRead: 0, rowsWritten: 1 };
  const select = {
    sql: "select name from things where name > ? order by name",
    params: ["one"],
    ...{ rowsRead: 3, rowsWritten: 0 },
  };
  expect(statements).toEqual([
    [
      { ...insert, params: ["one"] },
      { ...insert, params: ["two"] },
    ],
    [select],
    [select],
    [select],
    [{ sql: "delete from things where name <> ''", params: [], rowsRead: 2, rowsWritten: 2 }],
  ]);
});

test("a recording of a HEAD has the statements after the response too", async () => {
  const response = await fetch(`${url}later`, { headers: { "x-record": "HEAD" } });
  const sql = "insert into things (name) values (?)";
  const sent = { sql, params: ["later"], rowsRead: 0, rowsWritten: 1 };
  expect(await response.json()).toEqual({ status: 200, body: "HEAD", statements: [[sent]] });
});

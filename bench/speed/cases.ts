/** The calls whose speed is measured, on an organization with 20,000 tags. */
import { DatabaseSync } from "node:sqlite";
import { type Recording, recorderOf, type SentStatement } from "../../test/world/recorder.ts";
import { fillOrganization } from "../organization.ts";
import { type BenchPlatform, makeDatabase, startBenchPlatform } from "../stage.ts";

/** One call. `name` is also the path on the bare Worker, which sends the same statements to D1. */
export interface SpeedCase {
  name: string;
  /** The title for the reader. */
  title: string;
  /** The default is GET. */
  method?: "GET" | "HEAD";
  path: string;
  /** Whether it is a call to the registry host, whose tokens have a different audience. */
  isRegistry: boolean;
}

/** The calls and their caller, an identity with one role binding on the organization. */
export interface CasesWithCaller {
  caller: string;
  cases: SpeedCase[];
}

const tagCount = 20_000;
/** The most records in a response of the tag history. */
const historyLength = 1_000;
const historyTag = "latest";

/** Creates the database in a folder, and the cases for it. */
export async function makeCases(folder: string): Promise<CasesWithCaller> {
  const file = await makeDatabase(folder);
  const { root, repo, owner } = fillOrganization(file, tagCount);
  const db = new DatabaseSync(file);
  const tag = uidOf(db, "select uid from tags where parent = ? limit 1", repo);
  const image = uidOf(db, "select uid from repos where parent = ? and name = 'image-0'", root);
  insertHistory(db, image);
  db.close();
  const below = `uidp.descendants_of=${root}&page_size=50`;
  const api = { isRegistry: false };
  return {
    caller: owner,
    cases: [
      { name: "get-tag", title: "Get a tag", path: `/registry/v2/tags/${tag}`, ...api },
      { name: "get-repo", title: "Get a repo", path: `/registry/v2/repos/${repo}`, ...api },
      {
        name: "list-tags",
        title: "List 50 tags",
        path: `/registry/v2/tags?${below}&order_by=name`,
        ...api,
      },
      {
        name: "list-repos",
        title: "List 50 repos",
        path: `/registry/v2/repos?${below}&order_by=name`,
        ...api,
      },
      {
        name: "history",
        title: `Tag history, ${historyLength} records`,
        path: `/v2/${root}/image-0/_vendor/history/${historyTag}`,
        isRegistry: true,
      },
    ],
  };
}

function uidOf(db: DatabaseSync, query: string, parent: string): string {
  const uid = db.prepare(query).get(parent)?.uid;
  if (typeof uid !== "string") throw new Error(`there is nothing below ${parent}`);
  return uid;
}

function insertHistory(db: DatabaseSync, repo: string): void {
  db.prepare(
    `with recursive moves(at) as (select 0 union all select at + 1 from moves where at < ?)
     insert into tag_moves (repo_uid, tag, update_time, digest)
     select ?, ?, ? + at * 60000, 'sha256:' || printf('%064x', at) from moves`,
  ).run(historyLength - 1, repo, historyTag, Date.UTC(2026, 0, 1));
}

/** Returns the Authorization header of a case. */
export async function headersOf(
  platform: BenchPlatform,
  caller: string,
  { isRegistry }: SpeedCase,
) {
  const audience = isRegistry ? platform.registryAudience : platform.audience;
  return { authorization: `Bearer ${await platform.tokenFor(caller, audience)}` };
}

/** Returns the statements that the platform sends to D1 in each case, by the name of the case. */
export async function recordStatements(
  bundle: string,
  folder: string,
  { caller, cases }: CasesWithCaller,
  variables: Record<string, string> = {},
): Promise<Record<string, SentStatement[][]>> {
  const modules = [
    { path: "recorder.js", contents: recorderOf("./platform.js") },
    { path: "platform.js", contents: bundle },
  ];
  const platform = await startBenchPlatform(bundle, folder, { meter: false, variables, modules });
  const recorded: Record<string, SentStatement[][]> = {};
  try {
    for (const speedCase of cases) {
      const asked = { "x-record": speedCase.method ?? "GET" };
      const headers = { ...(await headersOf(platform, caller, speedCase)), ...asked };
      const record = () => fetch(`${platform.url}${speedCase.path}`, { headers });
      // The first call of a day also records the use of the identity. The measured calls do not.
      await (await record()).arrayBuffer();
      const response = await record();
      const { status, body, statements } = (await response.json()) as Recording;
      if (status !== 200) throw new Error(`${speedCase.path}: ${status} ${body}`);
      recorded[speedCase.name] = statements;
    }
  } finally {
    await platform.stop();
  }
  return recorded;
}

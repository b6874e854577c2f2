/** `If-Match` of one call: the comparison with the row that was read, and the guard of the batch. */
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { drizzle } from "drizzle-orm/d1";
import { beforeAll, expect, test } from "vitest";
import { GroupSchema } from "../../schema/gen/platform/iam/v2/groups_pb.js";
import { RepoSchema } from "../../schema/gen/platform/registry/v2/repos_pb.js";
import { repos } from "../../schema/tables/registry/repos.ts";
import { readEtagCondition, versionOf } from "../../src/aip/etags.ts";
import type { Call } from "../../src/auth/call.ts";
import { requireMatch } from "../../src/resource/precondition.ts";
import { createResource, newOrganization, randomName } from "../world/personas.ts";
import { sql } from "../world/platform.ts";

type Row = { uid: string; updateTime: number };

const repo = {
  type: "registry/Repo",
  table: repos,
  toMessage: ({ uid, updateTime }: Row) =>
    create(RepoSchema, { uid, updateTime: timestampFromMs(updateTime) }),
};

let row: Row;
beforeAll(async () => {
  const { uid, owner } = await newOrganization();
  const path = `/registry/v2/repos/${uid}`;
  const made = await createResource(path, owner.token, { name: randomName("repo") });
  row = { uid: made.uid, updateTime: Date.parse(String(made.updateTime)) };
});

function callWith(etag: string) {
  const ifMatch = readEtagCondition(new Headers({ "if-match": etag }), "if-match");
  // A call that only builds statements.
  const db = drizzle({} as never);
  return { db, ifMatch, guards: new Map() } as unknown as Call;
}

const etag = () => `"${versionOf(repo.toMessage(row))}"`;

async function runGuard({ guards }: Call): Promise<void> {
  const guard = guards.get("if-match")?.() as unknown as { toSQL(): Parameters<typeof run>[0] };
  await run(guard.toSQL());
}

const run = ({ sql: text, params }: { sql: string; params: unknown[] }) =>
  sql(text, ...(params as string[]));

test("the guard lets the batch pass while the row is as it was read, and aborts it afterwards", async () => {
  const call = callWith(etag());
  requireMatch(call, repo, row.uid, row);
  await runGuard(call);
  await sql("update repos set update_time = update_time + 1 where uid = ?", row.uid);
  await expect(runGuard(call)).rejects.toThrow();
  await sql("update repos set update_time = update_time - 1 where uid = ?", row.uid);
});

test("an etag of another version, of another resource or of another type is refused, and so is a weak one", () => {
  const later = versionOf(repo.toMessage({ ...row, updateTime: row.updateTime + 1 }));
  const group = create(GroupSchema, { uid: row.uid, updateTime: timestampFromMs(row.updateTime) });
  const other = versionOf(repo.toMessage({ ...row, uid: `${row.uid}/${"0".repeat(16)}` }));
  for (const one of [`"${later}"`, `"${versionOf(group)}"`, `"${other}"`, `W/${etag()}`, '""']) {
    const call = callWith(one);
    expect(() => requireMatch(call, repo, row.uid, row), one).toThrow(etag());
    expect(call.guards.size).toBe(0);
  }
  expect(() => requireMatch(callWith("*"), repo, row.uid, undefined)).toThrow("does not exist");
});

test("without If-Match nothing is compared", () => {
  const call = { guards: new Map() } as unknown as Call;
  requireMatch(call, repo, row.uid, row);
  expect(call.guards.size).toBe(0);
});

test.each([
  ['"a"', [{ isWeak: false, text: "a" }]],
  [
    ' "a,b" ,, W/"c" ',
    [
      { isWeak: false, text: "a,b" },
      { isWeak: true, text: "c" },
    ],
  ],
])("the list %s is read", (text, etags) => {
  const condition = readEtagCondition(new Headers({ "if-match": text }), "if-match");
  expect(condition).toEqual({ isAny: false, etags });
});

test.each(["", "a", '"a', 'a"', '"a" "b"', "*, *", 'w/"a"', ",", '"a b"'])(
  "%s is malformed",
  (text) => {
    const headers = new Headers({ "if-match": text });
    expect(() => readEtagCondition(headers, "if-match")).toThrow("if-match must be * or a list");
  },
);

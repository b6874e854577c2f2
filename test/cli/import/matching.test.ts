/** `platformctl import osv --watch` waits for the matching of records, and its end changes nothing about it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { run } from "../../../cli/commands/run.ts";
import { bomOf, npm, recordOf } from "../../matching/matches.ts";
import { newRepoIn, putSbom } from "../../registry/images/stored_images.ts";
import { fakeDigest, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { newStateFolder, newSurroundings, root } from "../command.ts";

let organization: Organization;
let env: NodeJS.ProcessEnv;
beforeEach(async () => {
  organization = await newOrganization();
  env = { PLATFORM_STATE: await newStateFolder(organization), PLATFORM_GROUP: organization.name };
});

const watch = ["import", "osv", "-", "--watch"];
const lines = (...records: object[]) => records.map((one) => JSON.stringify(one)).join("\n");
const mark = (n: number) => `${organization.uid}/${String(n).repeat(16)}`;

/** Leaves advisories to match, as if the platform had not come to them yet. */
const leave = (...numbers: number[]) =>
  Promise.all(
    numbers.map((n) =>
      sql(
        "insert into match_marks (root, kind, uid, revision, cursor) values (?, 2, ?, 1, '')",
        ...[organization.uid, mark(n)],
      ),
    ),
  );
const finish = (...numbers: number[]) =>
  Promise.all(numbers.map((n) => sql("delete from match_marks where uid = ?", mark(n))));

/** Begins a command in the process of the test. */
async function begin(args: string[], input: string, hasPerson = false) {
  const surroundings = await newSurroundings({ env, input, hasPerson });
  const ended = run(args, surroundings).finally(() => surroundings.stdin.destroy());
  const { stdout, stderr } = surroundings;
  return {
    ended: ended.then(() => surroundings.exitCode),
    out: () => stdout.text(),
    err: () => stderr.text(),
  };
}

test("it ends with 0 when all records of the import are matched, and the findings are there", async () => {
  const repo = await newRepoIn(organization);
  await putSbom(organization, repo, fakeDigest("one"), bomOf(npm("1.0.0")));
  const records = Array.from({ length: 150 }, (_, n) => recordOf(`CVE-2026-${1000 + n}`));
  const { ended, out } = await begin(watch, lines(...records));
  expect(await ended).toBe(0);
  expect(out()).toContain("150 created, 0 updated, 0 unchanged\nAll 150 records are matched.\n");
  const found = await callRest(
    `/registry/v2/findings?uidp.descendants_of=${organization.uid}&page_size=200`,
    { token: organization.owner.token },
  );
  expect(found.body.findings).toHaveLength(150);
});

test("a repeated command shows the rest, a line for each change, and ends when nothing is left", async () => {
  const first = await begin(watch, lines(recordOf("CVE-2026-1")));
  expect(await first.ended).toBe(0);
  expect(first.out()).toContain("The record is matched.");
  await leave(1, 2, 3);
  const { ended, out, err } = await begin(watch, lines(recordOf("CVE-2026-1")));
  await expect.poll(err).toBe("0 records matched, 3 left\n");
  await finish(1, 2);
  await expect.poll(err).toContain("2 records matched, 1 left\n");
  await finish(3);
  expect(await ended).toBe(0);
  expect(err().split("\n")).toHaveLength(4);
  expect(out()).toContain("0 created, 0 updated, 1 unchanged\nAll 3 records are matched.\n");
  const again = await begin([...watch, "--json"], lines(recordOf("CVE-2026-1")));
  expect(await again.ended).toBe(0);
  expect(JSON.parse(again.out())).toMatchObject({ unchanged: 1 });
});

test("on a terminal, one line is drawn again and cleared at the end", async () => {
  await leave(1, 2);
  const { ended, err } = await begin(watch, "", true);
  await expect.poll(err).toContain("\r\x1b[K[");
  await finish(1);
  await expect.poll(err).toContain(" 50%  1 record matched, 1 left");
  await finish(2);
  expect(await ended).toBe(0);
  expect(err().endsWith("\r\x1b[K")).toBe(true);
  expect(err()).not.toContain("\n");
});

test("Ctrl-C ends the command, and what is left stays for the platform", async () => {
  await leave(1, 2);
  const child = spawn(process.execPath, [join(root, "cli", "platformctl.js"), ...watch], {
    env: { PATH: process.env.PATH, XDG_STATE_HOME: "/nowhere", ...env },
  });
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    err += text;
  });
  child.stdin.end();
  await expect.poll(() => err).toContain("0 records matched, 2 left");
  child.kill("SIGINT");
  const [code, signal] = await once(child, "close");
  expect(code === 130 || signal === "SIGINT").toBe(true);
  expect(await sql("select uid from match_marks where root = ?", organization.uid)).toHaveLength(2);
  await finish(1, 2);
});

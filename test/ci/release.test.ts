/** Release versions, release notes and the form of commits, tested in a temporary repository. */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { notesOf, versionOf } from "../../.ci/release.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "release-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** An empty configuration of git, and no repository that a hook of git runs in. */
const env = {
  PATH: process.env.PATH,
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.com",
};
const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, env, stdio: "pipe" });
const commit = (subject: string) => git("commit", "--quiet", "--allow-empty", "-m", subject);
const checkCommits = (range: string) =>
  spawnSync(join(root, ".ci/commits"), [range], { cwd: folder, env, encoding: "utf8" });

beforeAll(() => {
  git("init", "--quiet", "--initial-branch", "main");
  commit("Begin");
  commit("cli: whoami names the organization");
  git("tag", "v0.9.0");
  commit("cli: pin takes a time");
  commit("registry: a List of tags reads fewer rows");
  git("tag", "v1.0.0-rc.1");
  git("tag", "nightly");
  commit("docs, cli: one name for a group");
  git("tag", "-a", "v1.0.0", "-m", "1.0.0");
  commit("cli: history has a flag --since");
  git("tag", "v1.1.0");
});

test.each([
  ["v1.2.3", "1.2.3"],
  ["v0.1.0-rc.1", "0.1.0-rc.1"],
])("the tag %s is the version %s", (tag, version) => {
  expect(versionOf(tag)).toBe(version);
});

test.each(["1.2.3", "v1.2", "v01.2.3", "v1.2.3-", "version", "v1.2.3; rm -rf"])(
  "the tag %s is rejected, because npm does not accept such a version",
  (tag) => {
    expect(() => versionOf(tag)).toThrow("is not a version");
  },
);

test("notes list the changes since the previous release, by area", () => {
  expect(notesOf(folder, "v1.1.0")).toBe(
    "Changes since v1.0.0.\n\n### cli\n\n- history has a flag --since\n",
  );
});

test("the notes of a release include the changes of its candidates, the oldest first", () => {
  expect(notesOf(folder, "v1.0.0")).toBe(`Changes since v0.9.0.

### cli

- pin takes a time

### docs, cli

- one name for a group

### registry

- a List of tags reads fewer rows
`);
  expect(notesOf(folder, "v1.0.0-rc.1")).not.toContain("one name for a group");
});

test("the notes of the first release list every commit, also those without an area", () => {
  expect(notesOf(folder, "v0.9.0")).toBe(
    "The first release.\n\n### cli\n\n- whoami names the organization\n\n### other\n\n- Begin\n",
  );
});

test("the notes of an unknown tag are an error", () => {
  expect(() => notesOf(folder, "v9.9.9")).toThrow();
});

test("commits of the form `area: what changed` pass", () => {
  expect(checkCommits("v0.9.0..v1.1.0")).toMatchObject({ status: 0, stdout: "" });
});

test("a commit of another form is rejected by name, and so is an unknown range", () => {
  const whole = checkCommits("v1.1.0");
  expect(whole.status).toBe(1);
  expect(whole.stdout).toMatch(/^[0-9a-f]{7,} Begin$/m);
  expect(checkCommits("nowhere..v1.1.0").status).not.toBe(0);
});

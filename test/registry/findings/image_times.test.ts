/** ListFindings and ListPackages at a time in the past, and by pulls. */
import { beforeAll, describe, expect, test } from "vitest";
import { createResource, fakeDigest, newOrganization } from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { newRepoIn, putIndex } from "../images/stored_images.ts";
import { putBom, putReport } from "./stored_findings.ts";

const day = 86_400_000;
const now = Date.now();
const ago = (days: number) => new Date(now - days * day).toISOString();
const [old, next, untagged] = [fakeDigest("old"), fakeDigest("next"), fakeDigest("untagged")];

let organization: Awaited<ReturnType<typeof newOrganization>>;
let repo: string;

/** Records in the history that a tag pointed to a digest from some days ago on. */
const moved = (tag: string, digest: string, days: number, of = repo) =>
  sql(
    "insert into tag_moves (repo_uid, tag, update_time, digest) values (?, ?, ?, ?)",
    ...[of, tag, now - days * day, digest],
  );

const pulled = (reference: string, identity: string, days: number, of = repo) =>
  sql(
    `insert into tag_pulls (repo_id, reference, identity, identity_name, time, days)
      select id, ?, ?, ?, ?, 1 from repo_storage where uid = ?`,
    ...[reference, identity, identity, now - days * day, of],
  );

async function newScannedRepo() {
  const uid = await newRepoIn(organization);
  const { token } = organization.owner;
  for (const digest of [old, next, untagged]) {
    await putReport(token, uid, digest, ["2.14.1"]);
    await putBom(organization, uid, digest, ["2.14.1"]);
  }
  await sql("insert into repo_storage (uid, organization_id) values (?, 1)", uid);
  return uid;
}

beforeAll(async () => {
  organization = await newOrganization();
  repo = await newScannedRepo();
});

interface Row {
  digest: string;
  tags?: string[];
}

const calls = {
  findings: { vulnerability: "CVE-2021-44228" },
  "findings of a package": { purl: "pkg:maven/org.apache.logging.log4j/log4j-core" },
  "all findings": {},
  packages: { name: "log4j-core" },
  "packages by URL": { purl: "pkg:maven/org.apache.logging.log4j/log4j-core@<2.15" },
  "all packages": {},
};
const names = Object.keys(calls) as (keyof typeof calls)[];

async function ask(name: keyof typeof calls, query: Record<string, string>) {
  const kind = name.includes("findings") ? "findings" : "packages";
  const all = { "uidp.children_of": repo, ...calls[name], ...query };
  const { token } = organization.owner;
  const answer = await callRest(`/registry/v2/${kind}?${new URLSearchParams(all)}`, { token });
  return { status: answer.status, body: answer.body, rows: (answer.body[kind] ?? []) as Row[] };
}

/** The digests and their tags, by the names of the digests. */
async function found(name: keyof typeof calls, query: Record<string, string>) {
  const { status, body, rows } = await ask(name, query);
  expect(status, JSON.stringify(body)).toBe(200);
  const named = new Map([
    [old, "old"],
    [next, "next"],
    [untagged, "untagged"],
  ]);
  return Object.fromEntries(rows.map(({ digest, tags = [] }) => [named.get(digest), tags]));
}

describe("at a time in the past", () => {
  beforeAll(async () => {
    await moved("latest", old, 30);
    await moved("1.0", old, 20);
    await moved("latest", next, 10);
    await moved("1.0", "", 5);
    // It came back, so that two records have the same digest.
    await moved("latest", old, 3);
    await moved("latest", next, 1);
  });

  test.each(names)("%s have the tags of that time, and only images that had one", async (name) => {
    expect(await found(name, { at: ago(31) })).toEqual({});
    expect(await found(name, { at: ago(25) })).toEqual({ old: ["latest"] });
    expect(await found(name, { at: ago(15) })).toEqual({ old: ["1.0", "latest"] });
    expect(await found(name, { at: ago(7) })).toEqual({ old: ["1.0"], next: ["latest"] });
    expect(await found(name, { at: ago(4) })).toEqual({ next: ["latest"] });
    expect(await found(name, { at: ago(2) })).toEqual({ old: ["latest"] });
    expect(await found(name, { at: ago(0) })).toEqual({ next: ["latest"] });
  });

  test("the moment of a move has the new digest", async () => {
    expect(await found("findings", { at: ago(10) })).toEqual({
      ...{ old: ["1.0"], next: ["latest"] },
    });
  });

  test("a tag of an image index leads to its images", async () => {
    const index = await putIndex(organization, repo, [["amd64", untagged]]);
    await moved("multi", index, 50);
    await moved("multi", "", 40);
    expect(await found("findings", { at: ago(45) })).toEqual({ untagged: ["multi"] });
    expect(await found("packages", { at: ago(45) })).toEqual({ untagged: ["multi"] });
    expect(await found("findings", { at: ago(35) })).toEqual({});
  });

  test("the history of another repository says nothing", async () => {
    const other = await newScannedRepo();
    await moved("latest", untagged, 25, other);
    expect(await found("findings", { at: ago(25) })).toEqual({ old: ["latest"] });
    expect(await found("findings", { at: ago(24), "uidp.children_of": other })).toEqual({
      untagged: ["latest"],
    });
  });

  test.each(names)("%s come page by page", async (name) => {
    const query = { at: ago(7), page_size: "1" };
    const first = await ask(name, query);
    const second = await ask(name, { ...query, page_token: first.body.nextPageToken });
    const digests = [...first.rows, ...second.rows].map(({ digest }) => digest);
    expect(digests.sort()).toEqual([old, next].sort());
    expect(second.body.nextPageToken).toBeUndefined();
  });

  test.each([
    [{ at: new Date(now + day).toISOString() }, "at must not be in the future"],
    [{ at: ago(1), pulled_since: ago(2) }, "at cannot be used with pulled_since"],
  ])("%j is refused", async (query, text) => {
    for (const name of ["findings", "packages"] as const) {
      const { status, body } = await ask(name, query as unknown as Record<string, string>);
      expect([status, body.details[1].fieldViolations[0].field]).toEqual([400, "at"]);
      expect(body.message).toContain(text);
    }
  });
});

describe("by pulls", () => {
  let outer: string;
  beforeAll(async () => {
    outer = repo;
    repo = await newScannedRepo();
    await moved("stable", old, 30);
    await moved("stable", next, 10);
    await createResource(`/registry/v2/tags/${repo}`, organization.owner.token, {
      ...{ name: "stable", digest: next },
    });
    await pulled("stable", "early", 20);
    await pulled("stable", "late", 2);
    return () => {
      repo = outer;
    };
  });

  test.each(names)("%s of the digest that a tag had when it was pulled", async (name) => {
    expect(await found(name, { pulled_since: ago(1) })).toEqual({});
    expect(await found(name, { pulled_since: ago(5) })).toEqual({ next: ["stable"] });
    expect(await found(name, { pulled_since: ago(15) })).toEqual({ next: ["stable"] });
    expect(await found(name, { pulled_since: ago(25) })).toEqual({ old: [], next: ["stable"] });
    expect(await found(name, { pulled_since: ago(25), tagged_only: "true" })).toEqual({
      next: ["stable"],
    });
  });

  test("a pull by digest counts, of the image and of an index that contains it", async () => {
    await pulled(untagged, "by digest", 4);
    expect(await found("packages", { pulled_since: ago(5) })).toEqual({
      ...{ untagged: [], next: ["stable"] },
    });
    const index = await putIndex(organization, repo, [["amd64", old]]);
    await pulled(index, "by index", 3);
    expect(await found("findings", { pulled_since: ago(5) })).toEqual({
      ...{ untagged: [], next: ["stable"], old: [] },
    });
  });
});

describe("by the time when they were found", () => {
  test("findings since a time, and a change of a finding keeps its time", async () => {
    const outer = repo;
    repo = await newScannedRepo();
    const { rows } = await ask("findings", {});
    for (const row of rows) expect(row).toHaveProperty("foundTime", expect.any(String));
    await sql(
      `update findings set create_time = ? where parent = ?
        and image_uid = (select uid from examined_images where parent = ? and digest = ?)`,
      ...[now - 3 * day, repo, repo, old],
    );
    for (const name of names.filter((one) => one.includes("findings"))) {
      expect(await found(name, { found_since: ago(1) })).toEqual({ next: [], untagged: [] });
      expect(Object.keys(await found(name, { found_since: ago(4) }))).toHaveLength(3);
    }
    // Another report of the image, with another version that fixes it.
    const { token } = organization.owner;
    await putReport(token, repo, old, ["2.14.1", "2.13.0"]);
    const again = await ask("findings", { found_since: ago(1) });
    expect(again.rows.filter(({ digest }) => digest === old)).toMatchObject([
      { package: { version: "2.13.0" } },
    ]);
    repo = outer;
  });
});

import { beforeEach, describe, expect, test } from "vitest";
import { callRest, sql } from "../../world/platform.ts";
import { newTenant, randomHex } from "../callers.ts";
import { callsOf, eventsAbout, ok, refusalSummary } from "./calls.v1.ts";

let group: string;
let token: string;
let calls: ReturnType<typeof callsOf>;
beforeEach(async () => {
  ({ group, token } = await newTenant());
  calls = callsOf(token);
});

/** The fields that a client can set, each with its own value. */
const whole = {
  advisoryId: "ADV-1111-2222-3333",
  legacyAdvisoryID: "OLD-7",
  author: "ann@example.com",
  artifactName: "py3-box",
  artifactType: "apk",
  artifactArchitecture: "x86_64",
  componentName: "box",
  componentLocation: "usr/lib/box",
  componentType: "python",
  aliases: ["CVE-2026-1", "GHSA-2222-3333-4444"],
};
const least = { artifactName: "box", artifactType: "apk" };
const documents = () =>
  sql<{ origin: string }>("select origin from advisory_documents where parent = ?", group);

describe("an advisory created by version 1", () => {
  test("has all its fields, in version 1 and in version 2", async () => {
    const made = await ok(calls.create(group, whole));
    expect(made).toEqual({
      ...whole,
      id: expect.stringMatching(`^${group}/[0-9a-f]{16}$`),
      createdAt: made.updatedAt,
      updatedAt: expect.stringMatching(/Z$/),
    });
    const listed = await ok(calls.list(`id=${made.id}`));
    expect(listed).toEqual({ id: group, items: [made], totalCount: "1" });
    const { legacyAdvisoryID: legacyAdvisoryId, ...same } = whole;
    expect((await calls.getV2(made.id)).body).toEqual({
      ...same,
      legacyAdvisoryId,
      uid: made.id,
      createTime: made.createdAt,
      updateTime: made.updatedAt,
      etag: expect.any(String),
    });
    const found = await callRest(
      `/vulnerabilities/v2/advisories?aliases=CVE-2026-1&origin=py3-box`,
      {
        token,
      },
    );
    expect(found.body.advisories).toHaveLength(1);
    expect(await documents()).toEqual([{ origin: "py3-box" }]);
  });

  test("requires a name and a type of artifact, and the rest is optional", async () => {
    const made = await ok(calls.create(group, least));
    expect(made).toEqual({
      ...least,
      id: expect.any(String),
      advisoryId: expect.stringMatching(/^VENDOR(-[2-9cfghjmpqrvwx]{4}){3}$/),
      author: "someone",
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const refused = await refusalSummary(calls.create(group, {}));
    expect(refused).toMatchObject({
      status: 400,
      fields: ["advisory.artifact_type", "advisory.artifact_name"],
    });
    const none = await refusalSummary(
      callRest("/vulnerabilities/v1/advisories", { token, body: { parentId: group } }),
    );
    expect(none).toMatchObject({ status: 400, fields: ["advisory"] });
  });

  test("is created with its events, completely or not at all", async () => {
    const events = [
      { detection: { manual: {} }, timestamp: "2026-01-01T00:00:00Z", author: "bot" },
      { fixed: { fixedVersion: "1.2" }, status: "APPROVED" },
    ];
    const made = await ok(calls.create(group, { ...least, events }));
    expect(made.events).toMatchObject([
      { detection: { manual: {} }, timestamp: "2026-01-01T00:00:00.000Z", author: "bot" },
      { fixed: { fixedVersion: "1.2" }, status: "APPROVED", reviewer: "someone" },
    ]);
    expect((await calls.getV2(made.id)).body.events).toHaveLength(2);
    const before = await sql("select count(*) as n from advisories where parent = ?", group);
    const bad = [...events, { note: {} }, { fixed: {}, timestamp: "2999-01-01T00:00:00Z" }];
    expect((await calls.create(group, { ...least, events: bad })).status).toBe(400);
    const late = await refusalSummary(
      calls.create(group, { ...least, events: [events[0], bad[3]] }),
    );
    expect(late.fields).toEqual(["advisory.events[1].timestamp"]);
    const empty = await refusalSummary(
      calls.create(group, { ...least, events: [{ author: "x" }] }),
    );
    expect(empty.fields).toEqual(["advisory.events[0].type"]);
    expect(await sql("select count(*) as n from advisories where parent = ?", group)).toEqual(
      before,
    );
  });

  test("cannot have the id of another advisory of the group, or of a deleted one", async () => {
    const made = await ok(calls.create(group, whole));
    expect((await refusalSummary(calls.create(group, whole))).status).toBe(409);
    await ok(calls.remove(made.id));
    expect((await refusalSummary(calls.create(group, whole))).status).toBe(409);
    const other = await newTenant();
    await ok(callsOf(other.token).create(other.group, whole));
  });

  test("has the severity published in its group under one of its ids", async () => {
    const severities = [{ type: 2, score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H" }];
    await sql(
      `insert into vulnerability_metadata (uid, create_time, update_time, vulnerability_id, summary,
         details, refs, severities) values (?, 1, 1, 'CVE-2026-1', '', '', '[]', ?)`,
      `${group}/${randomHex(16)}`,
      JSON.stringify(severities),
    );
    const made = await ok(calls.create(group, whole));
    const shown = [{ type: "TYPE_CVSS_V3", score: severities[0]?.score }];
    expect((await calls.getV2(made.id)).body.severities).toEqual(shown);
  });

  test.each([
    [{ ...least, deletedAt: "2026-01-01T00:00:00Z" }, "advisory.deleted_at"],
    [{ ...least, aliases: ["CVE-1", "CVE-1"] }, "advisory.aliases"],
    [{ ...least, aliases: [""] }, "advisory.aliases[0]"],
    [{ ...least, advisoryId: "a b" }, "advisory.advisory_id"],
    [{ ...least, componentLocation: "x".repeat(1025) }, "advisory.component_location"],
  ])("is rejected for %o", async (advisory, field) => {
    expect(await refusalSummary(calls.create(group, advisory))).toMatchObject({
      status: 400,
      fields: [field],
    });
  });
});

describe("a PUT", () => {
  test("replaces all fields that a client can set and resets those it leaves out", async () => {
    const made = await ok(calls.create(group, whole));
    const next = { artifactName: "other", artifactType: "image", aliases: ["CVE-2026-9"] };
    const put = await ok(calls.update(made.id, next));
    const { id, advisoryId, author, createdAt } = made;
    expect(put).toEqual({ ...next, id, advisoryId, author, createdAt, updatedAt: put.updatedAt });
    expect(put.updatedAt > made.updatedAt).toBe(true);
    expect((await ok(calls.list(`id=${id}`))).items).toEqual([put]);
    const aliases = await sql("select alias from advisory_aliases where advisory_uid = ?", id);
    expect(aliases).toEqual([{ alias: "CVE-2026-9" }]);
    const found = await callRest("/vulnerabilities/v2/advisories?origin=other", { token });
    expect(found.body.advisories).toHaveLength(1);
    expect(await documents()).toEqual([{ origin: "other" }]);
  });

  test("a PUT with the fields as they were read changes nothing and writes no event", async () => {
    const made = await ok(
      calls.create(group, {
        ...whole,
        events: [{ fixed: { fixedVersion: "1" }, findings: "e30=" }],
      }),
    );
    expect(await ok(calls.update(made.id, made))).toEqual(made);
    expect(await eventsAbout(made.id)).toHaveLength(1);
  });

  test("is rejected for fields that it cannot change", async () => {
    const made = await ok(calls.create(group, { ...whole, events: [{ fixed: {} }] }));
    const [event] = made.events;
    const refused: [object, string][] = [
      [{ advisoryId: "ANOTHER" }, "advisory_id"],
      [{ events: [{ ...event, reviewer: "me" }] }, "events"],
      [{ events: [event, event] }, "events"],
      [{ deletedAt: "2026-01-01T00:00:00Z" }, "deleted_at"],
      [{ artifactName: "" }, "artifact_name"],
    ];
    for (const [change, field] of refused) {
      const answer = await refusalSummary(calls.update(made.id, { ...made, ...change }));
      expect(answer).toMatchObject({ status: 400, fields: [field] });
    }
    expect((await ok(calls.list(`id=${made.id}`))).items).toEqual([made]);
  });
});

describe("a deleted advisory", () => {
  test("can still be read, with the time of its deletion, and cannot be changed", async () => {
    const made = await ok(calls.create(group, { ...whole, events: [{ fixed: {} }] }));
    await ok(calls.remove(made.id));
    const [shown] = (await ok(calls.list(`id=${made.id}`))).items;
    const { deletedAt, updatedAt } = shown;
    expect(shown).toEqual({ ...made, deletedAt, updatedAt });
    expect(Date.parse(deletedAt)).toBeGreaterThanOrEqual(Date.parse(made.createdAt));
    expect((await calls.getV2(made.id)).body.deleteTime).toBe(deletedAt);
    const { artifactName: _, ...rest } = made;
    for (const refused of [
      calls.update(made.id, { ...rest, events: [], artifactName: "other" }),
      calls.addEvent(made.id, { fixed: {} }),
      calls.updateEvent(made.events[0].id, { fixed: { note: "n" } }),
    ]) {
      expect(await refusalSummary(refused)).toMatchObject({
        status: 400,
        type: "ADVISORY_DELETED",
      });
    }
    await ok(calls.remove(made.id));
    const [, gone, ...more] = await eventsAbout(made.id);
    expect(more).toEqual([]);
    expect(JSON.parse(gone?.data ?? "").body).toEqual({ id: made.id });
  });
});

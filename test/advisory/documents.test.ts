import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { SecurityAdvisoryService } from "../../schema/gen/platform/advisory/v2/security_advisory_pb.js";
import {
  insertAdvisory,
  insertAdvisoryEvent,
} from "../vulnerabilities/advisories/stored_advisories.ts";
import { newOrganization, randomName } from "../world/personas.ts";
import { sql, transports } from "../world/platform.ts";
import { callFeed, documents, importRecords, osvRecordOf, publicGroup } from "./public_feed.ts";

describe("a document of the public feed", () => {
  test("contains all advisories of a package by id, with their events oldest first", async () => {
    const { group, token } = await publicGroup();
    const origin = randomName("pkg");
    const [b, a] = [osvRecordOf(origin, { id: "B" }), osvRecordOf(origin, { id: "A" })];
    await importRecords(token, group, b, { ...a, withdrawn: "2024-02-15T00:00:00Z" });
    const { all, totalCount } = await documents(`id=${origin}`);
    expect(totalCount).toBe("1");
    const timestamp = "2024-02-01T09:00:00.000Z";
    const happened = [
      { timestamp, detection: { manual: {} } },
      { timestamp, fixed: { fixedVersion: "2.0" } },
    ];
    expect(all).toEqual([
      {
        id: origin,
        uid: expect.stringMatching(new RegExp(`^${group}/[0-9a-f]{16}$`)),
        createTime: expect.any(String),
        updateTime: expect.any(String),
        advisories: [
          {
            id: "A",
            aliases: a.aliases,
            events: [
              ...happened,
              {
                timestamp: "2024-02-15T00:00:00.000Z",
                falsePositiveDetermination: {
                  type: "TYPE_VULNERABILITY_RECORD_ANALYSIS_CONTESTED",
                  note: "The record was withdrawn at 2024-02-15T00:00:00.000Z.",
                },
              },
            ],
          },
          { id: "B", aliases: b.aliases, events: happened },
        ],
      },
    ]);
  });

  test("shows approved events only, each type in the feed's form", async () => {
    const { group, token } = await publicGroup();
    const origin = randomName("pkg");
    await importRecords(token, group, osvRecordOf(origin));
    const time = (n: number) => ({ create_time: n });
    const scan = { scanner: "s", subpackage: "p-dev", component: "c", componentVersion: "1" };
    const location = "pkg:apk/wol%66i/p@1?arch=x86_64";
    const uid = await insertAdvisory(
      group,
      { origin, advisory_id: "ZZ", component_location: location },
      [
        { type: 1, ...time(1), detail: JSON.stringify({ scanv1: scan }) },
        { type: 2, ...time(2), detail: '{"note":"yes"}' },
        { type: 4, ...time(3), detail: '{"type":"TYPE_INLINE_MITIGATIONS_EXIST","note":"no"}' },
        { type: 5, ...time(4), detail: '{"note":"a"}' },
        { type: 6, ...time(5), detail: '{"note":"f"}' },
        { type: 7, ...time(6), detail: '{"note":"u"}' },
        { type: 8, ...time(7), detail: '{"patchedVersions":["1-r1","1-r2"]}' },
        { type: 3, ...time(8), detail: '{"fixedVersion":"2-r0","scannerVersion":"9","note":"x"}' },
        { type: 3, ...time(9), detail: '{"fixedVersion":"3-r0"}', review_state: 1 },
      ],
    );
    await insertAdvisory(group, { origin, advisory_id: "ZZZ", aliases: '["CVE-SECRET"]' }, [
      { type: 1, detail: '{"manual":{}}', review_state: 1 },
    ]);
    const [document] = (await documents(`id=${origin}`)).all;
    expect(document?.advisories).toHaveLength(2);
    const advisory = document?.advisories?.[1];
    expect(advisory).toMatchObject({ id: "ZZ", packageNamespace: "wolfi" });
    expect(
      advisory?.events.map(({ timestamp: _, ...event }: { timestamp?: string }) => event),
    ).toEqual([
      {
        detection: {
          scanv1: {
            scanner: "s",
            subpackageName: "p-dev",
            componentName: "c",
            componentVersion: "1",
          },
        },
      },
      { truePositiveDetermination: { note: "yes" } },
      { falsePositiveDetermination: { type: "TYPE_INLINE_MITIGATIONS_EXIST", note: "no" } },
      { analysisNotPlanned: { note: "a" } },
      { fixNotPlanned: { note: "f" } },
      { pendingUpstreamFix: { note: "u" } },
      { fixed: { fixedVersion: "1-r1" } },
      { fixed: { fixedVersion: "1-r2" } },
      { fixed: { fixedVersion: "2-r0", scannerVersion: "9" } },
    ]);
    expect((await documents("cves=CVE-SECRET")).all).toEqual([]);
    await insertAdvisoryEvent(uid, { type: 1, detail: '{"nvdapi":{"cpeFound":"cpe:x"}}' });
    expect(JSON.stringify(await documents(`id=${origin}`))).toContain("cpe:x");
  });

  test("has a new update time when one of its advisories changes, and only then", async () => {
    const { group, token } = await publicGroup();
    const [origin, other] = [randomName("pkg"), randomName("pkg")];
    const [one, two] = [osvRecordOf(origin), osvRecordOf(other)];
    await importRecords(token, group, one, two);
    const before = (await documents(`id=${origin}`)).all[0];
    const otherBefore = (await documents(`id=${other}`)).all[0];
    await importRecords(token, group, one, two);
    expect((await documents(`id=${origin}`)).all[0]).toEqual(before);
    await importRecords(token, group, { ...one, aliases: ["CVE-X"] }, two);
    const after = (await documents(`id=${origin}`)).all[0];
    expect(after?.createTime).toBe(before?.createTime);
    expect(Date.parse(after?.updateTime ?? "")).toBeGreaterThan(
      Date.parse(before?.updateTime ?? ""),
    );
    expect((await documents(`id=${other}`)).all[0]).toEqual(otherBefore);
  });

  test("disappears when its last advisory moves to another package", async () => {
    const { group, token } = await publicGroup();
    const [origin, other] = [randomName("pkg"), randomName("pkg")];
    const one = osvRecordOf(origin);
    await importRecords(token, group, one, osvRecordOf(origin, { id: "STAYS" }));
    await importRecords(token, group, { ...osvRecordOf(other), id: one.id });
    expect((await documents(`id=${origin}`)).all[0]?.advisories).toMatchObject([{ id: "STAYS" }]);
    await importRecords(token, group, { ...osvRecordOf(other), id: "STAYS" });
    expect((await documents(`id=${origin}`)).all).toEqual([]);
    expect((await documents(`id=${other}`)).all[0]?.advisories).toHaveLength(2);
  });
});

describe("documents of the public feed are found", () => {
  test("by the aliases of their advisories, and are then complete", async () => {
    const { group, token } = await publicGroup();
    const [origin, other] = [randomName("pkg"), randomName("pkg")];
    const [one, two, three] = [osvRecordOf(origin), osvRecordOf(origin), osvRecordOf(other)];
    await importRecords(token, group, one, two, three);
    const cves = [one, three].map(({ aliases }) => `cves=${aliases[0]}`).join("&");
    const { all, totalCount } = await documents(cves);
    expect(totalCount).toBe("2");
    expect(all.map(({ id }) => id)).toEqual([origin, other].sort());
    expect(all.find(({ id }) => id === origin)?.advisories).toHaveLength(2);
    expect((await documents(`${cves}&id=${other}`)).all.map(({ id }) => id)).toEqual([other]);
    expect((await documents("cves=CVE-0")).all).toEqual([]);
  });

  test("by the id of an advisory that is itself the CVE id", async () => {
    const { group, token } = await publicGroup();
    const [origin, id] = [randomName("pkg"), `CVE-2026-${Date.now()}`];
    await importRecords(token, group, osvRecordOf(origin, { id, aliases: [] }));
    expect((await documents(`cves=${id}`)).all.map((one) => one.id)).toEqual([origin]);
  });

  test("page by page, in the requested order", async () => {
    const { group, token } = await publicGroup();
    const records = Array.from({ length: 5 }, () => osvRecordOf(randomName("pkg")));
    await importRecords(token, group, ...records);
    const cves = records.map(({ aliases }) => `cves=${aliases[0]}`).join("&");
    const names = records.map(({ affected }) => affected[0]?.package.name ?? "").sort();
    const first = await documents(`${cves}&page_size=2&order_by=id desc`);
    expect(first).toMatchObject({ totalCount: "5", skipped: 0 });
    const next = `page_size=2&order_by=id desc&page_token=${first.nextPageToken}`;
    const second = await documents(`${cves}&${next}&skip=1`);
    expect(second).toMatchObject({ totalCount: "5", skipped: 1 });
    expect(second.nextPageToken).toBeUndefined();
    const seen = [...first.all, ...second.all].map(({ id }) => id);
    expect(seen).toEqual(names.reverse().toSpliced(2, 1));
    for (const query of [next, `${cves}&order_by=name`, "page_size=201"]) {
      expect((await callFeed(`documents?${query}`)).status, query).toBe(400);
    }
  });
});

describe("a request that names no page gets all documents", () => {
  const alias = `CVE-${randomName("many")}`;

  /** Creates as many documents as given, each with an advisory that has the alias. */
  async function many(count: number) {
    const { group, token } = await publicGroup();
    const records = Array.from({ length: count }, () =>
      osvRecordOf(randomName("pkg"), { aliases: [alias] }),
    );
    await importRecords(token, group, ...records);
    return group;
  }

  test("on every transport, whatever their order, and a page if the request names one", async () => {
    await many(60);
    for (const transport of Object.values(transports())) {
      const client = createClient(SecurityAdvisoryService, transport);
      const whole = await client.listDocuments({ cves: [alias] });
      expect(whole.documents).toHaveLength(60);
      expect([whole.nextPageToken, whole.totalCount]).toEqual(["", 60n]);
    }
    const ordered = await documents(`cves=${alias}&order_by=id desc`);
    expect(ordered).toMatchObject({ totalCount: "60", nextPageToken: undefined });
    const ids = ordered.all.map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted().reverse());
    expect(ids).toHaveLength(60);
    const first = await documents(`cves=${alias}&page_size=50`);
    expect([first.all.length, first.totalCount]).toEqual([50, "60"]);
    const next = `cves=${alias}&page_token=${first.nextPageToken}`;
    expect((await documents(next)).all).toHaveLength(10);
    expect((await documents(`cves=${alias}&skip=5`)).all).toHaveLength(50);
  });

  test("is RESOURCE_EXHAUSTED, with advice on paging, if there are too many", async () => {
    const { group } = await publicGroup();
    await sql(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 1001)
       insert into advisory_documents (uid, origin, create_time, update_time)
       select ? || '/' || printf('%016x', i), 'too-many-' || i, 1, 1 from n`,
      group,
    );
    const refused = await callFeed("documents");
    expect([refused.status, refused.body]).toMatchObject([
      429,
      { code: 8, message: expect.stringMatching(/more than [13]000 .* set page_size/) },
    ]);
    expect((await documents("page_size=200")).all).toHaveLength(200);
    await sql("delete from advisory_documents where parent = ?", group);
  });
});

describe("the feed is public", () => {
  test("and contains only the public namespace, for every caller", async () => {
    const organization = await newOrganization("public");
    const { token } = organization.owner;
    const one = osvRecordOf(randomName("pkg"));
    await importRecords(token, organization.uid, one);
    const [name] = one.affected.map((of) => of.package.name);
    for (const as of [undefined, token, "garbage"]) {
      expect((await documents(`id=${name}`, as)).all).toEqual([]);
      expect((await documents(`cves=${one.aliases[0]}`, as)).all).toEqual([]);
    }
    const twin = await sql("select 1 from advisory_documents where origin = ?", name);
    expect(twin).toHaveLength(1);
  });

  test("an unverified organization with the name of the public namespace is not shown", async () => {
    await publicGroup();
    const { owner, uid } = await newOrganization();
    await sql("update groups set name = 'public' where uid = ?", uid);
    const name = randomName("pkg");
    const one = osvRecordOf(name);
    await importRecords(owner.token, uid, one);
    for (const query of [`id=${name}`, `cves=${one.aliases[0]}`]) {
      expect((await documents(query)).all).toEqual([]);
    }
  });
});

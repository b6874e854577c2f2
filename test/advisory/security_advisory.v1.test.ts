import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { SecurityAdvisory } from "../../schema/gen/platform/advisory/security_advisory_pb.js";
import { insertAdvisory } from "../vulnerabilities/advisories/stored_advisories.ts";
import { insertRow, randomHex } from "../vulnerabilities/callers.ts";
import { newOrganization, randomName } from "../world/personas.ts";
import { callRest, clientOf, sql } from "../world/platform.ts";
import { importRecords, osvRecordOf, publicGroup } from "./public_feed.ts";

const ask = (path: string) => callRest(`/advisory/v1/${path}`);

async function asked(path: string) {
  const { status, body } = await ask(path);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** Every field that an event can have, by the number of its type. */
const details: [number, object][] = [
  [
    1,
    {
      scanv1: {
        ...{ scanner: "s", subpackage: "p-dev", componentId: "i", component: "c" },
        ...{ componentVersion: "1", componentType: "t", componentLocation: "l" },
        ...{ artifactVersion: "2", scannerVersion: "3", grypeDbBuilt: "b", grypeDbChecksum: "k" },
      },
    },
  ],
  [2, { note: "yes" }],
  [3, { fixedVersion: "1", scannerVersion: "2", grypeDbBuilt: "b", grypeDbChecksum: "k" }],
  [4, { type: "TYPE_INLINE_MITIGATIONS_EXIST", note: "no" }],
];

describe("documents", () => {
  test("equal those of version 2 in the names of version 1, up to the last field", async () => {
    const { group, token } = await publicGroup();
    const origin = randomName("pkg");
    const [alias, gone] = [`CVE-${randomHex(12)}`, "2024-02-15T00:00:00Z"];
    await importRecords(
      token,
      group,
      osvRecordOf(origin, { id: "A", aliases: [alias], withdrawn: gone }),
    );
    const location = "pkg:apk/wolfi/p@1";
    await insertAdvisory(
      group,
      { origin, advisory_id: "ZZ", component_location: location },
      details.map(([type, detail]) => ({
        type,
        create_time: type,
        detail: JSON.stringify(detail),
      })),
    );
    const { items, ...envelope } = await asked(`documents?id=${origin}`);
    expect(envelope).toEqual({});
    const { documents } = (await callRest(`/advisory/v2/documents?id=${origin}`)).body;
    const [{ uid: _, createTime: __, updateTime: ___, ...document }] = documents;
    const prefixed = JSON.stringify(document).replaceAll('"TYPE_', '"FPT_TYPE_');
    expect(items).toEqual([JSON.parse(prefixed)]);
    const [a, zz] = items[0].advisories;
    expect(a.events[2].falsePositiveDetermination.type).toBe(
      "FPT_TYPE_VULNERABILITY_RECORD_ANALYSIS_CONTESTED",
    );
    expect(zz.packageNamespace).toBe("wolfi");
    expect(zz.events[0].detection.scanv1).toMatchObject({
      subpackageName: "p-dev",
      componentName: "c",
    });
    expect(Object.keys(zz.events[0].detection.scanv1)).toHaveLength(11);
  });

  test("come all at once while they are few, can be found by alias, and are an empty response for an unknown id", async () => {
    const { group, token } = await publicGroup();
    const seen = osvRecordOf(randomName("pkg"));
    await importRecords(token, group, seen);
    const prefix = randomName("many");
    await sql(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 1010)
       insert into advisory_documents (uid, origin, create_time, update_time)
       select ? || '/' || printf('%016x', i), ? || i, 1, 1 from n`,
      group,
      prefix,
    );
    const { body } = await ask("documents");
    expect(body).toMatchObject({
      code: 8,
      message: expect.stringContaining("name an id, or CVEs in cves"),
    });
    const again = osvRecordOf(randomName("pkg"), { aliases: seen.aliases });
    await importRecords(token, group, again);
    const found = (await asked(`documents?cves=${seen.aliases[0]}`)).items;
    const names = [seen, again].map(({ affected: [one] }) => one?.package.name);
    expect(found.map(({ id }: { id: string }) => id)).toEqual(names.sort());
    const other = `documents?id=${prefix}1&cves=${seen.aliases[0]}`;
    expect([await asked(other), await asked(`documents?id=${randomHex(8)}`)]).toEqual([{}, {}]);
    await sql("delete from advisory_documents where parent = ?", group);
  });

  test.each([
    ["many advisories", 3_001, 1],
    ["much of few advisories", 5, 1_000_000],
  ])(
    "are rejected for %s before those are read, and version 2 returns them in pages",
    async (_, n, length) => {
      const { group, token } = await publicGroup();
      const origin = randomName("pkg");
      await importRecords(token, group, osvRecordOf(origin));
      await sql(
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
       insert into advisories (uid, advisory_id, author, artifact_name, artifact_type,
         artifact_architecture, component_name, component_location, component_type, origin, aliases,
         severities, create_time, update_time)
       select ? || '/' || printf('%016x', i), 'A' || i, '', '', '', '', '', ?, '', ?, '[]', '[]', 1, 1
       from n`,
        ...[n, group, "x".repeat(length), origin],
      );
      const { body } = await ask(`documents?id=${origin}`);
      expect(body).toMatchObject({
        code: 8,
        message: expect.stringContaining("advisories, or more than 4 MiB"),
      });
      const ofV2 = await callRest(`/advisory/v2/documents?id=${origin}`);
      expect([ofV2.status, ofV2.body.message]).toEqual([
        429,
        expect.stringMatching(/advisories, or more than 4 MiB of them, .* set page_size/),
      ]);
      expect((await callRest(`/advisory/v2/documents?id=${origin}&page_size=1`)).status).toBe(200);
    },
  );

  test("fail with the names of version 1", async () => {
    const { status, body } = await ask("documents?cves=");
    expect([status, body.message]).toEqual([400, expect.stringContaining("cves[0]")]);
  });
});

test("the metadata equal those of version 2, with `severity` in the singular, and in pages", async () => {
  const { group, token } = await publicGroup();
  const ids = [`CVE-${randomHex(12)}`, `CVE-${randomHex(12)}`].sort();
  const expected = {
    summary: "One line",
    details: "The whole text",
    references: [{ type: "ADVISORY", url: "https://a.example" }],
    severity: [
      { type: "CVSS_V3", score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H" },
      { type: "CVSS_V4", score: "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:N/VI:N/VA:H/SC:N/SI:N/SA:N" },
    ],
  };
  await importRecords(
    token,
    group,
    ...ids.map((id) => osvRecordOf(randomName("pkg"), { aliases: [id], ...expected })),
  );
  const query = ids.map((id) => `ids=${id}`).join("&");
  const first = await asked(`metadata?${query}&page_size=1&order_by=id%20desc`);
  expect(first).toEqual({
    items: [{ id: ids[1], ...expected }],
    nextPageToken: expect.any(String),
    totalCount: "2",
    skipped: 0,
  });
  const token2 = first.nextPageToken;
  const second = await asked(`metadata?${query}&order_by=id%20desc&page_token=${token2}`);
  expect(second).toEqual({ items: [{ id: ids[0], ...expected }], totalCount: "2", skipped: 0 });
  const passed = await asked(`metadata?${query}&skip=1`);
  expect(passed).toMatchObject({ items: [{ id: ids[1] }], totalCount: "2", skipped: 1 });
  expect((await asked(`metadata?id=${ids[0]}`)).items).toHaveLength(1);
  expect((await asked(`metadata?id=${randomHex(8)}`)).items).toBeUndefined();
  const twice = await ask(`metadata?ids=${ids[0]}&ids=${ids[0]}`);
  expect([twice.status, twice.body.message]).toEqual([400, expect.stringContaining("ids")]);
});

describe("reports of resolved vulnerabilities", () => {
  const day = new Date("2024-05-01");
  const span = (from = day, to = day) => ({
    from: timestampFromDate(from),
    to: timestampFromDate(to),
  });

  async function fixedImage() {
    const organization = await newOrganization();
    const repo = randomName("image");
    const uid = `${organization.uid}/${randomHex(16)}`;
    const times = { create_time: 1, update_time: 1 };
    await insertRow("repos", { uid, name: repo, ...times });
    const tag = {
      uid: `${uid}/${randomHex(16)}`,
      name: "stable",
      digest: `sha256:${randomHex(64)}`,
    };
    await insertRow("tags", { ...tag, ...times });
    await insertAdvisory(
      organization.uid,
      {
        ...{ artifact_type: "image", artifact_name: repo, advisory_id: "A", aliases: '["CVE-1"]' },
        severities: JSON.stringify([{ type: 2, score: "CVSS:3.1/AV:N" }]),
      },
      [{ type: 3, create_time: day.getTime() + 3_600_000, detail: '{"fixedVersion":"1.2.3"}' }],
    );
    return { repo, client: clientOf(SecurityAdvisory, organization.owner.token) };
  }

  test("are listed by day, for the named tags", async () => {
    const { repo, client } = await fixedImage();
    const imageRefs = [{ repo, tags: ["stable"] }];
    const { items } = await client.listResolvedVulnsReports({ imageRefs, ...span() });
    expect(items.map(({ date }) => date && timestampDate(date))).toEqual([day]);
    expect(items[0]?.resolvedVulns).toMatchObject([
      { id: "A", aliases: ["CVE-1"], cvssSeverities: [{ type: 2, score: "CVSS:3.1/AV:N" }] },
    ]);
    await sql("update advisories set severities = '[]' where artifact_name = ?", repo);
    const unknown = await client.listResolvedVulnsReports({ imageRefs, ...span() });
    expect(unknown.items[0]?.resolvedVulns[0]?.cvssSeverities).toMatchObject([
      { type: 0, score: "" },
    ]);
    const other = await client.listResolvedVulnsReports({ imageRefs: [{ repo }], ...span() });
    expect(other.items).toEqual([]);
    const later = new Date("2024-05-02");
    const none = await client.listResolvedVulnsReports({ imageRefs, ...span(later, later) });
    expect(none.items).toEqual([]);
  });

  test("fail with the names of version 1", async () => {
    const { repo, client } = await fixedImage();
    const imageRefs = [{ repo, tags: ["stable"] }];
    const backwards = client.listResolvedVulnsReports({
      imageRefs,
      ...span(day, new Date("2024-04-30")),
    });
    await expect(backwards).rejects.toMatchObject({
      code: Code.InvalidArgument,
      rawMessage: expect.stringMatching(/: to: to must not be before the start of the time span/),
    });
    const { from } = span();
    await expect(client.listResolvedVulnsReports({ imageRefs, from })).rejects.toMatchObject({
      rawMessage: expect.stringMatching(/: to: /),
    });
    await expect(client.listResolvedVulnsReports(span())).rejects.toMatchObject({
      rawMessage: expect.stringMatching(/: image_refs: /),
    });
  });
});

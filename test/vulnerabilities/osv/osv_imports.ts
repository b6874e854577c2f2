/** Imports of OSV records, and their results. */
import { unpackText } from "../../../src/outbox/stored_data.ts";
import { sql } from "../../world/platform.ts";
import { callApi } from "../callers.ts";

/** A record with one of every part that becomes an advisory. */
export const box = {
  schema_version: "1.6.0",
  id: "OSV-2024-1",
  modified: "2024-03-01T10:00:00.123456Z",
  published: "2024-02-01T09:00:00Z",
  aliases: ["CVE-2024-1", "GHSA-aaaa-bbbb-cccc"],
  summary: "A box opens by itself",
  severity: [
    { type: "CVSS_V2", score: "AV:N/AC:L/Au:N/C:N/I:N/A:C" },
    { type: "CVSS_V3", score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H" },
    { type: "CVSS_V4", score: "CVSS:4.0/AV:N" },
    { type: "Ubuntu", score: "medium" },
  ],
  affected: [
    {
      package: { name: "box", ecosystem: "PyPI", purl: "pkg:pypi/box" },
      ranges: [
        {
          type: "GIT",
          repo: "https://example.com/box",
          events: [{ introduced: "0" }, { fixed: "c0ffee" }],
        },
        {
          type: "ECOSYSTEM",
          events: [{ introduced: "0" }, { fixed: "1.2" }, { introduced: "2.0" }, { fixed: "2.1" }],
        },
      ],
    },
    {
      package: { name: "box", ecosystem: "PyPI" },
      ranges: [
        { type: "SEMVER", events: [{ introduced: "0" }, { fixed: "1.2" }] },
        { type: "SEMVER", events: [{ introduced: "3.0.0" }, { fixed: "3.0.1" }] },
      ],
    },
    {
      package: { name: "lid", ecosystem: "PyPI" },
      ranges: [{ type: "ECOSYSTEM", events: [{ introduced: "0" }, { fixed: "9.9" }] }],
    },
  ],
};

/** A plain record of a package. */
export const plain = (id: string, change: object = {}) => ({
  id,
  modified: "2024-03-01T10:00:00Z",
  affected: [{ package: { name: `package-of-${id}`, ecosystem: "npm" } }],
  ...change,
});

/** As many fixed versions as a record can have. */
export const manyFixes = {
  affected: [
    {
      package: { name: "n", ecosystem: "Go" },
      ranges: [
        {
          type: "SEMVER",
          events: Array.from({ length: 200 }, (_, i) => ({ fixed: `1.${i}-${"x".repeat(40)}` })),
        },
      ],
    },
  ],
};

/** Imports records into a group, of which none may be left out. */
export const loadOsv = (token: string, group: string, ...records: unknown[]) =>
  callApi(token, `osvRecords/${group}:import`, { records, strict: true });

/** Imports the records that can be read into a group. */
export const loadReadable = (token: string, group: string, ...records: unknown[]) =>
  callApi(token, `osvRecords/${group}:import`, { records });

/** An advisory in a response. */
export interface Advisory {
  uid: string;
  events: { uid: string }[];
  [field: string]: unknown;
}

/** The first 200 advisories that the caller can list, by id. */
export async function listAdvisories(token: string, query = "") {
  const { body } = await callApi(token, `advisories?order_by=advisory_id&page_size=200&${query}`);
  return { totalCount: body.totalCount, all: (body.advisories ?? []) as Advisory[] };
}

interface StoredEvent {
  type: string;
  subject: string;
  audience: string;
  body_type: string;
  data: string;
}

const aboutWritten = "dev.vendor.api.vulnerabilities.advisory.imported.batch.v1";

/** The events of a group, oldest first, without those that list what an import wrote. */
export const outbox = (group: string) =>
  sql<StoredEvent>(
    "select * from events where group_uid = ? and type <> ? order by seq",
    group,
    aboutWritten,
  );

/** The events that list what imports into a group wrote, oldest first. */
export async function eventsAboutWritten(group: string) {
  const rows = await sql<StoredEvent & Record<string, string>>(
    "select * from events where group_uid = ? and type = ? order by seq",
    group,
    aboutWritten,
  );
  return Promise.all(rows.map(async (row) => ({ ...row, data: await unpackText(row.data) })));
}

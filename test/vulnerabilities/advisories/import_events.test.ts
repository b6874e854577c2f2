/** The events of an import list the advisories that it wrote, at most 100 in each. */
import { describe, expect, test } from "vitest";
import { newTenant } from "../callers.ts";
import { box, eventsAboutWritten, listAdvisories, loadOsv, plain } from "../osv/osv_imports.ts";
import { loadOpenVex, openVexOf, statementOf } from "../vex/vex_imports.ts";

/** The advisories in each of the events, without their uids. */
const listed = async (group: string) =>
  (await eventsAboutWritten(group)).map(({ data }) =>
    JSON.parse(data).body.advisories.map(
      ({ advisoryId, created }: { advisoryId: string; created: boolean }) => [advisoryId, created],
    ),
  );

describe("the advisories that an import writes", () => {
  test("of OSV records are in one event, after earlier and before later events about them", async () => {
    const { group, token } = await newTenant();
    await loadOsv(token, group, box, plain("N-1"));
    const [event, ...more] = await eventsAboutWritten(group);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      source: "http://localhost:8787/vulnerabilities/v2/osvRecords",
      ...{ subject: group, group_uid: group, parent: group, audience: "customer" },
      body_type: "platform.events.v2.ImportedAdvisories",
      pool: `api.vulnerabilities.advisory.${group}`,
      partition: "",
    });
    const { all } = await listAdvisories(token);
    const uidOf = (id: string) => all.find(({ advisoryId }) => advisoryId === id)?.uid;
    expect(JSON.parse(event?.data ?? "").body).toEqual({
      parent: group,
      advisories: ["OSV-2024-1", "N-1"].map((advisoryId) => {
        return { uid: uidOf(advisoryId), advisoryId, created: true };
      }),
    });
  });

  test("and only those: the unchanged ones are not listed", async () => {
    const { group, token } = await newTenant();
    await loadOsv(token, group, plain("N-1"), plain("N-2"));
    await loadOsv(token, group, plain("N-1"), plain("N-2"));
    await loadOsv(token, group, plain("N-1"), plain("N-2", { aliases: ["N-3"] }), plain("N-4"));
    expect(await listed(group)).toEqual([
      [
        ["N-1", true],
        ["N-2", true],
      ],
      [
        ["N-2", false],
        ["N-4", true],
      ],
    ]);
  });

  test("of a VEX document are in as many events as they need", async () => {
    const { group, token } = await newTenant();
    const names = Array.from({ length: 201 }, (_, i) => `CVE-2024-${1000 + i}`);
    const statements = names.map((name) => statementOf({ vulnerability: { name } }));
    await loadOpenVex(token, group, openVexOf(statements));
    const batches = await listed(group);
    expect(batches.map((one) => one.length)).toEqual([100, 100, 1]);
    const { all } = await listAdvisories(token);
    const ids = batches.flat().map(([id]) => id);
    expect(new Set(ids).size).toBe(201);
    expect(ids).toEqual(expect.arrayContaining(all.map(({ advisoryId }) => advisoryId)));
  });
});

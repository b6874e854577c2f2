/** Writes of version 1 and of imports in one advisory: neither removes the data of the other. */
import { beforeEach, describe, expect, test } from "vitest";
import { newTenant } from "../callers.ts";
import { loadOsv, plain } from "../osv/osv_imports.ts";
import { countsOf, loadOpenVex, openVexOf, readAdvisory, statementOf } from "../vex/vex_imports.ts";
import { callsOf, ok, refusalSummary } from "./calls.v1.ts";

let group: string;
let token: string;
let calls: ReturnType<typeof callsOf>;
beforeEach(async () => {
  ({ group, token } = await newTenant());
  calls = callsOf(token);
});

const fix = (version: string) => ({
  affected: [
    {
      package: { name: "box", ecosystem: "PyPI" },
      ranges: [{ type: "ECOSYSTEM", events: [{ introduced: "0" }, { fixed: version }] }],
    },
  ],
});
const first = plain("OSV-1", { ...fix("1.1"), aliases: ["CVE-2024-1"] });
/** Changed later than the first, but before any write of a test. */
const second = plain("OSV-1", {
  ...fix("1.2"),
  aliases: ["CVE-2024-1", "CVE-2024-2"],
  modified: "2024-04-01T00:00:00Z",
});

const only = async () => {
  const { items } = await ok(calls.list(`uidp.childrenOf=${group}`));
  expect(items).toHaveLength(1);
  return items[0];
};
const fixedIn = (advisory: { events: { fixed?: { fixedVersion: string } }[] }) =>
  advisory.events.flatMap(({ fixed }) => fixed?.fixedVersion ?? []);
const verdict = { falsePositiveDetermination: { note: "not here" }, status: "APPROVED" };

describe("an advisory of an OSV record", () => {
  test("keeps the manual events when a newer record replaces its own", async () => {
    await loadOsv(token, group, first);
    const { id } = await only();
    const event = await ok(calls.addEvent(id, verdict));
    expect(countsOf(await loadOsv(token, group, second))).toEqual([0, 1, 0]);
    const now = await only();
    expect(now.aliases).toEqual(["CVE-2024-1", "CVE-2024-2"]);
    expect(fixedIn(now)).toEqual(["1.2"]);
    expect(now.events).toContainEqual(event);
    expect(countsOf(await loadOsv(token, group, second))).toEqual([0, 0, 1]);
    expect(countsOf(await loadOsv(token, group, first))).toEqual([0, 0, 1]);
  });

  test("keeps the fields of a PUT, and takes the rest from the newer record", async () => {
    await loadOsv(token, group, first);
    const before = await only();
    const put = await ok(
      calls.update(before.id, { ...before, aliases: ["MINE-1"], componentName: "part" }),
    );
    expect(countsOf(await loadOsv(token, group, second))).toEqual([0, 1, 0]);
    const now = await only();
    const { events: _, updatedAt: ___, ...said } = put;
    expect(now).toMatchObject(said);
    expect(fixedIn(now)).toEqual(["1.2"]);
    expect(now.updatedAt > put.updatedAt).toBe(true);
    // A page by update time shows what the import changed.
    expect((await calls.list("orderBy=UPDATED_AT_DESC")).body.items[0].id).toBe(before.id);
  });

  test("stays deleted if a person deleted it, and returns if the record had withdrawn it", async () => {
    const withdrawn = "2024-03-02T00:00:00Z";
    await loadOsv(token, group, { ...first, withdrawn }, plain("OSV-2", { ...first, id: "OSV-2" }));
    const { items } = await ok(calls.list("orderBy=DELETED_AT_DESC"));
    expect(items[0]).toMatchObject({ advisoryId: "OSV-1", deletedAt: "2024-03-02T00:00:00.000Z" });
    await ok(calls.remove(items[1].id));
    await loadOsv(token, group, second, { ...second, id: "OSV-2" });
    const now = (await ok(calls.list("orderBy=DELETED_AT_ASC"))).items;
    expect(now[0]).toMatchObject({ advisoryId: "OSV-1" });
    expect(now[0].deletedAt).toBeUndefined();
    expect(now[1]).toMatchObject({ advisoryId: "OSV-2", deletedAt: expect.any(String) });
  });

  test("has closed events, because imports approve them", async () => {
    await loadOsv(token, group, first);
    const [event] = (await only()).events;
    const refused = await refusalSummary(calls.updateEvent(event.id, { fixed: {} }));
    expect(refused).toMatchObject({ status: 400, type: "EVENT_REVIEWED" });
  });

  test("is exported as the record until a person changes it", async () => {
    const record = { ...first, summary: "as it came" };
    await loadOsv(token, group, record);
    const { id } = await only();
    expect((await readAdvisory(token, id, "?format=osv")).body).toMatchObject({
      summary: "as it came",
    });
    await ok(calls.addEvent(id, verdict));
    const { body } = await readAdvisory(token, id, "?format=osv");
    expect(body.withdrawn).toEqual(expect.any(String));
    expect(body.affected[0].database_specific.artifact_name).toBe("box");
  });

  test("that a person created earlier gets the record and keeps its own fields", async () => {
    const said = { advisoryId: "OSV-1", artifactName: "mine", artifactType: "apk" };
    const made = await ok(calls.create(group, { ...said, events: [{ fixNotPlanned: {} }] }));
    expect(countsOf(await loadOsv(token, group, first))).toEqual([0, 1, 0]);
    const now = await only();
    expect(now).toMatchObject(said);
    expect(now.events).toContainEqual(made.events[0]);
    expect(fixedIn(now)).toEqual(["1.1"]);
  });
});

describe("an advisory of VEX statements", () => {
  const affected = (change: object) =>
    openVexOf([statementOf({ status: "affected", action_statement: "a", ...change })]);

  test("keeps manual events and aliases, and adds later statements", async () => {
    expect(countsOf(await loadOpenVex(token, group, openVexOf([statementOf()])))).toEqual([
      1, 0, 0,
    ]);
    const before = await only();
    const event = await ok(calls.addEvent(before.id, verdict));
    // It says the same as a later statement, and is returned all the same.
    const same = { truePositiveDetermination: { note: "a" }, timestamp: "2024-05-15T00:00:00Z" };
    await ok(calls.addEvent(before.id, same));
    await ok(calls.update(before.id, { ...(await only()), aliases: ["MINE-1"] }));
    const later = affected({ timestamp: "2024-06-01T00:00:00Z" });
    expect(countsOf(await loadOpenVex(token, group, later))).toEqual([0, 1, 0]);
    const now = await only();
    expect(now.aliases).toEqual(["MINE-1"]);
    expect(now.events).toHaveLength(4);
    expect(now.events).toContainEqual(event);
    expect(countsOf(await loadOpenVex(token, group, later))).toEqual([0, 0, 1]);
  });

  test("is exported with the fields of a PUT after a PUT", async () => {
    await loadOpenVex(token, group, openVexOf([statementOf()]));
    const before = await only();
    const product = async () =>
      (await readAdvisory(token, before.id, "?format=openvex")).body.statements[0].products[0][
        "@id"
      ];
    expect(await product()).toBe("pkg:pypi/box@1.0");
    await ok(
      calls.update(before.id, {
        ...before,
        artifactName: "lid",
        componentName: "lid",
        componentLocation: "",
      }),
    );
    expect(await product()).toBe("pkg:pypi/lid");
  });

  test("is not created if version 1 has an advisory with its id", async () => {
    await loadOpenVex(token, group, openVexOf([statementOf()]));
    const { advisoryId } = await only();
    const other = await newTenant();
    const said = { advisoryId, artifactName: "mine", artifactType: "apk" };
    await ok(callsOf(other.token).create(other.group, said));
    const taken = await loadOpenVex(other.token, other.group, openVexOf([statementOf()]));
    expect([taken.status, taken.body.details[1].violations[0].type]).toEqual([
      400,
      "ADVISORY_ID_TAKEN",
    ]);
  });
});

import { beforeEach, describe, expect, test } from "vitest";
import { withoutDecisionId } from "../../contract/decisions.ts";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
} from "../../world/personas.ts";
import { callRest, costOf, sql } from "../../world/platform.ts";

let organization: Organization;
let token: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
});

const at = (group: string) => `/iam/v1/terms/${group}`;
const accept = (group: string, documentIds: string[], as = token) =>
  callRest(at(group), { token: as, body: { documentIds } });
const list = (group: string, as = token) => callRest(at(group), { token: as });
const newGroup = async (name: string, parent = organization.uid) =>
  (await createResource(`/iam/v2/groups/${parent}`, token, { name })).uid;
const violations = (body: { details: { fieldViolations?: { field: string }[] }[] }) =>
  body.details[1]?.fieldViolations?.map(({ field }) => field);

const three = ["guardener-tos.v1", "sfdpa.v1", "skills-tos.v1"];

test("an acceptance returns group and documents, and the list shows what was accepted, by whom and when", async () => {
  const { status, body } = await accept(organization.uid, [...three, "sfdpa.v1"]);
  expect([status, body]).toEqual([200, { group: organization.uid, documentIds: three }]);
  const listed = await list(organization.uid);
  expect(Object.keys(listed.body)).toEqual(["items"]);
  expect(costOf(listed).roundTrips).toBe(1);
  const inV2 = await callRest(`/iam/v2/terms/${organization.uid}`, { token });
  expect(listed.body.items).toEqual(
    inV2.body.termsAcceptances.map((one: Record<string, unknown>) => ({
      docId: one.docId,
      acceptedBy: organization.owner.uid,
      acceptedAt: one.createTime,
    })),
  );
  expect(listed.body.items.map(({ docId }: { docId: string }) => docId).sort()).toEqual(three);
});

test("the event has the body of version 1", async () => {
  await accept(organization.uid, ["sfdpa.v1"]);
  await accept(organization.uid, ["sfdpa.v1"]);
  const rows = await sql<{ data: string; source: string; body_type: string }>(
    "select * from events where subject = ? and type like '%terms%'",
    organization.uid,
  );
  expect(rows).toMatchObject([
    {
      source: "http://localhost:8787/iam/v1/terms",
      body_type: "platform.iam.AcceptTermsResponse",
    },
  ]);
  expect(JSON.parse(rows[0]?.data ?? "").body).toEqual({
    group: organization.uid,
    documentIds: ["sfdpa.v1"],
  });
});

test("acceptances of version 2 are listed, and so are those above", async () => {
  const [group, beside] = [await newGroup("g"), await newGroup("beside")];
  const body = { documentIds: ["sfdpa.v1"] };
  await callRest(`/iam/v2/terms/${organization.uid}`, { token, body });
  await accept(group, ["skills-tos.v1"]);
  await accept(beside, three);
  const documents = async (of: string) =>
    (await list(of)).body.items.map(({ docId }: { docId: string }) => docId).sort();
  expect(await documents(group)).toEqual(["sfdpa.v1", "skills-tos.v1"]);
  expect(await documents(organization.uid)).toEqual(["sfdpa.v1"]);
});

test("a list is complete", async () => {
  await sql(
    "insert into terms_acceptances (uid, doc_id, accepted_by, create_time, update_time) select ? || printf('/%016x', value), 'd' || value, 'x', 1, 1 from json_each(?)",
    organization.uid,
    JSON.stringify(Array.from({ length: 230 }, (_, index) => index + 1)),
  );
  expect((await list(organization.uid)).body.items).toHaveLength(230);
});

describe("an error", () => {
  test.each([
    [[], ["document_ids"]],
    [[""], ["document_ids[0]"]],
    [
      ["sfdpa.v1", "nope.v1", "SFDPA.v1"],
      ["document_ids[1]", "document_ids[2]"],
    ],
    [Array.from({ length: 101 }, () => "sfdpa.v1"), ["document_ids"]],
  ])("of %j names %j", async (documentIds, fields) => {
    const { status, body } = await accept(organization.uid, documentIds);
    expect([status, violations(body)]).toEqual([400, fields]);
    expect((await list(organization.uid)).body).toEqual({});
  });

  test("for an unknown group is NOT_FOUND for a write, and a read is empty with 200", async () => {
    const missing = `${organization.uid}/${"0".repeat(16)}`;
    expect((await accept(missing, three)).status).toBe(404);
    expect(await list(missing)).toMatchObject({ status: 200, body: {} });
    expect(violations((await list("nope")).body)).toEqual(["group"]);
    expect(violations((await accept("nope", three)).body)).toEqual(["group"]);
  });

  test("without the capability, and for another organization", async () => {
    const viewer = (await newIdentity(organization, "viewer")).token;
    expect((await accept(organization.uid, three, viewer)).status).toBe(403);
    expect((await list(organization.uid, viewer)).status).toBe(200);
    const stranger = (await newOrganization()).owner.token;
    const there = await list(organization.uid, stranger);
    const nowhere = await list(`${organization.uid}/${"0".repeat(16)}`, stranger);
    expect([there.status, nowhere.status]).toEqual([403, 403]);
    expect(withoutDecisionId(there.body)).toBe(withoutDecisionId(nowhere.body));
  });
});

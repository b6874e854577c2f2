import { beforeEach, describe, expect, test } from "vitest";
import { createResource, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest, costOf } from "../../world/platform.ts";
import { violatedFields } from "../../world/resource_calls.ts";

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
    expect([status, violatedFields(body)]).toEqual([400, fields]);
    expect((await list(organization.uid)).body).toEqual({});
  });
});

import { beforeEach, describe, expect, test } from "vitest";
import { walkPages } from "../../paging/tree.ts";
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

const accept = (group: string, documentIds: string[], as = token) =>
  callRest(`/iam/v2/terms/${group}`, { token: as, body: { documentIds } });
const list = (group: string, query = "", as = token) =>
  callRest(`/iam/v2/terms/${group}${query}`, { token: as });
const newGroup = async (name: string, parent = organization.uid) =>
  (await createResource(`/iam/v2/groups/${parent}`, token, { name })).uid;
const events = (group: string) =>
  sql<{ data: string }>(
    "select data from events where subject = ? and type like '%terms%' order by time",
    group,
  );

const three = ["guardener-tos.v1", "sfdpa.v1", "skills-tos.v1"];

describe("an acceptance", () => {
  test("returns group and documents, and the list shows who accepted for which group and when", async () => {
    const before = Date.now();
    const { status, body } = await accept(organization.uid, three);
    expect([status, body]).toEqual([200, { group: organization.uid, documentIds: three }]);
    const listed = (await list(organization.uid, "?order_by=doc_id")).body;
    expect(listed.totalCount).toBe("3");
    expect(listed.termsAcceptances.map((one: { docId: string }) => one.docId)).toEqual(three);
    const [first] = listed.termsAcceptances;
    expect(first).toEqual({
      uid: expect.stringMatching(new RegExp(`^${organization.uid}/[0-9a-f]{16}$`)),
      docId: three[0],
      acceptedBy: organization.owner.uid,
      orgUid: organization.uid,
      createTime: expect.any(String),
      updateTime: first.createTime,
    });
    expect(Date.parse(first.createTime)).toBeGreaterThanOrEqual(before - 5_000);
  });

  test("a second time keeps the first acceptance and writes one event, and a new document writes another", async () => {
    await accept(organization.uid, ["sfdpa.v1", "sfdpa.v1"]);
    const [first] = (await list(organization.uid)).body.termsAcceptances;
    const owner = await newIdentity(organization, "owner");
    const again = await accept(organization.uid, ["sfdpa.v1"], owner.token);
    expect(again.body).toEqual({ group: organization.uid, documentIds: ["sfdpa.v1"] });
    expect((await list(organization.uid)).body.termsAcceptances).toEqual([first]);
    expect(await events(organization.uid)).toHaveLength(1);
    await accept(organization.uid, three, owner.token);
    const { termsAcceptances } = (await list(organization.uid, "?order_by=create_time")).body;
    expect(termsAcceptances).toHaveLength(3);
    expect(termsAcceptances[0]).toEqual(first);
    const payloads = (await events(organization.uid)).map(({ data }) => JSON.parse(data));
    expect(payloads.map(({ body }) => body.documentIds)).toEqual([["sfdpa.v1"], three]);
    expect(payloads.map(({ actor }) => actor.subject)).toEqual([organization.owner.uid, owner.uid]);
  });

  test("by several callers at once creates one acceptance and one event", async () => {
    const answers = await Promise.all([1, 2, 3].map(() => accept(organization.uid, ["sfdpa.v1"])));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await list(organization.uid)).body.totalCount).toBe("1");
    expect(await events(organization.uid)).toHaveLength(1);
  });

  test("of an unknown document is rejected as a whole, naming each unknown one", async () => {
    const { status, body } = await accept(organization.uid, ["sfdpa.v1", "nope.v1", "SFDPA.v1"]);
    expect([status, body.code]).toEqual([400, 3]);
    const fields = body.details[1].fieldViolations.map((one: { field: string }) => one.field);
    expect(fields).toEqual(["document_ids[1]", "document_ids[2]"]);
    expect((await list(organization.uid)).body.totalCount).toBe("0");
  });

  test.for([[], [""], Array.from({ length: 101 }, () => "sfdpa.v1")])(
    "of the documents %j is INVALID_ARGUMENT",
    async (ids) => {
      const { status, body } = await accept(organization.uid, ids);
      expect([status, body.code]).toEqual([400, 3]);
      expect(body.message).toContain("document_ids");
    },
  );
});

describe("the list of acceptances", () => {
  test("contains those above the group, and not those below it or of siblings", async () => {
    const upper = await newGroup("upper");
    const lower = await newGroup("lower", upper);
    const beside = await newGroup("beside");
    await accept(organization.uid, ["sfdpa.v1"]);
    await accept(upper, ["skills-tos.v1"]);
    await accept(lower, ["guardener-tos.v1", "sfdpa.v1"]);
    await accept(beside, three);
    const of = async (group: string) => {
      const { totalCount, termsAcceptances } = (await list(group)).body;
      const orgs = termsAcceptances.map((one: { orgUid: string }) => one.orgUid).sort();
      return [totalCount, orgs];
    };
    expect(await of(lower)).toEqual(["4", [organization.uid, upper, lower, lower].sort()]);
    expect(await of(upper)).toEqual(["2", [organization.uid, upper].sort()]);
    expect(await of(organization.uid)).toEqual(["1", [organization.uid]]);
  });

  test("is read page by page in every order", async () => {
    const upper = await newGroup("upper");
    await accept(organization.uid, three);
    await accept(upper, three);
    const path = `/iam/v2/terms/${upper}`;
    const orders = ["uid desc", "doc_id", "doc_id desc", "create_time desc", "update_time"];
    for (const order_by of ["", "uid", ...orders]) {
      const query = { page_size: "2", order_by };
      const { uids, totals, sizes } = await walkPages(path, "termsAcceptances", query, token);
      const [field, direction = ""] = (order_by || "uid").split(" ");
      const expected = await sql<{ uid: string }>(
        `select uid from terms_acceptances where parent in (?, ?)
         order by ${field} ${direction}, uid ${direction}`,
        ...[organization.uid, upper],
      );
      expect([order_by, uids]).toEqual([order_by, expected.map(({ uid }) => uid)]);
      expect([totals, sizes]).toEqual([
        ["6", "6", "6"],
        [2, 2, 2],
      ]);
    }
  });

  test("supports skip, rejects a token of another group, and takes one round trip", async () => {
    const upper = await newGroup("upper");
    await accept(upper, three);
    const answer = await list(upper, "?page_size=1&skip=1");
    expect(answer.body).toMatchObject({ totalCount: "3", skipped: 1 });
    expect(answer.body.termsAcceptances).toHaveLength(1);
    expect(costOf(answer).roundTrips).toBe(1);
    const foreign = await list(organization.uid, `?page_token=${answer.body.nextPageToken}`);
    expect([foreign.status, foreign.body.code]).toEqual([400, 3]);
    expect((await list(upper, "?order_by=accepted_by")).status).toBe(400);
  });
});

test("the deletion of a group deletes its acceptances", async () => {
  const group = await newGroup("short");
  await accept(group, three);
  const gone = await callRest(`/iam/v2/groups/${group}`, { method: "DELETE", token });
  expect(gone.status).toBe(200);
  expect(await sql("select uid from terms_acceptances where parent = ?", group)).toEqual([]);
  expect((await list(group)).status).toBe(404);
});

import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { walkPages } from "../../paging/tree.ts";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
} from "../../world/personas.ts";
import { callRest, costOf, sql } from "../../world/platform.ts";
import { resourceCalls, violatedFields } from "../../world/resource_calls.ts";

let organization: Organization;
let token: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
});

const base = "/iam/v2/accountAssociations";
const { get, post, patch: patchWith } = resourceCalls(base, () => token);
const patch = (group: string, body: object, mask = "") =>
  patchWith(group, body, token, mask && `?updateMask=${mask}`);
const newGroup = async (name: string, parent = organization.uid) =>
  (await createResource(`/iam/v2/groups/${parent}`, token, { name })).uid;
const servant = async (servicePrincipal: string, group = organization.uid) =>
  (
    await createResource(`/iam/v2/identities/${group}`, token, {
      name: "servant",
      servicePrincipal,
    })
  ).uid;
const events = (group: string) =>
  sql<{ type: string; data: string }>(
    "select type, data from events where subject = ? and type like '%account_associations%' order by time",
    group,
  );

const tenantId = "11111111-2222-3333-4444-555555555555";
const clientId = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee";
const links = {
  amazon: { account: "123456789012" },
  google: { projectId: "my-project", projectNumber: "987654321" },
  azure: { tenantId, clientIds: { scanner: clientId } },
  github: {
    appInstallations: {
      "42": { installations: [{ installationId: "9007199254740993", name: "acme" }] },
    },
  },
};

describe("an account association", () => {
  test("is unique in a group: the second is ALREADY_EXISTS, and of two at once one is created", async () => {
    const both = await Promise.all([1, 2].map(() => post(organization.uid, { name: "clouds" })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const { status, body } = await post(organization.uid, { name: "other" });
    expect([status, body.code]).toEqual([409, 6]);
    expect(body.details[1]).toMatchObject({
      resourceType: "iam.platform.example/AccountAssociation",
      resourceName: organization.uid,
    });
    expect(await events(organization.uid)).toHaveLength(1);
  });

  test("is NOT_FOUND if the group has none, or does not exist", async () => {
    const group = await newGroup("bare");
    expect(await get(group)).toMatchObject({ status: 404, body: { code: 5 } });
    expect(await patch(group, { name: "x" })).toMatchObject({ status: 404, body: { code: 5 } });
    const gone = `${organization.uid}/${"0".repeat(16)}`;
    expect(await post(gone, { name: "x" })).toMatchObject({
      status: 404,
      body: { message: `Not found: Group ${gone}` },
    });
  });
});

describe("a link is rejected by name:", () => {
  const group = "0123456789abcdef0123456789abcdef01234567";
  test.for<[string, object]>([
    ["name", { name: "Upper" }],
    ["name", {}],
    ["description", { name: "a", description: "two\nlines" }],
    ["amazon.account", { name: "a", amazon: { account: "12345678901" } }],
    ["amazon.account", { name: "a", amazon: {} }],
    ["google.project_number", { name: "a", google: { projectId: "p", projectNumber: "1/2" } }],
    ["google.project_id", { name: "a", google: { projectNumber: "1" } }],
    ["azure.tenant_id", { name: "a", azure: { ...links.azure, tenantId: "acme" } }],
    ["azure.client_ids", { name: "a", azure: { tenantId } }],
    ['azure.client_ids["x"]', { name: "a", azure: { tenantId, clientIds: { x: "y" } } }],
    ["vendor.service_bindings", { name: "a", vendor: {} }],
    [
      'vendor.service_bindings["COSIGNED"]',
      { name: "a", vendor: { serviceBindings: { COSIGNED: "x" } } },
    ],
    [
      'vendor.service_bindings["NOBODY"]',
      { name: "a", vendor: { serviceBindings: { NOBODY: group } } },
    ],
    ['vendor.service_bindings["1"]', { name: "a", vendor: { serviceBindings: { 1: group } } }],
    [
      'vendor.service_bindings["UNSPECIFIED"]',
      { name: "a", vendor: { serviceBindings: { UNSPECIFIED: group } } },
    ],
    [
      'vendor.service_bindings["toString"]',
      { name: "a", vendor: { serviceBindings: { toString: group } } },
    ],
    ["github.app_installations[0]", { name: "a", github: { appInstallations: { 0: {} } } }],
    [
      "github.app_installations[1].installations[0].installation_id",
      {
        name: "a",
        github: { appInstallations: { 1: { installations: [{ installationId: "0" }] } } },
      },
    ],
  ])("%s of %j", async ([field, body]) => {
    const { status, body: responseBody } = await post(organization.uid, body);
    expect([status, responseBody.code]).toEqual([400, 3]);
    expect(violatedFields(responseBody)).toContain(field);
    expect((await get(organization.uid)).status).toBe(404);
  });

  test("a service is rejected whose identity belongs to another service, is elsewhere, below, of another kind or deleted", async () => {
    const other = await newOrganization();
    const foreign = await createResource(`/iam/v2/identities/${other.uid}`, other.owner.token, {
      name: "servant",
      servicePrincipal: "SERVICE_PRINCIPAL_COSIGNED",
    });
    const plain = await createResource(`/iam/v2/identities/${organization.uid}`, token, {
      name: "plain",
    });
    const uids = [
      await servant("SERVICE_PRINCIPAL_INGESTER"),
      foreign.uid,
      await servant("SERVICE_PRINCIPAL_COSIGNED", await newGroup("below")),
      plain.uid,
      `${organization.uid}/${"0".repeat(16)}`,
    ];
    for (const COSIGNED of uids) {
      const body = { name: "a", vendor: { serviceBindings: { COSIGNED } } };
      const { status, body: responseBody } = await post(organization.uid, body);
      expect(status).toBe(400);
      expect(responseBody.message).toContain(
        "directly below the group whose service_principal is COSIGNED",
      );
    }
  });
});

describe("an update of an account association", () => {
  beforeEach(async () => {
    await post(organization.uid, { name: "clouds", description: "d", ...links });
  });

  test("without a mask changes the fields of the body, and nothing else", async () => {
    const before = (await get(organization.uid)).body;
    const { body } = await patch(organization.uid, { amazon: { account: "000000000000" } });
    expect(body).toEqual({
      ...before,
      amazon: { account: "000000000000" },
      updateTime: expect.any(String),
      etag: expect.any(String),
    });
    expect(Date.parse(body.updateTime)).toBeGreaterThan(Date.parse(before.updateTime));
    expect((await get(organization.uid)).body).toEqual(body);
  });

  test("changes a nested path of a link, and ignores the fields outside the mask", async () => {
    const azure = { tenantId: "ignored", clientIds: { other: clientId } };
    const { status, body } = await patch(
      organization.uid,
      { name: "ignored", azure },
      "azure.clientIds",
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: "clouds",
      azure: { tenantId, clientIds: { other: clientId } },
    });
    expect(body.azure.clientIds).not.toHaveProperty("scanner");
  });

  test.for(["amazon", "google", "azure", "github"] as const)(
    "that clears %s unlinks it",
    async (link) => {
      const { body } = await patch(organization.uid, {}, link);
      expect(body).not.toHaveProperty(link);
      const { [link]: _, ...others } = links;
      expect(body).toMatchObject(others);
    },
  );

  test("that would leave a link incomplete is rejected, and so is an unknown path", async () => {
    for (const [mask, field] of [
      ["amazon.account", "amazon.account"],
      ["amazon.x", "update_mask"],
    ] as const) {
      const { status, body } = await patch(organization.uid, {}, mask);
      expect(status).toBe(400);
      expect(JSON.stringify(body.details)).toContain(`"field":"${field}"`);
    }
    expect((await get(organization.uid)).body).toMatchObject(links);
  });

  test("checks new service bindings, and keeps an old one whose identity was deleted", async () => {
    const cosigned = await servant("SERVICE_PRINCIPAL_COSIGNED");
    const vendor = { serviceBindings: { COSIGNED: cosigned } };
    expect((await patch(organization.uid, { vendor })).status).toBe(200);
    expect(
      (await callRest(`/iam/v2/identities/${cosigned}`, { method: "DELETE", token })).status,
    ).toBe(200);
    expect(await patch(organization.uid, { description: "e" })).toMatchObject({
      status: 200,
      body: { vendor },
    });
    const more = { serviceBindings: { ...vendor.serviceBindings, INGESTER: cosigned } };
    const { status, body } = await patch(organization.uid, { vendor: more });
    expect(status).toBe(400);
    expect(body.message).toContain("INGESTER");
  });
});

describe("a list of account associations", () => {
  /** All tests read the same organization. */
  let home: Organization;
  let groups: string[];
  beforeAll(async () => {
    home = await newOrganization();
    const { uid, owner } = home;
    const below = async (parent: string, name: string) =>
      (await createResource(`/iam/v2/groups/${parent}`, owner.token, { name })).uid;
    const a = await below(uid, "a");
    groups = [uid, a, await below(a, "b"), await below(uid, "c")];
    for (const [index, group] of groups.entries()) {
      await createResource(`${base}/${group}`, owner.token, { name: `n${index % 2}` });
    }
  });

  const of = (query: Record<string, string>, as = home.owner.token) =>
    walkPages(base, "accountAssociations", { page_size: "2", ...query }, as);

  test.for(["", "group", "uid", "name", "create_time", "update_time", "group desc"])(
    "below a group includes the group's own association, in the order %j, with the right total",
    async (order_by) => {
      const [, a = "", b = ""] = groups;
      for (const [scope, uids] of [
        [home.uid, groups],
        [a, [a, b]],
      ] as const) {
        const { uids: found, totals } = await of({ order_by, "uidp.descendants_of": scope });
        expect(found.toSorted()).toEqual(uids.toSorted());
        expect(new Set(totals)).toEqual(new Set([String(uids.length)]));
        if (order_by === "" || order_by === "uid") expect(found).toEqual(uids.toSorted());
        if (order_by === "group desc") expect(found).toEqual(uids.toSorted().reverse());
      }
    },
  );

  test("of a group's children has only those of its children", async () => {
    const { uids, totals } = await of({ "uidp.children_of": groups[1] ?? "" });
    expect([uids, totals]).toEqual([[groups[1]], ["1"]]);
  });

  test("by name has exactly those with the name, with their total", async () => {
    const { uids, totals } = await of({ name: "n1", "uidp.descendants_of": home.uid });
    expect([uids.length, totals]).toEqual([2, ["2"]]);
  });

  test("without a scope has those that the caller can see, with the right total", async () => {
    const [, a = "", b = ""] = groups;
    const { token: reader } = await newIdentity(home, "viewer", {
      group: home.uid,
      bindAt: a,
    });
    const { uids, totals } = await of({}, reader);
    expect([uids, totals]).toEqual([[a, b].toSorted(), ["2"]]);
    const wide = await of({ "uidp.descendants_of": home.uid }, reader);
    expect([wide.uids, wide.totals]).toEqual([[a, b].toSorted(), ["2"]]);
    const answer = await callRest(`${base}?uidp.children_of=${home.uid}`, {
      token: reader,
    });
    expect(answer.status).toBe(403);
  });

  test("reads the page and not the whole table", async () => {
    for (const order of ["", "group", "uid", "name", "create_time"]) {
      const path = `${base}?page_size=1&order_by=${order}&uidp.descendants_of=${home.uid}`;
      const answer = await callRest(path, { token: home.owner.token });
      expect(costOf(answer).roundTrips).toBe(1);
      expect(costOf(answer).rowsRead).toBeLessThan(12);
    }
  });
});

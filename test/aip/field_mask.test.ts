import { create } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import { beforeAll, describe, expect, test } from "vitest";
import { IdentitiesService } from "../../schema/gen/platform/iam/v2/identities_pb.js";
import { RepoSchema, ReposService } from "../../schema/gen/platform/registry/v2/repos_pb.js";
import {
  createResource,
  newOrganization,
  type Organization,
  randomName,
} from "../world/personas.ts";
import { type Answer, callRest, clientOf, sql } from "../world/platform.ts";

let organization: Organization;
beforeAll(async () => {
  organization = await newOrganization();
});

const patch = (path: string, body: unknown, updateMask?: string, key = "updateMask") =>
  callRest(
    `${path}${updateMask === undefined ? "" : `?${key}=${encodeURIComponent(updateMask)}`}`,
    {
      method: "PATCH",
      token: organization.owner.token,
      body,
    },
  );

const read = (path: string) => callRest(path, { token: organization.owner.token });

const events = async (subject: string) => {
  const [row] = await sql<{ n: number }>(
    "select count(*) as n from events where subject = ?",
    subject,
  );
  return row?.n;
};

/** Expects a refused update: a typed error, and no trace in the row or the outbox. */
async function expectRefused(
  path: string,
  uid: string,
  refused: () => Promise<Answer>,
  field: string,
) {
  const [before, written] = [await read(path), await events(uid)];
  const { status, body } = await refused();
  expect([status, body.code]).toEqual([400, 3]);
  expect(body.details[0]["@type"]).toBe("type.googleapis.com/google.rpc.ErrorInfo");
  expect(body.details[1].fieldViolations[0].field).toBe(field);
  expect((await read(path)).body).toEqual(before.body);
  expect(await events(uid)).toBe(written);
}

const overlay = {
  contents: { packages: ["curl"] },
  environment: { A: "1" },
  accounts: { runAs: "65532" },
};

async function newRepo() {
  const repo = await createResource(
    `/registry/v2/repos/${organization.uid}`,
    organization.owner.token,
    {
      name: randomName("python"),
      description: "before",
      catalogTier: "CATALOG_TIER_BASE",
      bundles: ["base", "fips"],
      aliases: ["registry.example/python:latest"],
      activeTags: ["latest"],
      customOverlay: overlay,
    },
  );
  return { uid: repo.uid, path: `/registry/v2/repos/${repo.uid}`, repo };
}

describe("without a mask over REST", () => {
  test("the keys of the body are changed, and the other fields stay", async () => {
    const { path, repo } = await newRepo();
    const { status, body } = await patch(path, { description: "after" });
    expect(status).toBe(200);
    const { updateTime, etag } = body;
    expect(body).toEqual({ ...repo, description: "after", updateTime, etag });
    expect(Date.parse(body.updateTime)).toBeGreaterThan(Date.parse(String(repo.updateTime)));
    expect((await read(path)).body).toEqual(body);
  });

  test("a key sent empty or null clears its field", async () => {
    const { path } = await newRepo();
    const { body } = await patch(path, {
      description: "",
      bundles: [],
      aliases: null,
      catalogTier: "CATALOG_TIER_UNSPECIFIED",
    });
    for (const cleared of ["description", "bundles", "aliases", "catalogTier"]) {
      expect(body).not.toHaveProperty(cleared);
    }
    expect(body.activeTags).toEqual(["latest"]);
    expect((await read(path)).body).toEqual(body);
  });

  test("each member of a nested object counts, and a map counts as a whole", async () => {
    const { path } = await newRepo();
    const { body } = await patch(path, {
      custom_overlay: { environment: { B: "2" }, accounts: { users: [{ username: "u" }] } },
    });
    expect(body.customOverlay.environment).toEqual({ B: "2" });
    expect(body.customOverlay.contents).toEqual({ packages: ["curl"] });
    expect(body.customOverlay.accounts.runAs).toBe("65532");
    expect(body.customOverlay.accounts.users[0].username).toBe("u");
  });

  test("an empty nested object clears all its members", async () => {
    const { path } = await newRepo();
    const { body } = await patch(path, { customOverlay: null });
    expect(body).not.toHaveProperty("customOverlay");
  });

  test("an unknown key is rejected and nothing changes", async () => {
    const { path, uid } = await newRepo();
    await expectRefused(
      path,
      uid,
      () => patch(path, { description: "x", colour: "red" }),
      "colour",
    );
    await expectRefused(
      path,
      uid,
      () => patch(path, { customOverlay: { colour: 1 } }),
      "custom_overlay.colour",
    );
  });

  test("output-only fields are ignored", async () => {
    const { path, repo } = await newRepo();
    const { body } = await patch(path, {
      uid: `${organization.uid}/0000000000000000`,
      createTime: "2000-01-01T00:00:00Z",
      updateTime: "2000-01-01T00:00:00Z",
      description: "after",
    });
    expect(body.uid).toBe(repo.uid);
    expect(body.createTime).toBe(repo.createTime);
    expect(Date.parse(body.updateTime)).toBeGreaterThan(Date.parse(String(repo.updateTime)));
  });

  test("a required field cannot be cleared", async () => {
    const { path, uid } = await newRepo();
    await expectRefused(path, uid, () => patch(path, { name: "" }), "name");
    await expectRefused(path, uid, () => patch(path, { name: null }), "name");
  });
});

describe("with a mask", () => {
  test("only the masked fields change", async () => {
    const { path, repo } = await newRepo();
    const { body } = await patch(path, { description: "after", name: "other" }, "description");
    expect([body.description, body.name]).toEqual(["after", repo.name]);
  });

  test("a masked field absent from the body is cleared", async () => {
    const { path, repo } = await newRepo();
    const { body } = await patch(path, { name: "other" }, "description,bundles");
    expect(body).not.toHaveProperty("description");
    expect(body).not.toHaveProperty("bundles");
    expect(body.name).toBe(repo.name);
  });

  test("an unknown key of the body outside the mask is ignored", async () => {
    const { path } = await newRepo();
    const { status, body } = await patch(path, { description: "y", colour: "red" }, "description");
    expect([status, body.description]).toEqual([200, "y"]);
  });

  test.each([
    ["customOverlay.environment", "updateMask"],
    ["custom_overlay.environment", "update_mask"],
    [" custom_overlay.environment ", "updateMask"],
  ])("paths are applied by %j under %s", async (mask, key) => {
    const { path } = await newRepo();
    const sent = { customOverlay: { environment: { C: "3" }, annotations: { x: "y" } } };
    const { body } = await patch(path, sent, mask, key);
    expect(body.customOverlay.environment).toEqual({ C: "3" });
    expect(body.customOverlay).not.toHaveProperty("annotations");
    expect(body.customOverlay.contents).toEqual({ packages: ["curl"] });
  });

  test("* replaces everything: absent fields are cleared, and fields of the server stay", async () => {
    const { path, repo } = await newRepo();
    const name = randomName("renamed");
    const { status, body } = await patch(path, { name }, "*");
    expect(status).toBe(200);
    const { updateTime, etag } = body;
    expect(body).toEqual({ uid: repo.uid, name, createTime: repo.createTime, updateTime, etag });
    expect((await read(path)).body).toEqual(body);
  });

  test("* without a required field is rejected", async () => {
    const { path, uid } = await newRepo();
    await expectRefused(path, uid, () => patch(path, { description: "x" }, "*"), "name");
  });

  test.each([
    "colour",
    "description.text",
    "custom_overlay.colour",
    "custom_overlay.environment.A",
    "sync_config.colour",
    "uid.x",
    "create_time.years",
    "description,colour",
    "description,",
    "..",
    "*,description",
    "custom_overlay.*",
    "__proto__",
    "constructor",
  ])("%j is rejected and nothing changes", async (mask) => {
    const { path, uid } = await newRepo();
    await expectRefused(path, uid, () => patch(path, { description: "x" }, mask), "update_mask");
  });

  test("an output-only path is ignored", async () => {
    const { path, repo } = await newRepo();
    const { status, body } = await patch(
      path,
      { createTime: "2000-01-01T00:00:00Z", description: "after" },
      "create_time,description,uid",
    );
    expect(status).toBe(200);
    expect([body.createTime, body.description]).toEqual([repo.createTime, "after"]);
  });

  test("a mask that is sent twice is rejected", async () => {
    const { path, uid } = await newRepo();
    const twice = () =>
      callRest(`${path}?updateMask=description&update_mask=name`, {
        method: "PATCH",
        token: organization.owner.token,
        body: { description: "x" },
      });
    await expectRefused(path, uid, twice, "update_mask");
  });

  test("a client cannot set output-only members of a nested message", async () => {
    const { path } = await newRepo();
    const at = `/registry/v2/repos/${organization.uid}`;
    const { uid: source } = await createResource(at, organization.owner.token, {
      name: randomName("source"),
    });
    const sync_config = {
      source,
      uniqueTags: true,
      gracePeriod: true,
      apkoOverlay: "mine",
      expirationTime: "2099-01-01T00:00:00Z",
    };
    const { status, body } = await patch(path, { sync_config }, "sync_config");
    expect(status).toBe(200);
    expect(body.sync_config).toMatchObject({ source, uniqueTags: false, gracePeriod: false });
    expect(body.sync_config).not.toHaveProperty("apkoOverlay");
    expect(body.sync_config.expirationTime).not.toMatch(/^2099/);
    const made = await createResource(
      `/registry/v2/repos/${organization.uid}`,
      organization.owner.token,
      {
        name: randomName("synced"),
        sync_config,
      },
    );
    expect(made.sync_config).toMatchObject({ source, uniqueTags: false, gracePeriod: false });
  });
});

describe("oneofs", () => {
  const keys = JSON.stringify({
    keys: [{ kty: "EC", crv: "P-256", x: "AA", y: "AA", kid: "1" }],
  });
  const newIdentity = async (body: object) => {
    const identity = await createResource(
      `/iam/v2/identities/${organization.uid}`,
      organization.owner.token,
      { name: "bot", ...body },
    );
    return { uid: identity.uid, path: `/iam/v2/identities/${identity.uid}`, identity };
  };
  const claimMatch = { issuer: "https://a.example", subject: "s", claims: { k: "v" } };

  test("a nested member changes alone", async () => {
    const { path } = await newIdentity({ claimMatch });
    const masked = await patch(
      path,
      { claimMatch: { issuer: "https://b.example", subject: "ignored" } },
      "claim_match.issuer",
    );
    expect(masked.body.claimMatch).toEqual({ ...claimMatch, issuer: "https://b.example" });
    const keyed = await patch(path, { claim_match: { subject: "t" } });
    expect(keyed.body.claimMatch).toEqual({
      ...claimMatch,
      issuer: "https://b.example",
      subject: "t",
    });
  });

  test("a member replaces another one", async () => {
    const { path } = await newIdentity({
      staticKeys: { issuer: "https://i.example", subject: "s", issuerKeys: keys },
    });
    const switched = await patch(path, { claimMatch }, "claim_match");
    expect(switched.status).toBe(200);
    expect(switched.body.claimMatch).toEqual(claimMatch);
    expect(switched.body).not.toHaveProperty("staticKeys");
    const inner = await patch(path, { claimMatch: { subjectPattern: "s.*" } });
    expect(inner.body.claimMatch).toEqual({
      issuer: claimMatch.issuer,
      subjectPattern: "s.*",
      claims: { k: "v" },
    });
    expect((await read(path)).body).toEqual(inner.body);
  });

  test("a mask with a member that is not set leaves the one that is set", async () => {
    const { path } = await newIdentity({ claimMatch });
    const { status, body } = await patch(path, {}, "static_keys,aws_identity");
    expect(status).toBe(200);
    expect(body.claimMatch).toEqual(claimMatch);
  });

  test("a mask with the set member and no value clears it", async () => {
    const { path } = await newIdentity({ claimMatch });
    expect((await patch(path, {}, "claim_match")).body).not.toHaveProperty("claimMatch");
  });

  test("two members at once are rejected", async () => {
    const { path, uid } = await newIdentity({ claimMatch });
    const both = { claimMatch, staticKeys: { issuer: "i", subject: "s", issuerKeys: keys } };
    const [before, written] = [await read(path), await events(uid)];
    expect((await patch(path, both)).status).toBe(400);
    expect((await read(path)).body).toEqual(before.body);
    expect(await events(uid)).toBe(written);
  });

  test("a required oneof cannot be cleared", async () => {
    const { path, uid } = await newIdentity({ claimMatch });
    await expectRefused(path, uid, () => patch(path, {}, "claim_match.issuer"), "claim_match.iss");
    const empty = () => patch(path, { claimMatch: { subject: "" } });
    await expectRefused(path, uid, empty, "claim_match.subject");
  });
});

describe("over gRPC", () => {
  test("without a mask, the populated fields change, and empty fields clear nothing", async () => {
    const { uid, path, repo } = await newRepo();
    const client = clientOf(ReposService, organization.owner.token);
    const changed = await client.updateRepo({ repo: { uid, description: "after", bundles: [] } });
    expect([changed.description, changed.bundles]).toEqual(["after", ["base", "fips"]]);
    const same = await client.updateRepo({ repo: create(RepoSchema, { uid, description: "" }) });
    expect(same.description).toBe("after");
    expect((await read(path)).body.name).toBe(repo.name);
  });

  test("with a mask, an empty value clears its field, and * replaces everything", async () => {
    const { uid, repo } = await newRepo();
    const client = clientOf(ReposService, organization.owner.token);
    const cleared = await client.updateRepo({
      repo: { uid, name: "ignored" },
      updateMask: { paths: ["description"] },
    });
    expect([cleared.description, cleared.name]).toEqual(["", repo.name]);
    const name = randomName("new");
    const replaced = await client.updateRepo({
      repo: { uid, name },
      updateMask: { paths: ["*"] },
    });
    expect([replaced.name, replaced.bundles, replaced.catalogTier]).toEqual([name, [], 0]);
  });

  test("an unknown path, * with other paths, and a missing uid are rejected", async () => {
    const { uid } = await newRepo();
    const client = clientOf(ReposService, organization.owner.token);
    const bots = clientOf(IdentitiesService, organization.owner.token);
    for (const refused of [
      () => client.updateRepo({ repo: { uid, name: "x" }, updateMask: { paths: ["colour"] } }),
      () => client.updateRepo({ repo: { uid, name: "x" }, updateMask: { paths: ["*", "name"] } }),
      () => client.updateRepo({ repo: { name: "x" } }),
      () => client.updateRepo({}),
      () => bots.updateIdentity({ identity: { uid: "x" } }),
    ]) {
      const error = await refused().catch((thrown: unknown) => thrown);
      expect((error as ConnectError).code).toBe(Code.InvalidArgument);
    }
  });
});

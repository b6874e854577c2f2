/** RPCs that require documents, on a separate platform whose TERMS name some. */
import { fromBinary } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TermsNotAcceptedDetailSchema } from "../../schema/gen/platform/iam/v2/terms_pb.js";
import { ReposService } from "../../schema/gen/platform/registry/v2/repos_pb.js";
import { restCall } from "../contract/callers.ts";
import { allCapabilities, step } from "../contract/fixtures.ts";
import { minimalRequest } from "../contract/requests.ts";
import { type ContractRpc, notOverRest, termsRpcs } from "../contract/rpcs.ts";
import { startOwnPlatform } from "../world/own_platform.ts";
import { randomName, randomUid } from "../world/personas.ts";
import { requestId, requestInfo, tokenFor } from "../world/platform.ts";

/** Whether an RPC of version 1 translates to one of version 2. */
const callsV2 = (name: string) =>
  name.startsWith("iam.") || name === "registry.Registry/CreateRepo";
const nameOf = ({ method }: ContractRpc) => `${method.parent.typeName}/${method.name}`;

const all = { id: "all.v1", label: "All of it", url: "https://terms.example/all" };
const repos = { id: "sfdpa.v1", label: "", url: "https://terms.example/sfdpa" };
const ofV1 = { id: "v1.v1", label: "Version 1", url: "https://terms.example/v1" };
const terms = [
  {
    ...all,
    // A requirement for an RPC of version 2 also applies to the RPC of version 1 that calls it.
    methods: [
      ...termsRpcs.filter(({ isV1, name }) => !isV1 || !callsV2(name)).map(nameOf),
      "platform.iam.v2.GroupsService/CreateGroup",
    ],
  },
  { ...repos, methods: ["platform.registry.v2.ReposService/CreateRepo"] },
  { ...ofV1, methods: termsRpcs.filter(({ isV1 }) => isV1).map(nameOf) },
];

let platform: Awaited<ReturnType<typeof startOwnPlatform>>;
let origin: string;
let token: string;
/** An organization without acceptances, a caller with every capability in it, and a caller with none. */
let blocked: string;
let holder: string;
let stranger: string;
beforeAll(async () => {
  platform = await startOwnPlatform({ bindings: { TERMS: JSON.stringify(terms), METER: "true" } });
  origin = platform.origin;
  token = await newUser();
  blocked = await newOrganization();
  holder = await newHolder(blocked);
  stranger = await newUser();
});
afterAll(() => platform?.stop());

async function newUser(uid = randomUid()): Promise<string> {
  const insert =
    "insert into identities (uid, name, last_seen_time, create_time, update_time) values (?, 'a', 1, 1, 1)";
  await platform.db.prepare(insert).bind(uid).all();
  return tokenFor(uid);
}

async function newHolder(organization: string): Promise<string> {
  const [identity, role, binding] = [step(), step(), step()].map((one) => `${organization}/${one}`);
  await platform.db
    .prepare(
      "insert into roles (uid, name, capabilities, create_time, update_time) values (?, 'a', ?, 1, 1)",
    )
    .bind(role, JSON.stringify(allCapabilities))
    .all();
  const made = await newUser(identity);
  await platform.db
    .prepare(
      "insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time) values (?, ?, ?, 1, 1)",
    )
    .bind(binding, identity, role)
    .all();
  return made;
}

async function call(path: string, body?: unknown, as = token, method = body ? "POST" : "GET") {
  const response = await fetch(origin + path, {
    method,
    headers: {
      authorization: `Bearer ${as}`,
      "content-type": "application/json",
      "x-request-id": requestId,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

const accept = (group: string, ...documentIds: string[]) =>
  call(`/iam/v2/terms/${group}`, { documentIds });
const newOrganization = async () =>
  (await call("/iam/v2/groups", { name: randomName("org") })).body.uid as string;
const newRepo = (group: string, as = token, more: object = {}) =>
  call(`/registry/v2/repos/${group}`, { name: randomName("repo"), ...more }, as);

/** An organization that has accepted every required document, with two groups below each other. */
async function newGroups() {
  const organization = await newOrganization();
  await accept(organization, all.id);
  const below = async (parent: string) =>
    (await call(`/iam/v2/groups/${parent}`, { name: randomName("group") })).body.uid as string;
  const upper = await below(organization);
  return { organization, upper, lower: await below(upper), beside: await below(organization) };
}

/** The error, whose detail is a message of the called version. */
const refusalOf = (version: string, ...missing: object[]) => ({
  status: 400,
  body: {
    code: 9,
    message: "terms not accepted",
    details: [
      {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: "FAILED_PRECONDITION",
        domain: expect.stringMatching(/^[a-z]+\.platform\.example$/),
      },
      {
        "@type": `type.googleapis.com/vendor.platform.iam${version}.TermsNotAcceptedDetail`,
        missing,
      },
      requestInfo,
    ],
  },
});
const refusal = (...missing: object[]) => refusalOf(".v2", ...missing);

test.each(
  termsRpcs.filter(({ name }) => !notOverRest.includes(name)).map((rpc) => [rpc.name, rpc]),
)("%s requires its documents", async (name, rpc) => {
  const { path, asked } = restCall(rpc, minimalRequest(rpc, blocked));
  const both = name.endsWith("/CreateRepo");
  const titled = { ...repos, label: "Data Privacy Agreement" };
  const answer = await call(path, asked.body, holder, asked.method);
  const version = rpc.isV1 ? "" : ".v2";
  const missing = [all, ...(both ? [titled] : []), ...(rpc.isV1 ? [ofV1] : [])];
  expect(answer).toEqual(refusalOf(version, ...missing));
  const refused = await call(path, asked.body, stranger, asked.method);
  expect([refused.status, refused.body.code]).toEqual([403, 7]);
});

test("the error over Connect is the same", async () => {
  const organization = await newOrganization();
  await accept(organization, all.id);
  const transport = createConnectTransport({
    baseUrl: origin,
    interceptors: [
      (next) => (request) => {
        request.header.set("authorization", `Bearer ${token}`);
        return next(request);
      },
    ],
  });
  const client = createClient(ReposService, transport);
  const asked = { parent: organization, repo: { name: "image" } };
  const error = await client.createRepo(asked).catch((thrown) => thrown);
  expect([error.code, error.rawMessage]).toEqual([9, "terms not accepted"]);
  const [, { type, value }] = error.details;
  expect(type).toBe("vendor.platform.iam.v2.TermsNotAcceptedDetail");
  expect(fromBinary(TermsNotAcceptedDetailSchema, value).missing).toMatchObject([
    { ...repos, label: "Data Privacy Agreement" },
  ]);
  await accept(organization, repos.id);
  expect((await client.createRepo(asked)).name).toBe("image");
});

test("an invite requires the documents too if its organization is created with it, and then none is created", async () => {
  const name = randomName("org");
  const founder = await newUser();
  const path = "/platform.iam.GroupInvites/CreateWithGroup";
  const { status, body } = await call(path, { group: name, ttl: "3600s" }, founder);
  expect([status, body.code, body.message]).toEqual([
    ...[400, "failed_precondition", "terms not accepted"],
  ]);
  const { body: listed } = await call(`/iam/v2/groups?name=${name}`, undefined, founder);
  expect(listed.groups).toBeUndefined();
});

describe("an acceptance", () => {
  test("counts for the group and all groups below it", async () => {
    const { organization, upper, lower } = await newGroups();
    expect((await newRepo(organization)).status).toBe(400);
    await accept(organization, repos.id);
    for (const group of [organization, upper, lower]) {
      expect((await newRepo(group)).status).toBe(200);
    }
  });

  test("does not count above the group, for a sibling, or for another organization", async () => {
    const { organization, upper, lower, beside } = await newGroups();
    const other = await newGroups();
    await accept(upper, repos.id);
    const groups = [organization, upper, lower, beside, other.organization];
    const answers = await Promise.all(groups.map((group) => newRepo(group)));
    expect(answers.map(({ status }) => status)).toEqual([400, 200, 200, 400, 400]);
  });

  test("is required only if the caller has the capability", async () => {
    const { organization } = await newGroups();
    const { status, body } = await newRepo(organization, await newUser());
    expect([status, body.code]).toEqual([403, 7]);
    expect(JSON.stringify(body)).not.toContain("terms");
  });
});

test("a repository that names a source requires the documents too", async () => {
  const { organization, beside } = await newGroups();
  await accept(beside, repos.id);
  const source = (await newRepo(beside)).body.uid;
  const more = { syncConfig: { source } };
  expect(await newRepo(organization, token, more)).toMatchObject({
    status: 400,
    body: { message: "terms not accepted" },
  });
  await accept(organization, repos.id);
  expect((await newRepo(organization, token, more)).status).toBe(200);
});

test("a group below a parent in the request requires the documents too, and an organization does not", async () => {
  const name = randomName("org");
  const { body, status } = await call("/iam/v2/groups", { name });
  expect(status).toBe(200);
  for (const parent of [body.uid, name]) {
    const answer = await call(`/iam/v2/groups/${parent}`, { name: randomName("group") });
    expect(answer).toEqual(refusal(all));
  }
  await accept(body.uid, all.id);
  expect((await call(`/iam/v2/groups/${name}`, { name: "group" })).status).toBe(200);
});

test("documents of the configuration can be accepted, and no others", async () => {
  const organization = await newOrganization();
  expect((await accept(organization, all.id, repos.id, "skills-tos.v1")).status).toBe(200);
  const { status, body } = await accept(organization, "all.v2");
  expect([status, body.code]).toEqual([400, 3]);
});

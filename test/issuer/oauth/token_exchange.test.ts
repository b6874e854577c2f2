/** The standard ways to exchange a token: RFC 8693, and the assertions of RFC 7523. */
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { newImage } from "../../distribution/stored_images.ts";
import {
  createResource,
  newOrganization,
  type Organization,
  randomName,
  randomUid,
} from "../../world/personas.ts";
import {
  audience,
  baseUrl,
  callRest,
  issuer as platform,
  registryAudience,
  sql,
  tokenFor,
} from "../../world/platform.ts";
import { newIdentityWithMatchers } from "../exchange_call.ts";
import { type ForeignIssuer, startIssuer } from "../foreign_issuer.ts";
import { newProvider } from "../login/logins.ts";

const grantType = "urn:ietf:params:oauth:grant-type:token-exchange";
const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const type = (name: string) => `urn:ietf:params:oauth:token-type:${name}`;

let ci: ForeignIssuer;
let organization: Organization;
let robot: string;
let token: string;
const subject = randomName("repo:a/b");
beforeAll(async () => {
  [ci, organization] = await Promise.all([startIssuer(), newOrganization()]);
  const claimMatch = { issuer: ci.url, subject };
  robot = await newIdentityWithMatchers(organization, { claimMatch }, "viewer");
  await newImage(organization);
  token = await ci.sign({ sub: subject });
});
afterAll(() => ci.close());

type Form = Record<string, string | string[] | undefined>;

async function post(form: Form) {
  const pairs = Object.entries(form).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => [name, one]),
  );
  const response = await fetch(`${baseUrl()}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams(pairs),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const exchange = (form: Form = {}) =>
  post({
    ...{ grant_type: grantType, subject_token: token, subject_token_type: type("jwt") },
    ...form,
  });

const refusal = async (answer: ReturnType<typeof post>) => {
  const { status, body } = await answer;
  return [status, body.error, body.error_description];
};

test.each(["jwt", "id_token", "access_token"])(
  "a subject_token of the type %s becomes an access token that acts as the identity",
  async (name) => {
    const { status, headers, body } = await exchange({ subject_token_type: type(name) });
    expect([status, body]).toEqual([
      200,
      {
        access_token: expect.any(String),
        issued_token_type: type("access_token"),
        token_type: "Bearer",
        expires_in: expect.any(Number),
      },
    ]);
    expect(body.expires_in).toBeGreaterThan(3590);
    expect(headers.get("cache-control")).toBe("no-store");
    const claims = decodeJwt(body.access_token);
    expect(claims).toMatchObject({ sub: robot, aud: audience, act: { iss: ci.url, sub: subject } });
    const path = `/iam/v2/groups/${organization.uid}`;
    expect((await callRest(path, { token: body.access_token })).status).toBe(200);
  },
);

test("an assertion becomes an access token (RFC 7523)", async () => {
  const { status, body } = await post({ grant_type: jwtBearer, assertion: token });
  expect([status, decodeJwt(body.access_token).sub]).toEqual([200, robot]);
});

test("discovery names the grants", async () => {
  const { body } = await callRest("/.well-known/openid-configuration");
  expect(body.grant_types_supported).toEqual(expect.arrayContaining([grantType, jwtBearer]));
});

test("identity names the identity to act as, also one that matches by a pattern", async () => {
  const sub = randomName("build");
  const claimMatch = { issuer: ci.url, subjectPattern: `${sub}-.*` };
  const identity = await newIdentityWithMatchers(organization, { claimMatch }, "viewer");
  const subject_token = await ci.sign({ sub: `${sub}-1` });
  const { body } = await exchange({ subject_token, identity });
  expect(decodeJwt(body.access_token).sub).toBe(identity);
  expect((await refusal(exchange({ subject_token })))[1]).toBe("invalid_request");
});

test("identity_provider logs in the person of an ID token", async () => {
  const identity_provider = await newProvider(organization.uid, { issuer: ci.url });
  const subject_token = await ci.sign({ aud: "public", sub: randomName("ada") });
  const asked = { subject_token, subject_token_type: type("id_token"), identity_provider };
  const { body } = await exchange(asked);
  expect(decodeJwt(body.access_token)).toMatchObject({ idp: identity_provider });
  expect(body.scope).toBe(organization.uid);
});

describe("the audience of the new token", () => {
  const other = "https://other.example";
  test.each<[string, Form, string | string[]]>([
    ["is the API if none is named", {}, audience],
    ["is that of audience", { audience: other }, other],
    ["is a list for several", { audience: [audience, other] }, [audience, other]],
    ["is the API for its address as resource", { resource: `${platform}/` }, audience],
    ["is the API for its MCP endpoint as resource", { resource: `${platform}/mcp` }, audience],
  ])("%s", async (_, form, aud) => {
    expect(decodeJwt((await exchange(form)).body.access_token).aud).toEqual(aud);
  });

  test("can be the registry, where the token logs in", async () => {
    const { body } = await exchange({ audience: registryAudience });
    const path = `/token?scope=repository:${organization.uid}/image:pull`;
    expect((await callRest(path, { token: body.access_token })).status).toBe(200);
  });
});

describe("the scope of the new token", () => {
  const { CAP_REPO_LIST } = Capability;
  test("limits it to capabilities and groups, and is in the response", async () => {
    const scope = `repo.list ${organization.uid}`;
    const { body } = await exchange({ scope });
    expect(decodeJwt(body.access_token)).toMatchObject({
      capabilities: [CAP_REPO_LIST],
      scopes: [organization.uid],
    });
    expect(body.scope.split(" ").sort()).toEqual(scope.split(" ").sort());
  });
  test("read limits it to what reads, and write does not limit it", async () => {
    const { capabilities } = decodeJwt<{ capabilities: number[] }>(
      (await exchange({ scope: "read" })).body.access_token,
    );
    expect(capabilities).toContain(CAP_REPO_LIST);
    expect(capabilities).not.toContain(Capability.CAP_REPO_CREATE);
    const { body } = await exchange({ scope: "read write" });
    expect(decodeJwt(body.access_token).capabilities).toBeUndefined();
    expect(body.scope).toBeUndefined();
  });
  test("never adds to what the token has", async () => {
    const scopes = [`${organization.uid}/${"0".repeat(16)}`];
    const narrow = await tokenFor(organization.owner.uid, { scopes, capabilities: [1] });
    const wide = exchange({ subject_token: narrow, scope: organization.uid });
    expect(decodeJwt((await wide).body.access_token)).toMatchObject({ scopes, capabilities: [1] });
    const answer = await refusal(exchange({ subject_token: narrow, scope: randomUid() }));
    expect(answer.slice(0, 2)).toEqual([400, "invalid_scope"]);
  });
});

describe("the error is", () => {
  const rows: [string, string, Form | (() => Promise<Form>), string | RegExp][] = [
    ["invalid_request", "without a subject_token", { subject_token: undefined }, /is required/],
    ["invalid_request", "without its type", { subject_token_type: undefined }, /is required/],
    ["invalid_request", "for another type", { subject_token_type: type("saml2") }, /must be/],
    ["invalid_request", "for two", { subject_token: ["a", "b"] }, /more than once/],
    ["invalid_request", "for an actor_token", { actor_token: "x" }, /actor_token is not supported/],
    ["invalid_request", "for its type alone", { actor_token_type: type("jwt") }, /not supported/],
    [
      "invalid_request",
      "for a requested type that no token here has",
      { requested_token_type: type("refresh_token") },
      /requested_token_type must be/,
    ],
    ["invalid_request", "for a text that is not a JWT", { subject_token: "abc" }, /not a JWT/],
    [
      "invalid_request",
      "for an expired token",
      async () => ({ subject_token: await ci.sign({ sub: subject, exp: 1_000_000_000 }) }),
      /is expired/,
    ],
    ["invalid_request", "for an identity that is not a uid", { identity: "bot" }, /must be a uid/],
    [
      "invalid_request",
      "for another identity",
      () => Promise.resolve({ identity: organization.owner.uid }),
      /does not match an identity/,
    ],
    [
      "invalid_grant",
      "for an assertion of another subject",
      async () => ({ grant_type: jwtBearer, assertion: await ci.sign({ sub: "stranger" }) }),
      /no identity matches/,
    ],
    ["invalid_request", "for a NUL", { audience: "https://a.example/\0" }, /NUL/],
    ["invalid_target", "for an audience that is none", { audience: "a b" }, /a URL or a host/],
    ["invalid_target", "for an unknown resource", { resource: "https://a.example" }, /must be one/],
    ["invalid_target", "for a name of a prototype", { resource: "__proto__" }, /must be one/],
    ["invalid_scope", "for an unknown scope", { scope: "repo.list openid" }, /openid is not one/],
    ["unsupported_grant_type", "for another grant", { grant_type: "password" }, /must be one of/],
    ["unsupported_grant_type", "for a prototype", { grant_type: "constructor" }, /must be one of/],
  ];
  test.each(rows)("%s %s", async (code, _, form, says) => {
    const answer = await refusal(exchange(typeof form === "function" ? await form() : form));
    expect(answer).toEqual([400, code, expect.stringMatching(says)]);
  });
});

test("two identities with one subject are an invalid_request that says how to choose", async () => {
  const sub = randomName("twice");
  for (const each of [organization, await newOrganization()])
    await newIdentityWithMatchers(each, { claimMatch: { issuer: ci.url, subject: sub } });
  const answer = await refusal(exchange({ subject_token: await ci.sign({ sub }) }));
  expect(answer).toEqual([400, "invalid_request", expect.stringContaining("name one of them")]);
});

test("the event of the exchange names this endpoint", async () => {
  const sub = randomName("seen");
  const uid = await newIdentityWithMatchers(organization, {
    claimMatch: { issuer: ci.url, subject: sub },
  });
  await exchange({ subject_token: await ci.sign({ sub }), scope: "repo.list" });
  const events = await sql<{ source: string; data: string }>(
    "select source, data from events where subject = ? and type like '%token.exchanged.v1'",
    uid,
  );
  expect(events.map(({ source }) => source)).toEqual([expect.stringMatching(/\/oauth\/token$/)]);
  const { body } = JSON.parse(events[0]?.data ?? "{}");
  expect(body).toMatchObject({ kind: "KIND_FOREIGN_TOKEN", capabilities: ["repo.list"] });
});

test("a token of the platform can be exchanged again, and is never valid for longer", async () => {
  const short = await tokenFor(organization.owner.uid, {}, 60);
  const { body } = await exchange({ subject_token: short });
  expect(body.expires_in).toBeLessThanOrEqual(60);
  const { name } = await createResource(`/iam/v2/groups/${organization.uid}`, body.access_token, {
    name: randomName("team"),
  });
  expect(name).toBeDefined();
});

test("a token of 48 KB is exchanged", async () => {
  const groups = Array.from({ length: 1_000 }, (_, n) => `group-${n}-${"x".repeat(30)}`);
  const subject_token = await ci.sign({ sub: subject, groups });
  expect(subject_token.length).toBeGreaterThan(48_000);
  expect((await exchange({ subject_token })).status).toBe(200);
});

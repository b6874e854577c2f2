/** Tokens whose claims have wrong types or values: every entry point refuses them like an invalid token. */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Auth } from "../../../schema/gen/platform/auth/auth_pb.js";
import { newIdentityWithMatchers } from "../../issuer/exchange_call.ts";
import { type ForeignIssuer, startIssuer } from "../../issuer/foreign_issuer.ts";
import { newProvider } from "../../issuer/login/logins.ts";
import { newOrganization, type Organization, randomName } from "../../world/personas.ts";
import {
  audience,
  callRest,
  issuer as platform,
  tokenFor,
  transports,
} from "../../world/platform.ts";

let issuer: ForeignIssuer;
let organization: Organization;
let robot: string;
let provider: string;
let key: KeyObject;
const subject = randomName("robot");

beforeAll(async () => {
  issuer = await startIssuer();
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  key = privateKey;
  const jwk = { ...publicKey.export({ format: "jwk" }), kid: "raw", alg: "ES256" };
  issuer.pages["/keys"] = issuer.json(() => ({ keys: [jwk] }));
  organization = await newOrganization();
  const claimMatch = { issuer: issuer.url, subject };
  robot = await newIdentityWithMatchers(organization, { claimMatch }, "viewer");
  provider = await newProvider(organization.uid, { issuer: issuer.url });
});
afterAll(() => issuer.close());

const part = (text: string | Buffer) => Buffer.from(text).toString("base64url");

/** A token that the issuer signs, from these JSON texts. `undefined` leaves out a member. */
function signed(claims: Record<string, string | undefined>, header: Record<string, string> = {}) {
  const json = (members: Record<string, string | undefined>) =>
    `{${Object.entries(members)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
      .join(",")}}`;
  const now = Math.floor(Date.now() / 1000);
  const whole = {
    iss: JSON.stringify(issuer.url),
    sub: JSON.stringify(subject),
    aud: JSON.stringify([audience, platform, "public"]),
    azp: '"public"',
    iat: `${now}`,
    exp: `${now + 600}`,
    ...claims,
  };
  const text = `${part(json({ alg: '"ES256"', kid: '"raw"', ...header }))}.${part(json(whole))}`;
  return `${text}.${part(sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }))}`;
}

const list = "/platform.iam.v2.GroupsService/ListGroups";
const exchange = (query: Record<string, string>) =>
  `/sts/exchange?${new URLSearchParams({ aud: audience, ...query })}`;

/** Each entry point, and its status for an invalid token. */
const entryPoints: [
  door: string,
  status: number,
  ask: (token: string) => ReturnType<typeof callRest>,
][] = [
  ["API over REST", 401, (token) => callRest("/registry/v2/repos", { token })],
  [
    "API over Connect",
    401,
    (token) =>
      callRest(list, { token, body: "{}", headers: { "content-type": "application/json" } }),
  ],
  ["who am I", 401, (token) => callRest("/auth/v1/ok", { token })],
  ["exchange", 403, (token) => callRest(exchange({}), { token })],
  ["exchange with identity", 403, (token) => callRest(exchange({ identity: robot }), { token })],
  [
    "exchange with identity_provider",
    403,
    (token) => callRest(exchange({ identity_provider: provider }), { token }),
  ],
  ["register", 403, (token) => callRest("/auth/v1/register", { token, body: {} })],
  [
    "register with identity",
    403,
    (token) => callRest("/auth/v1/register", { token, body: { identityId: robot } }),
  ],
  [
    "refresh",
    403,
    (token) => callRest(`/sts/exchange_refresh_token?aud=${audience}`, { method: "POST", token }),
  ],
  ["registry", 401, (token) => callRest("/token?scope=repository:a/b:pull", { token })],
];

const deep = `${"[".repeat(300)}${"]".repeat(300)}`;
const texts = (count: number, text = '"a"') => `[${Array(count).fill(text).join(",")}]`;
const notTexts = ["null", "1", "true", "{}", '["a"]', '{"toString":1}', '"\\ud800"', '"a\\u0000"'];
const notTimes = ["-1e300", "-1", "1e300", "1e400", "253402300800", '"1"', "null", "[1]", "true"];

/** Claims in JSON. */
const malformed: [what: string, claims: Record<string, string | undefined>][] = [
  ...[...notTexts, undefined, '""', `"${"a".repeat(2049)}"`].flatMap((value) =>
    ["iss", "sub"].map((name): [string, Record<string, string | undefined>] => [
      `${name} ${value?.slice(0, 20)}`,
      { [name]: value },
    ]),
  ),
  ...[
    undefined,
    "null",
    "1",
    "{}",
    "[1]",
    "[[]]",
    '[{"toString":1}]',
    texts(101),
    '["\\udfff"]',
  ].map((value): [string, Record<string, string | undefined>] => [
    `aud ${value?.slice(0, 20)}`,
    { aud: value },
  ]),
  ...notTimes.flatMap((value) =>
    ["exp", "iat", "nbf"].map((name): [string, Record<string, string>] => [
      `${name} ${value}`,
      { [name]: value },
    ]),
  ),
  ["no exp", { exp: undefined }],
  ["azp that is not a text", { azp: "[]" }],
  ...["email", "name", "preferred_username", "oid", "anything"].map(
    (name): [string, Record<string, string>] => [`${name} no Unicode`, { [name]: '"a\\ud800b"' }],
  ),
  ["groups no Unicode", { groups: '["a","\\ud800"]' }],
  ["a member's name no Unicode", { more: '{"\\ud800":1}' }],
  ["nested too deep", { more: deep }],
];

/** One of each kind. forged_signatures.ts has the others. */
const broken: [what: string, token: () => string][] = [
  ["a list as alg", () => signed({}, { alg: '["ES256"]' })],
  ["an object as kid", () => signed({}, { kid: '{"toString":1}' })],
  ["null for claims", () => `${part('{"alg":"ES256"}')}.${part("null")}.AAAA`],
  ["claims that are not UTF-8", () => `${part('{"alg":"ES256"}')}.${part(Buffer.from([0xff]))}.A`],
  ["five parts", () => "a.b.c.d.e"],
];

describe.each(entryPoints)("%s rejects with %i", (_, status, ask) => {
  test.each(malformed)("%s", async (_what, claims) => {
    const answer = await ask(signed(claims));
    expect([answer.status, answer.body]).toEqual([status, expect.anything()]);
  });
  test.each(broken)("%s", async (_what, token) => {
    expect((await ask(token())).status).toBe(status);
  });
});

/** Claims that only our own tokens have, signed by us. */
const own: [what: string, claims: Record<string, unknown>][] = [
  ["scopes", { scopes: "a" }],
  ["scopes", { scopes: [1] }],
  ["capabilities", { capabilities: "1" }],
  ["capabilities", { capabilities: [1.5] }],
  ["idp", { idp: ["a"] }],
  ["groups", { groups: { a: 1 } }],
  ["act", { act: "a" }],
  ["act", { act: { sub: { toString: 1 } } }],
  ["access", { access: [null] }],
  ["exp", { exp: 1e300 }],
];

test.each(own)("our token is invalid with a %s that we never write", async (_, claims) => {
  const all = { aud: [audience, "localhost:8787"], ...claims };
  const token = await tokenFor(organization.owner.uid, all as never);
  const asked = entryPoints.filter(([entryPoint]) => !entryPoint.startsWith("refresh"));
  const answers = asked.map(async ([entryPoint, , ask]) => [entryPoint, (await ask(token)).status]);
  expect(await Promise.all(answers)).toEqual(
    asked.map(([entryPoint, status]) => [entryPoint, status]),
  );
});

describe("a claim about a person with a value of a wrong type counts as missing:", () => {
  test.each([
    ["email", "5"],
    ["email", '{"toString":1}'],
    ["email_verified", '{"toString":1}'],
    ["email_verified", '["true"]'],
    ["name", "[]"],
    ["oid", "true"],
    ["groups", "{}"],
    ["act", '"a"'],
    ["scopes", '"a"'],
  ])("%s %s", async (name, value) => {
    const token = signed({ [name]: value });
    expect((await callRest("/registry/v2/repos", { token })).status).toBe(200);
    expect((await callRest("/auth/v1/ok", { token })).body.email).toBeUndefined();
    expect((await callRest(exchange({ identity: robot }), { token })).status).toBe(200);
    const login = await callRest(exchange({ identity_provider: provider }), { token });
    expect([login.status, login.body.message]).toEqual([200, undefined]);
  });
});

test("times with a fraction are accepted, and returned in whole milliseconds", async () => {
  const now = Math.floor(Date.now() / 1000);
  const token = signed({ iat: `${now}.123456789`, exp: `${now + 60}.9876543219` });
  const { connect } = transports(token);
  const { expiry, issuedAt } = await createClient(Auth, connect).validate({});
  expect([expiry?.seconds, issuedAt?.nanos]).toEqual([BigInt(now + 60), 123_000_000]);
  expect((await callRest("/auth/v1/ok", { token })).status).toBe(200);
});

test("a header of the maximum size is not a token", async () => {
  const { status, body } = await callRest("/registry/v2/repos", { token: "a".repeat(100_000) });
  expect([status, body.message ?? ""]).toEqual([401, expect.stringContaining("longer than 65536")]);
});

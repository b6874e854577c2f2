/** Errors over REST: google.rpc.Status in JSON, and the HTTP status of each code. */
import { beforeAll, describe, expect, test } from "vitest";
import { type Fixtures, newFixtures, step } from "../contract/fixtures.ts";
import { newUser, randomName } from "../world/personas.ts";
import { type Answer, callRest, type RequestOptions } from "../world/platform.ts";

let fixtures: Fixtures;
beforeAll(async () => {
  fixtures = await newFixtures();
});

const info = "type.googleapis.com/google.rpc.ErrorInfo";
const repos = () => `/registry/v2/repos/${fixtures.organization.uid}`;

/** A case: the request, and the expected response after ErrorInfo. */
const cases: [string, () => Promise<Answer>, { status: number; code: number; reason: string }][] = [
  [
    "INVALID_ARGUMENT",
    () => callRest(repos(), { token: fixtures.token, body: { name: "No Name" } }),
    { status: 400, code: 3, reason: "INVALID_ARGUMENT" },
  ],
  [
    "NOT_FOUND",
    () =>
      callRest(`/registry/v2/repos/${fixtures.organization.uid}/${step()}`, {
        token: fixtures.token,
      }),
    { status: 404, code: 5, reason: "NOT_FOUND" },
  ],
  [
    "ALREADY_EXISTS",
    async () => {
      const body = { name: randomName("twin") };
      await callRest(repos(), { token: fixtures.token, body });
      return callRest(repos(), { token: fixtures.token, body });
    },
    { status: 409, code: 6, reason: "ALREADY_EXISTS" },
  ],
  [
    "PERMISSION_DENIED",
    async () => callRest(`/registry/v2/repos/${fixtures.repo}`, { token: (await newUser()).token }),
    { status: 403, code: 7, reason: "PERMISSION_DENIED" },
  ],
  [
    "FAILED_PRECONDITION",
    () =>
      callRest(`/iam/v2/groups/${fixtures.organization.uid}`, {
        method: "DELETE",
        token: fixtures.token,
      }),
    { status: 400, code: 9, reason: "FAILED_PRECONDITION" },
  ],
  [
    "UNIMPLEMENTED",
    () => callRest("/iam/v2/groups", { method: "PUT", token: fixtures.token }),
    { status: 501, code: 12, reason: "UNIMPLEMENTED" },
  ],
  [
    "UNAUTHENTICATED",
    () => callRest("/registry/v2/repos"),
    { status: 401, code: 16, reason: "UNAUTHENTICATED" },
  ],
];

describe("the body of an error", () => {
  test.each(cases)("%s has its code, its text and ErrorInfo first", async (_, ask, expected) => {
    const { status, body, headers } = await ask();
    expect(status).toBe(expected.status);
    expect(headers.get("content-type")).toBe("application/json");
    expect(Object.keys(body)).toEqual(["code", "message", "details"]);
    expect(body.code).toBe(expected.code);
    expect(body.details[0]).toEqual({
      "@type": info,
      reason: expected.reason,
      domain: expect.stringMatching(/^(iam|registry)\.platform\.example$/),
      ...(expected.status === 403 && {
        metadata: { decision_id: expect.stringMatching(/^[\w-]+$/) },
      }),
    });
    for (const detail of body.details) expect(Object.keys(detail)[0]).toBe("@type");
  });

  test("names the bad field, and all other bad ones", async () => {
    const path = `/registry/v2/tags/${fixtures.repo}`;
    const { body } = await callRest(path, {
      token: fixtures.token,
      body: { name: "-x", digest: "y" },
    });
    expect(body.message).toMatch(
      /^Invalid argument: name: name must be .*; you sent "-x" \(name must match "\^/,
    );
    expect(body.details[1]).toEqual({
      "@type": "type.googleapis.com/google.rpc.BadRequest",
      fieldViolations: [
        {
          field: "name",
          description: expect.stringMatching(/^name must be .*\(name must match "\^.*"\)$/),
        },
        {
          field: "digest",
          description: expect.stringMatching(/^digest must be .*\(digest must match "\^.*"\)$/),
        },
      ],
    });
  });

  test("for an identity without a name is the one in the contract", async () => {
    const path = `/iam/v2/identities/${fixtures.organization.uid}`;
    const { status, body } = await callRest(path, {
      token: fixtures.token,
      body: {},
      headers: { "x-request-id": "build-17" },
    });
    const description =
      "name can contain only lowercase letters, digits, spaces, dots, underscores and hyphens, and must not be empty " +
      '(name must match "^[a-z0-9 ._-]{1,}$")';
    expect([status, body]).toEqual([
      400,
      {
        code: 3,
        message: `Invalid argument: name: ${description}`,
        details: [
          { "@type": info, reason: "INVALID_ARGUMENT", domain: "iam.platform.example" },
          {
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            fieldViolations: [{ field: "name", description }],
          },
          { "@type": "type.googleapis.com/google.rpc.RequestInfo", requestId: "build-17" },
        ],
      },
    ]);
  });
});

describe("headers of an error", () => {
  test("UNAUTHENTICATED challenges with the reason (RFC 6750), safe for a header", async () => {
    const plain = await callRest("/registry/v2/repos");
    expect(plain.headers.get("www-authenticate")).toMatch(
      /^Bearer error="invalid_token", error_description="Unauthenticated: the call has no/,
    );
    const token = await foreign('https://x.example/"\\é');
    const { status, headers } = await callRest("/registry/v2/repos", { token });
    expect(status).toBe(401);
    const [, text] =
      /error_description="([^"]*)"$/.exec(headers.get("www-authenticate") ?? "") ?? [];
    expect(text).toMatch(/^[\x20-\x7e]+$/);
  });

  test("no other error has a challenge", async () => {
    const { headers } = await callRest("/nothing");
    expect(headers.get("www-authenticate")).toBeNull();
  });

  const foreign = async (iss: string) => {
    const { generateKeyPair, SignJWT } = await import("jose");
    const { privateKey } = await generateKeyPair("ES256");
    return new SignJWT({ iss, sub: "s", aud: "http://localhost:8787" })
      .setProtectedHeader({ alg: "ES256" })
      .setExpirationTime("1m")
      .sign(privateKey);
  };
});

describe("the domain of an error", () => {
  const service = "platform.example";
  const json = { "content-type": "application/json" };
  const proto = { "content-type": "application/proto" };
  const list = "platform.iam.v2.GroupsService/ListGroups";

  test.each<[string, string, RequestOptions]>([
    [service, "/nothing/v2/x", {}],
    [service, "/%64ocs", {}],
    [service, "/platform", {}],
    [service, "/platform/v2/x", {}],
    [service, "/sts/nothing", {}],
    [service, "/platform.nothing.v2.Service/Call", { body: "{}", headers: json }],
    [service, "/nobody.platform.iam.v2.GroupsService/ListGroups", { body: "{}", headers: json }],
    [service, "/", { method: "DELETE" }],
    [`iam.${service}`, "/iam/v2/nothing", {}],
    [`iam.${service}`, "/iam/v1/nothing", {}],
    [`iam.${service}`, "/iam/v2/groups", {}],
    [`iam.${service}`, "/iam/v2/groups", { body: "{" }],
    [`iam.${service}`, "/iam/v2/groups", { method: "DELETE" }],
    [`iam.${service}`, `/${list}`, { body: "{}", headers: json }],
    [`iam.${service}`, `/${list}`, { body: '{"name":"\\ud800"}', headers: json }],
    [`iam.${service}`, `/${list}`, { body: new Uint8Array([255]), headers: proto }],
    [`iam.${service}`, `/vendor.${list}`, { body: "{}", headers: json }],
    [`registry.${service}`, "/registry/v2/repos", { body: "{}" }],
    [`ping.${service}`, "/openapi.json", { body: {} }],
    [`ping.${service}`, "/ping/v2/nothing", {}],
    [`ping.${service}`, "/ping/v2/ping", { method: "DELETE" }],
    [`oidc.${service}`, "/.well-known/openid-configuration", { body: {} }],
    [`oidc.${service}`, "/.well-known/jwks.json", { body: {} }],
    [`oidc.${service}`, "/oauth/revoke", { body: "x".repeat(20_000) }],
    [service, "/orgcheck", { method: "POST" }],
    [`oidc.${service}`, "/sts/exchange?aud=x&cap=nothing", { token: "x", method: "POST" }],
    [`auth.${service}`, "/auth/v1/nothing", {}],
  ])("is %s at %s", async (domain, path, asked) => {
    const [info] = (await callRest(path, asked)).body.details;
    // Over Connect a detail is bytes, followed by their JSON.
    expect((info.debug ?? info).domain).toBe(domain);
  });
});

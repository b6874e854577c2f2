/**
 * Server-side request forgery through data in the database or in the response of an issuer. Each request is
 * checked again when it is sent, and the response of an internal server is not passed on.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { randomUid } from "../../world/personas.ts";
import { tiers } from "../../world/tiers.ts";
import { badDestinations, badNames, oneOfEach } from "./destinations.ts";
import { api, issuerUrl, type PublicPlatform, startPublicPlatform } from "./public_platform.ts";
import { discovery, documentOf, newTenant, siteOf, type Tenant } from "./url_entry_points.ts";

let platform: PublicPlatform;
let tenant: Tenant;
beforeAll(async () => {
  platform = await startPublicPlatform();
  tenant = await newTenant(platform);
});
afterAll(() => platform?.stop());
beforeEach(() => platform.forget());
afterEach(() => expect(platform.reached()).toBe(0));

/** An identity in the database with that issuer, however it was written. */
async function storedIdentity(issuer: string, subject = "robot"): Promise<string> {
  const uid = `${tenant.group}/${randomUid().slice(0, 16)}`;
  const relationship = { case: "claimMatch", value: { issuer, subject } };
  await platform.db
    .prepare(
      `insert into identities (uid, name, relationship_type, relationship, issuer, subject,
       last_seen_time, create_time, update_time) values (?, 'old', 1, ?, ?, ?, 1, 1, 1)`,
    )
    .bind(uid, JSON.stringify(relationship), issuer, subject)
    .run();
  return uid;
}

/** Like {@link storedIdentity}, for an identity provider. */
async function storedProvider(issuer: string): Promise<string> {
  const uid = `${tenant.group}/${randomUid().slice(0, 16)}`;
  await platform.db
    .prepare(
      `insert into identity_providers (uid, name, default_role, issuer, client_id, pkce_enabled,
       create_time, update_time) values (?, 'old', ?, ?, 'client', 1, 1, 1)`,
    )
    .bind(uid, tenant.role, issuer)
    .run();
  return uid;
}

const tokenOf = (issuer: string, aud = issuerUrl) =>
  platform.signedBy(tenant.key, { iss: issuer, sub: "robot", aud });

async function exchange(issuer: string, query: string) {
  const token = await tokenOf(issuer, query.includes("provider") ? "client" : issuerUrl);
  return platform.call(`/sts/exchange?aud=${api}&${query}`, { method: "POST", token });
}

const login = (provider: string) => platform.call(`/oauth?idp_id=${encodeURIComponent(provider)}`);

/** Issuers that no token uses as the platform's own. */
const stored = [...badDestinations, ...badNames];

/** `loopback` of `loopback at a port`. How each host is spelled is tested in ssrf.test.ts. */
const kindOf = ([what]: [string, string]) => what.split(" ")[0] ?? "";

describe("an identity that is stored with the issuer of", () => {
  for (const [some, tier] of tiers(stored, kindOf))
    test.for(some)("%s sends no request: %s", tier, async ([_, issuer]) => {
      const identity = await storedIdentity(issuer);
      expect((await exchange(issuer, `identity=${identity}`)).status).toBe(403);
      expect((await exchange(issuer, "")).status).toBe(403);
      const token = await tokenOf(issuer, api);
      expect((await platform.call("/iam/v2/groups", { token })).status).toBe(401);
      expect(platform.sent).toEqual([]);
    });
});

describe("an identity provider that is stored with the issuer of", () => {
  for (const [some, tier] of tiers(stored, kindOf))
    test.for(some)("%s sends no request: %s", tier, async ([_, issuer]) => {
      const provider = await storedProvider(issuer);
      expect((await login(provider)).status).toBe(400);
      const byToken = await exchange(issuer, `identity_provider=${provider}`);
      expect(byToken.status).toBe(403);
      expect(platform.sent).toEqual([]);
    });
});

/** Each test has its own public issuer, because the platform caches what it fetched. */
function newIssuer(wrong: object, more: Record<string, unknown> = {}): string {
  const issuer = `https://${randomUid().slice(0, 12)}.example`;
  const documents = { [discovery]: documentOf(issuer, wrong), "/keys": tenant.keys, ...more };
  platform.sites.set(issuer, siteOf(documents));
  return issuer;
}

const createProvider = (issuer: string) =>
  platform.call(`/iam/v2/identityProviders/${tenant.group}`, {
    token: tenant.token,
    body: {
      name: "a",
      defaultRole: tenant.role,
      oidc: { issuer, clientId: "client", clientSecret: "sec-ret" },
    },
  });

const asked = (issuer: string, ...paths: string[]) => paths.map((path) => `GET ${issuer}${path}`);

describe("a public issuer whose endpoint is at", () => {
  test.each(oneOfEach)("%s proves no token and creates no provider: %s", async (_, url) => {
    const issuer = newIssuer({ jwks_uri: `${url}/keys` });
    await storedIdentity(issuer);
    const { status, body } = await exchange(issuer, "");
    expect([status, body.message]).toEqual([403, expect.stringContaining("jwks_uri")]);
    for (const name of ["jwks_uri", "token_endpoint", "authorization_endpoint"]) {
      const made = await createProvider(newIssuer({ [name]: `${url}/a` }));
      expect(made.body.details[0].reason).toBe("FAILED_PRECONDITION");
      expect(made.body.message).toContain(name);
    }
    expect(platform.sent.every((one) => one.endsWith(discovery))).toBe(true);
  });

  test.each(oneOfEach)("%s lets no one log in: %s", async (_, url) => {
    for (const name of ["token_endpoint", "authorization_endpoint", "userinfo_endpoint"]) {
      const issuer = newIssuer({ [name]: `${url}/a` });
      expect((await login(await storedProvider(issuer))).status).toBe(400);
      expect(platform.sent.splice(0)).toEqual(asked(issuer, discovery));
    }
  });

  test.each(badNames)("%s, through the name of its key set, proves nothing: %s", async (_, url) => {
    const issuer = newIssuer({ jwks_uri: `${url}/keys` });
    await storedIdentity(issuer);
    expect((await exchange(issuer, "")).status).toBe(403);
    const token = await tokenOf(issuer, api);
    expect((await platform.call("/iam/v2/groups", { token })).status).toBe(401);
    expect(platform.sent).toEqual(asked(issuer, discovery, discovery));
  });

  test.each(badNames)(
    "%s, through the name of its token endpoint, receives no code: %s",
    async (_, url) => {
      const issuer = newIssuer({ token_endpoint: `${url}/token` });
      const { status } = await finishLogin(issuer);
      expect(status).toBe(400);
      expect(platform.sent).toEqual(asked(issuer, discovery));
    },
  );
});

/** Logs in through a provider of that issuer, up to the token endpoint. */
async function finishLogin(issuer: string) {
  const provider = await storedProvider(issuer);
  const started = await login(provider);
  expect(started.status).toBe(302);
  const state = new URL(started.headers.get("location") ?? "").searchParams.get("state");
  const cookie = started.headers.getSetCookie().map((one) => one.split(";")[0]);
  const path = `/oauth/callback/${provider}?code=c&state=${state}`;
  return platform.call(path, { headers: { cookie: cookie.join("; ") } });
}

describe("a redirect into a private network is not followed", () => {
  const inside = "http://127.0.0.1/latest/meta-data";
  const moved = new Response(null, { status: 302, headers: { location: inside } });

  test("from the discovery document", async () => {
    const issuer = newIssuer({});
    platform.sites.set(issuer, () => moved.clone());
    await storedIdentity(issuer);
    expect((await exchange(issuer, "")).status).toBe(503);
    expect((await createProvider(issuer)).status).toBe(400);
    expect((await login(await storedProvider(issuer))).status).toBe(503);
    expect(platform.sent).toEqual(asked(issuer, discovery, discovery, discovery));
  });

  test("from the key set", async () => {
    const issuer = newIssuer({});
    const site = siteOf({ [discovery]: documentOf(issuer) });
    platform.sites.set(issuer, (path, asked) =>
      path === "/keys" ? moved.clone() : site(path, asked),
    );
    await storedIdentity(issuer);
    expect((await exchange(issuer, "")).status).toBe(503);
    expect(platform.sent).toEqual(asked(issuer, discovery, "/keys"));
  });

  test("from the token endpoint", async () => {
    const issuer = newIssuer({});
    const site = siteOf({ [discovery]: documentOf(issuer) });
    platform.sites.set(issuer, (path, asked) =>
      path === "/token" ? moved.clone() : site(path, asked),
    );
    expect((await finishLogin(issuer)).status).toBeGreaterThanOrEqual(400);
    expect(platform.sent).toEqual([...asked(issuer, discovery), `POST ${issuer}/token`]);
  });
});

describe("no one learns the response of an unusable server:", () => {
  const answers: [string, () => Response][] = [
    ["200 with text", () => new Response("SSH-2.0-secret")],
    ["200 with a list", () => Response.json(["secret"])],
    ["204", () => new Response(null, { status: 204 })],
    ["302", () => new Response(null, { status: 302, headers: { location: "/secret" } })],
    ["401", () => new Response("secret", { status: 401 })],
    ["500", () => new Response("secret", { status: 500 })],
    ["200 with more than 64 KiB", () => new Response("secret".repeat(20_000))],
  ];
  test("each returns the same text from every call", async () => {
    const words = new Set<string>();
    for (const [, answer] of answers) {
      const issuer = newIssuer({});
      platform.sites.set(issuer, answer);
      await storedIdentity(issuer);
      const bare = await platform.call("/iam/v2/groups", { token: await tokenOf(issuer, api) });
      const heard = [
        await exchange(issuer, ""),
        bare,
        await createProvider(issuer),
        await login(await storedProvider(issuer)),
      ];
      const said = heard.map(({ status, text }) => status + text.replace(/nonce="[^"]+"/, ""));
      words.add(said.join().replaceAll(issuer, "it"));
    }
    expect(words.size).toBe(1);
    expect([...words].join()).not.toContain("secret");
  });

  test("a document of another issuer is rejected without the name of that issuer", async () => {
    const issuer = newIssuer({ issuer: "https://secret.example" });
    await storedIdentity(issuer);
    const { status, text } = await exchange(issuer, "");
    expect(status).toBe(403);
    expect(text).not.toContain("secret");
    expect((await createProvider(issuer)).text).not.toContain("secret");
    expect((await login(await storedProvider(issuer))).text).not.toContain("secret");
  });
});

describe("a stranger causes few lookups:", () => {
  test("none for an issuer that no identity names", async () => {
    const issuer = newIssuer({});
    for (let turn = 0; turn < 5; turn += 1) {
      expect((await exchange(issuer, "")).status).toBe(403);
      const token = await tokenOf(issuer, api);
      expect((await platform.call("/iam/v2/groups", { token })).status).toBe(401);
    }
    expect([platform.lookups, platform.sent]).toEqual([[], []]);
  });

  test.each([
    ["has a private address", "10-0-0-2.a.example", 403],
    ["has no address", "empty.example", 403],
    ["the resolver cannot resolve now", "failing.example", 503],
  ])("two for a host that %s, however often it is requested", async (_, name, status) => {
    const issuer = `https://${name}/${randomUid()}`;
    await storedIdentity(issuer);
    await exchange(issuer, "");
    platform.lookups.length = 0;
    for (let turn = 0; turn < 10; turn += 1) {
      expect((await exchange(issuer, "")).status).toBe(status);
    }
    expect([platform.lookups, platform.sent]).toEqual([[], []]);
  });
});

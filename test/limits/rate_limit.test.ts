/** The refusals above a limit, with the simulated binding and with the counter of an isolate. */
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  QuotaFailureSchema,
  RetryInfoSchema,
} from "../../schema/gen/google/rpc/error_details_pb.js";
import { GroupsService } from "../../schema/gen/platform/iam/v2/groups_pb.js";
import { randomUid } from "../world/personas.ts";
import { issuer, requestInfo, tokenFor } from "../world/platform.ts";
import { long } from "../world/tiers.ts";
import { patience } from "../world/times.ts";
import { few, haveTime, several, startLimited } from "./limited_platform.ts";

type Limited = Awaited<ReturnType<typeof startLimited>>;

const counters = [
  { name: "the binding", countsItself: false, tier: {} },
  { name: "the counter of the isolate", countsItself: true, tier: long },
];

for (const { name, countsItself, tier } of counters)
  describe(`with ${name}`, tier, () => {
    let platform: Limited;
    beforeAll(async () => {
      platform = await startLimited(countsItself);
    });
    afterAll(() => platform.stop());
    beforeEach(() => haveTime(), 10 * patience + 10_000);

    /** The statuses of some calls, one after the other. */
    const statuses = async (times: number, call: () => Promise<{ status: number }>) => {
      const found = [];
      for (let at = 0; at < times; at++) found.push((await call()).status);
      return found;
    };
    const reader = async () => {
      const { uid, apiToken, registryToken } = await platform.newOwner();
      return { uid, apiToken, registryToken, path: `/iam/v2/groups/${uid}` };
    };

    test("one read too many is refused, with the exact limit and the time to wait", async () => {
      const { path, apiToken: token } = await reader();
      expect(await statuses(few, () => platform.call(path, { token }))).toEqual([200, 200, 200]);
      const refused = await platform.call(path, { token });
      expect(refused.status).toBe(429);
      const seconds = Number(refused.headers.get("retry-after"));
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(60);
      expect(refused.headers.get("ratelimit-policy")).toBe(`"read-caller";q=${few};w=60`);
      expect(refused.headers.get("ratelimit")).toBe(`"read-caller";r=0;t=${seconds}`);
      const rule = `${few} calls of the class read in a minute for each caller`;
      expect(JSON.parse(refused.text)).toEqual({
        code: 8,
        message: `Resource exhausted: the rate limit is ${rule}; send the call again in ${seconds} s`,
        details: [
          {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            reason: "RATE_LIMITED",
            domain: "iam.platform.example",
          },
          { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${seconds}s` },
          {
            "@type": "type.googleapis.com/google.rpc.QuotaFailure",
            violations: [{ subject: "read-caller", description: rule }],
          },
          requestInfo,
        ],
      });
      const exposed = refused.headers.get("access-control-expose-headers")?.split(", ");
      expect(exposed).toEqual(
        expect.arrayContaining(["Retry-After", "RateLimit", "RateLimit-Policy"]),
      );
      expect(refused.roundTrips).toBe(0);
    });

    const transports = {
      Connect: createConnectTransport,
      "gRPC-Web": createGrpcWebTransport,
    };
    test.each(Object.entries(transports))("over %s the error is the same", async (_, transport) => {
      const { uid, apiToken } = await reader();
      const headers = { authorization: `Bearer ${apiToken}` };
      const client = createClient(GroupsService, transport({ baseUrl: platform.origin }));
      for (let at = 0; at < few; at++) await client.getGroup({ uid }, { headers });
      const error = await client.getGroup({ uid }, { headers }).catch(ConnectError.from);
      if (!(error instanceof ConnectError)) throw new Error("the call was not refused");
      expect(error.code).toBe(Code.ResourceExhausted);
      const seconds = error.metadata.get("retry-after");
      expect(error.metadata.get("ratelimit")).toBe(`"read-caller";r=0;t=${seconds}`);
      const [retry] = error.findDetails(RetryInfoSchema);
      expect(retry?.retryDelay?.seconds).toBe(BigInt(seconds ?? 0));
      const [quota] = error.findDetails(QuotaFailureSchema);
      expect(quota?.violations[0]?.subject).toBe("read-caller");
    });

    test("every class of RPCs has counts of its own", async () => {
      const { uid, apiToken: token } = await reader();
      const calls = {
        read: () => platform.call(`/iam/v2/groups/${uid}`, { token }),
        list: () => platform.call("/iam/v2/groups", { token }),
        write: () => platform.call(`/iam/v2/groups/${uid}`, { token, body: "{}" }),
        import: () =>
          platform.call(`/vulnerabilities/v2/osvRecords/${uid}:import`, { token, body: "{}" }),
        exchange: () => platform.call("/sts/exchange", { token, body: "{}" }),
      };
      for (const [name, call] of Object.entries(calls)) {
        expect(await statuses(few, call), name).not.toContain(429);
        const { status, headers, roundTrips } = await call();
        const policy = headers.get("ratelimit-policy");
        expect([status, policy, roundTrips]).toEqual([429, `"${name}-caller";q=${few};w=60`, 0]);
      }
    });

    test("the registry refuses with TOOMANYREQUESTS, also at its token endpoint", async () => {
      const { uid, registryToken: token } = await reader();
      const manifest = () => platform.call(`/v2/${uid}/image/manifests/latest`, { token });
      expect(await statuses(few, manifest)).toEqual([404, 404, 404]);
      for (const path of [`/v2/${uid}/image/manifests/latest`, "/v2/", "/token"]) {
        const refused = await platform.call(path, { token });
        expect([refused.status, refused.roundTrips]).toEqual([429, 0]);
        const seconds = refused.headers.get("retry-after");
        expect(refused.headers.get("ratelimit")).toBe(`"registry-caller";r=0;t=${seconds}`);
        const [error] = JSON.parse(refused.text).errors;
        expect(error.code).toBe("TOOMANYREQUESTS");
        expect(error.message).toContain(`send the call again in ${seconds} s`);
      }
    });

    test("without a token, the registry counts by network", async () => {
      const scope = "/token?scope=repository:public/image:pull";
      const ask = (address: string) => () => platform.call(scope, { address });
      expect(await statuses(few + 1, ask(platform.newAddress()))).toEqual([200, 200, 200, 429]);
      const first = await platform.call(scope, { address: platform.newAddress() });
      const { token } = JSON.parse(first.text);
      // Everyone has the token of this subject, so its calls count for the network too.
      const address = platform.newAddress();
      const pull = () => platform.call("/v2/public/image/manifests/latest", { token, address });
      expect(await statuses(few + 1, pull)).toEqual([404, 404, 404, 429]);
    });

    test("networks do not share, and all of a customer's IPv6 addresses are one", async () => {
      const ping = (address: string) => () => platform.call("/ping/v2/ping", { address });
      const [one, other] = [platform.newAddress(), platform.newAddress()];
      expect(await statuses(few + 1, ping(one))).toEqual([200, 200, 200, 429]);
      expect(await statuses(1, ping(`::ffff:${one}`))).toEqual([429]);
      expect(await statuses(1, ping(other))).toEqual([200]);
      const six = randomUid().slice(0, 4);
      const found = [];
      for (const end of ["1", "2", "3", "4"])
        found.push(...(await statuses(1, ping(`2001:db8:0:${six}:${end}::${end}`))));
      expect(found).toEqual([200, 200, 200, 429]);
    });

    test("a network at its limit does not slow callers with tokens", async () => {
      const { path, apiToken: token } = await reader();
      const address = platform.newAddress();
      await statuses(few + 1, () => platform.call("/ping/v2/ping", { address }));
      expect((await platform.call(path, { token, address })).status).toBe(200);
    });

    test("two callers of an organization do not share, but meet its limit together", async () => {
      const { uid, apiToken: token, path } = await reader();
      const lookups = async () => {
        const one = await tokenFor(`${uid}/${randomUid().slice(0, 16)}`);
        return platform.call(path, { token: one });
      };
      expect(await statuses(few, () => platform.call(path, { token }))).toEqual([200, 200, 200]);
      // These identities do not exist. They count all the same, because their tokens are ours.
      expect(await statuses(several - few, lookups)).toEqual([401, 401, 401, 401]);
      const refused = await lookups();
      expect(refused.status).toBe(429);
      expect(refused.roundTrips).toBe(0);
      expect(refused.headers.get("ratelimit-policy")).toBe(`"read-organization";q=${several};w=60`);
      const another = await reader();
      expect((await platform.call(another.path, { token: another.apiToken })).status).toBe(200);
    });

    test("people count for an organization if they have access there, and strangers do not", async () => {
      const { uid, path, apiToken: token } = await reader();
      const people = Array.from({ length: several + 1 }, randomUid);
      for (const person of people)
        await platform.run(
          `insert into identities (uid, name, last_seen_time, create_time, update_time)
         values (?, 'person', 1, 1, 1)`,
          person,
        );
      const read = async (person = "") => platform.call(path, { token: await tokenFor(person) });
      for (const person of people) expect((await read(person)).status).toBe(403);
      expect((await platform.call(path, { token })).status).toBe(200);
      const role = "(select uid from roles where name = 'owner' and length(uid) = 40)";
      for (const person of people)
        await platform.run(
          `insert into role_bindings (uid, identity_uid, role_uid, accepted, create_time, update_time)
         values (?, ?, ${role}, 1, 1, 1)`,
          `${uid}/${randomUid().slice(0, 16)}`,
          person,
        );
      // The first call of each shows their access, and the next ones count.
      for (const person of people) expect((await read(person)).status).toBe(200);
      for (const person of people.slice(0, several - 1))
        expect((await read(person)).status).toBe(200);
      const refused = await read(people.at(-1));
      expect(refused.headers.get("ratelimit-policy")).toBe(`"read-organization";q=${several};w=60`);
    });

    test("a text that proves nothing counts for its network, and for no one whom it names", async () => {
      const { path, apiToken: token } = await reader();
      const [, claims = ""] = token.split(".");
      const forged = `${token.split(".")[0]}.${claims}.${"A".repeat(86)}`;
      const refused = () => platform.call(path, { token: forged, address: platform.newAddress() });
      expect(new Set(await statuses(few + 1, refused))).toEqual(new Set([401]));
      expect((await platform.call(path, { token })).status).toBe(200);
    });

    test("tokens that only the database can recognize count by network, apart from calls without any", async () => {
      const foreign = await tokenFor("someone", { iss: "https://elsewhere.example" });
      const address = platform.newAddress();
      const call = () => platform.call("/iam/v2/groups", { token: foreign, address });
      expect(await statuses(few, call)).toEqual([401, 401, 401]);
      const refused = await call();
      expect([refused.status, refused.roundTrips]).toEqual([429, 0]);
      expect(refused.headers.get("ratelimit-policy")).toBe(`"list-unverified";q=${few};w=60`);
      expect((await platform.call("/ping/v2/ping", { address })).status).toBe(200);
      const exchange = () =>
        platform.call("/sts/exchange", {
          token: foreign,
          address,
          body: JSON.stringify({ aud: [issuer] }),
        });
      expect((await statuses(few + 1, exchange)).at(-1)).toBe(429);
      const refresh = { token: "opaque", address, body: "{}" };
      expect((await platform.call("/sts/exchange_refresh_token", refresh)).status).toBe(429);
      const tool = { token: foreign, address: platform.newAddress(), body: "{}" };
      expect((await statuses(few + 1, () => platform.call("/mcp", tool))).at(-1)).toBe(429);
    });

    test("pages of a login, endpoints of OAuth and SCIM refuse in their own forms", async () => {
      const address = platform.newAddress();
      const page = () => platform.call("/oauth", { address });
      expect(await statuses(few, page)).not.toContain(429);
      const refused = await page();
      expect([refused.status, refused.headers.get("content-type")]).toEqual([
        429,
        "text/html; charset=utf-8",
      ]);
      expect(refused.text).toContain("the rate limit is");
      expect(refused.headers.get("retry-after")).toMatch(/^[1-9]\d?$/);
      const token = await platform.call("/oauth/token", { address, body: "" });
      expect(token.status).toBe(429);
      expect(JSON.parse(token.text).error).toBe("temporarily_unavailable");
      const json = await platform.call("/orgcheck?name=x", { address });
      expect([json.status, JSON.parse(json.text).code]).toEqual([429, 8]);
      const scim = () =>
        platform.call(`/scim/v2/${randomUid()}/0123456789abcdef/Users`, { token: "t", address });
      expect(await statuses(few, scim)).toEqual([401, 401, 401]);
      const listed = await scim();
      expect([listed.status, listed.roundTrips, JSON.parse(listed.text).status]).toEqual([
        429,
        0,
        "429",
      ]);
      expect(listed.headers.get("ratelimit-policy")).toBe(`"list-unverified";q=${few};w=60`);
    });

    test("pages and well-known documents have no limit", async () => {
      const address = platform.newAddress();
      for (const path of ["/.well-known/openid-configuration", "/openapi.json", "/"]) {
        const found = await statuses(few + 3, () => platform.call(path, { address }));
        expect(found, path).not.toContain(429);
      }
    });
  });

describe("the operator sets the rate of one organization, in percent, and all others have the default", () => {
  let platform: Limited;
  const uids = new Map<number | undefined, string>();
  beforeAll(async () => {
    platform = await startLimited(true);
    for (const percent of [200, -1, undefined]) {
      const { uid } = await platform.newOwner();
      uids.set(percent, uid);
      if (percent === undefined) continue;
      const query =
        "insert into quotas (organization, kind, quota_limit) values (?, 'rate_percent', ?)";
      await platform.run(query, uid, percent);
    }
  });
  afterAll(() => platform.stop());
  beforeEach(() => haveTime(), 10 * patience + 10_000);

  test.each([
    ["200 percent", 200, 2 * several],
    ["any rate", -1, undefined],
    ["the default", undefined, several],
  ])("with %s", async (_, percent, allowed) => {
    const uid = uids.get(percent) ?? "";
    const call = async () =>
      platform.call(`/iam/v2/groups/${uid}`, {
        token: await tokenFor(`${uid}/${randomUid().slice(0, 16)}`),
      });
    // The Worker reads the rates after the first call.
    const policies = [];
    for (let at = 0; at <= 3 * several; at++)
      policies.push((await call()).headers.get("ratelimit-policy"));
    const refused = policies.findIndex((policy) => policy !== null);
    expect(refused).toBe(allowed ?? -1);
    if (allowed) expect(policies.at(-1)).toBe(`"read-organization";q=${allowed};w=60`);
  });
});

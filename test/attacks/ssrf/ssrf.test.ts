/**
 * Server-side request forgery: a caller names a host, and the platform sends requests there. It sends none to
 * a host outside the public internet, in any field and in any spelling.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { tiers } from "../../world/tiers.ts";
import { badDestinations, badNames } from "./destinations.ts";
import { type PublicPlatform, startPublicPlatform } from "./public_platform.ts";
import { newTenant, type Tenant, urlEntryPoints } from "./url_entry_points.ts";

let platform: PublicPlatform;
let tenant: Tenant;
beforeAll(async () => {
  platform = await startPublicPlatform();
  tenant = await newTenant(platform);
});
afterAll(() => platform?.stop());
beforeEach(() => platform.forget());
afterEach(() => expect(platform.reached()).toBe(0));

const callWithHost = async ({ ask }: (typeof urlEntryPoints)[number], host: string) => {
  const [path, asked] = ask(tenant, host);
  return platform.call(path, { token: tenant.token, ...asked });
};

const fieldOf = (body: { details: { fieldViolations?: { field: string }[] }[] }) =>
  body.details.flatMap((one) => one.fieldViolations ?? [])[0]?.field;

type EntryPoint = (typeof urlEntryPoints)[number];
type Row = [entryPoint: string, what: string, host: string, EntryPoint];

/** Every host at every entry point. The quick tier tries each host once, and each entry point. */
const everyWay = (hosts: [string, string][], some: EntryPoint[]) =>
  tiers(
    some.flatMap((one) => hosts.map(([what, host]): Row => [one.name, what, host, one])),
    ([name]) => name,
    ([, what, host]) => `${what} ${host}`,
  );

const looksUp = urlEntryPoints.filter((one) => one.looksUp);
const others = urlEntryPoints.filter((one) => !one.looksUp);

for (const [some, tier] of everyWay(badDestinations, urlEntryPoints))
  test.for(some)("%s rejects %s: %s", tier, async ([, , host, entryPoint]) => {
    const { status, body } = await callWithHost(entryPoint, host);
    expect([status, body.code, fieldOf(body)]).toEqual([400, 3, entryPoint.field]);
    expect(platform.sent).toEqual([]);
    expect(platform.lookups).toEqual([]);
  });

for (const [some, tier] of everyWay(badNames, looksUp))
  test.for(some)("%s rejects a name of %s: %s", tier, async ([, , host, entryPoint]) => {
    const { status, body } = await callWithHost(entryPoint, host);
    expect([status, body.code, fieldOf(body)]).toEqual([400, 3, entryPoint.field]);
    expect(platform.sent).toEqual([]);
  });

for (const [some, tier] of everyWay(badNames, others))
  test.for(some)("%s sends no request about %s: %s", tier, async ([, , host, entryPoint]) => {
    expect((await callWithHost(entryPoint, host)).status).toBe(200);
    expect([platform.sent, platform.lookups]).toEqual([[], []]);
  });

describe.each(urlEntryPoints.filter(({ field }) => field !== "sink"))(
  "$name of an issuer",
  (entryPoint) => {
    test.each(["https://issuer.example?", "https://issuer.example/?a=b"])(
      "rejects a query: %s",
      async (host) => {
        const { status, body } = await callWithHost(entryPoint, host);
        expect([status, fieldOf(body)]).toEqual([400, entryPoint.field]);
        expect(platform.sent).toEqual([]);
      },
    );
  },
);

describe("an issuer that causes no request is accepted:", () => {
  test("the issuer of a cluster with static keys, which is only compared", async () => {
    const staticKeys = {
      issuer: "https://kubernetes.default.svc.cluster.local",
      subject: "system:serviceaccount:a:b",
      issuerKeys: JSON.stringify(tenant.keys),
    };
    const body = { name: "a", staticKeys };
    const asked = { token: tenant.token, body };
    const made = await platform.call(`/iam/v2/identities/${tenant.group}`, asked);
    expect(made.status).toBe(200);
    const claims = { iss: staticKeys.issuer, sub: staticKeys.subject };
    const proof = await platform.signedBy(tenant.key, claims);
    const path = `/sts/exchange?aud=https://api.acme.example&identity=${made.body.uid}`;
    expect((await platform.call(path, { method: "POST", token: proof })).status).toBe(200);
    expect(platform.sent).toEqual([]);
  });

  test("a matcher of our own issuer, whose keys are not fetched", async () => {
    const claimMatch = { issuer: "https://issuer.acme.example", subject: tenant.identity };
    const asked = { token: tenant.token, body: { name: "a", claimMatch } };
    expect((await platform.call(`/iam/v2/identities/${tenant.group}`, asked)).status).toBe(200);
    expect(platform.sent).toEqual([]);
  });

  test.each(["https://cluster.example:6443", "https://login.example:8443/realms/a"])(
    "an issuer on its own port: %s",
    async (issuer) => {
      const body = { name: "a", claimMatch: { issuer, subject: "robot" } };
      const asked = { token: tenant.token, body };
      expect((await platform.call(`/iam/v2/identities/${tenant.group}`, asked)).status).toBe(200);
    },
  );
});

describe("a link to a cloud contains no host:", () => {
  const azure = { tenantId: "11111111-2222-3333-4444-555555555555", clientIds: {} };
  const google = { projectId: "a", projectNumber: "1" };
  test.each([
    ["an AWS account", { amazon: { account: "127.0.0.1/" } }],
    ["a Google project", { google: { ...google, projectNumber: "1@127.0.0.1" } }],
    ["an Azure tenant", { azure: { ...azure, tenantId: "../../127.0.0.1" } }],
    ["an Azure tenant with a user", { azure: { ...azure, tenantId: "@127.0.0.1" } }],
    ["an Azure application", { azure: { ...azure, clientIds: { a: "https://127.0.0.1" } } }],
  ])("%s is not a URL", async (_, links) => {
    for (const path of ["/iam/v2/accountAssociations", "/iam/v1/account_associations"]) {
      const body = { name: "a", ...links };
      const { status } = await platform.call(`${path}/${tenant.group}`, {
        token: tenant.token,
        body,
      });
      expect(status).toBe(400);
    }
    expect(platform.sent).toEqual([]);
  });
});

/**
 * Checks links to Google and Azure with servers that check the requests they receive. AWS is in test/issuer.
 */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
  randomName,
} from "../../world/personas.ts";
import { baseUrl, callRest, costOf, issuer, sql } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";

interface Seen {
  path: string;
  form: Record<string, string>;
  headers: IncomingHttpHeaders;
}

/** A token endpoint that trusts our issuer for one subject and audience. */
async function startCloud(port: number, assertion: string, audienceOf: (seen: Seen) => string) {
  const cloud = {
    subject: "",
    seen: [] as Seen[],
    page: undefined as ((seen: Seen, response: ServerResponse) => void) | undefined,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const form = Object.fromEntries(new URLSearchParams(text));
    const seen = { path: request.url ?? "", form, headers: request.headers };
    cloud.seen.push(seen);
    if (cloud.page) return cloud.page(seen, response);
    const json = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    try {
      const keys = createRemoteJWKSet(new URL(`${baseUrl()}/.well-known/jwks.json`));
      const { subject } = cloud;
      const wanted = { issuer, subject, audience: audienceOf(seen), maxTokenAge: "10m" };
      await jwtVerify(form[assertion] ?? "", keys, wanted);
      json(200, { access_token: "secret-of-the-cloud", token_type: "Bearer", expires_in: 3600 });
    } catch {
      json(400, { error: "invalid_grant", error_description: "The assertion\r\n is not trusted." });
    }
  }).listen(port, "127.0.0.1");
  await once(server, "listening");
  return cloud;
}

type Cloud = Awaited<ReturnType<typeof startCloud>>;
let google: Cloud;
let azure: Cloud;
let organization: Organization;
let token: string;
beforeAll(async () => {
  const ports = inject("clouds");
  google = await startCloud(ports.google, "subject_token", ({ form }) => `https:${form.audience}`);
  azure = await startCloud(ports.azure, "client_assertion", () => "api://AzureADTokenExchange");
  organization = await newOrganization();
  token = organization.owner.token;
});
afterEach(() => {
  google.page = undefined;
  azure.page = undefined;
});
afterAll(() => {
  google.close();
  azure.close();
});

const tenantId = "11111111-2222-3333-4444-555555555555";
const clientIds = {
  scanner: "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
  builder: "ffffffff-bbbb-cccc-dddd-eeeeeeeeeeee",
};
const clouds = {
  google: { projectId: "my-project", projectNumber: "987654321" },
  azure: { tenantId, clientIds },
};

async function newGroup(links: object = clouds): Promise<string> {
  const body = { name: randomName("group") };
  const { uid } = await createResource(`/iam/v2/groups/${organization.uid}`, token, body);
  await createResource(`/iam/v2/accountAssociations/${uid}`, token, { name: "clouds", ...links });
  return uid;
}

const check = (group: string, provider: string, as = token) =>
  callRest(`/iam/v2/accountAssociations/${group}:checkAccountAssociation`, {
    token: as,
    body: { providerType: `ACCOUNT_PROVIDER_TYPE_${provider}` },
  });
const ready = { status: "CHECK_STATUS_READY" };
const failed = (message: string) => ({
  status: "CHECK_STATUS_NOT_READY",
  reason: "exchange failed",
  message,
});

test("Google's is READY if the project's provider accepts our token of this group", async () => {
  google.subject = await newGroup();
  const answer = await check(google.subject, "GOOGLE");
  expect([answer.status, answer.body]).toEqual([200, ready]);
  expect(costOf(answer).roundTrips).toBe(1);
  const { path, form, headers } = google.seen.at(-1) as Seen;
  expect([path, headers.accept]).toEqual(["/v1/token", "application/json"]);
  expect(form).toMatchObject({
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    audience:
      "//iam.googleapis.com/projects/987654321/locations/global/workloadIdentityPools/vendor-pool/providers/vendor",
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
  });
});

test("Google's is NOT_READY for a number with letters, without asking Google", async () => {
  google.seen.length = 0;
  const group = await newGroup({ google: { projectId: "p", projectNumber: "my-number" } });
  const { body } = await check(group, "GOOGLE");
  expect(body).toEqual(failed("no project has the number my-number: it needs digits"));
  expect(google.seen).toEqual([]);
});

test("Azure's is READY if every application of the tenant accepts it", async () => {
  azure.subject = await newGroup();
  azure.seen.length = 0;
  const { status, body } = await check(azure.subject, "AZURE");
  expect([status, body]).toEqual([200, ready]);
  expect(new Set(azure.seen.map(({ path }) => path))).toEqual(
    new Set([`/${tenantId}/oauth2/v2.0/token`]),
  );
  const asked = azure.seen.map(({ form }) => form.client_id).sort();
  expect(asked).toEqual(Object.values(clientIds).sort());
  expect(azure.seen[0]?.form).toMatchObject({
    grant_type: "client_credentials",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  });
});

test("Azure's is NOT_READY if one application does not, and names its component", async () => {
  const group = await newGroup();
  azure.page = ({ form }, response) => {
    const isFine = form.client_id === clientIds.scanner;
    const body = isFine
      ? { access_token: "a", token_type: "Bearer" }
      : { error: "invalid_client", error_description: "AADSTS700213: No matching record." };
    response
      .writeHead(isFine ? 200 : 401, { "content-type": "application/json" })
      .end(JSON.stringify(body));
  };
  const { body } = await check(group, "AZURE");
  expect(body).toEqual(failed("builder: invalid_client: AADSTS700213: No matching record."));
});

test("a provider that trusts another group is NOT_READY, with its text on one line", async () => {
  google.subject = await newGroup();
  const { status, body } = await check(await newGroup(), "GOOGLE");
  expect([status, body]).toEqual([200, failed("invalid_grant: The assertion is not trusted.")]);
});

test("version 1 checks the same link and returns Ready or NotReady", async () => {
  google.subject = await newGroup();
  const checkV1 = (group: string) =>
    callRest(`/iam/v1/account_associations/${group}:check`, {
      token,
      body: { accountType: "GOOGLE" },
    });
  expect((await checkV1(google.subject)).body).toEqual({ ready: "Ready" });
  const { reason, message } = failed("invalid_grant: The assertion is not trusted.");
  const { status, body } = await checkV1(await newGroup());
  expect([status, body]).toEqual([200, { ready: "NotReady", reason, message }]);
});

describe("a response of the provider that is", () => {
  const host = () => `127.0.0.1:${inject("clouds").google}`;
  test.for<[string, number, string, (token: string) => string, () => string]>([
    [
      "no JSON",
      200,
      "text/html",
      () => "<html>",
      () => "the response was HTTP 200, without credentials",
    ],
    [
      "without a token",
      200,
      "application/json",
      () => "{}",
      () => "the response was HTTP 200, without credentials",
    ],
    [
      "null",
      200,
      "application/json",
      () => "null",
      () => "the response was HTTP 200, without credentials",
    ],
    ["broken", 503, "text/plain", () => "", () => "the response was HTTP 503, without credentials"],
    [
      "too large",
      200,
      "application/json",
      () => " ".repeat(70_000),
      () => `${host()} did not return a readable response`,
    ],
    [
      "full of our token",
      400,
      "application/json",
      (t) => JSON.stringify({ error: "bad", error_description: `see ${t}` }),
      () => "bad: see [token]",
    ],
  ])("%s is NOT_READY", async ([, status, type, body, message]) => {
    const group = await newGroup();
    google.page = ({ form }, response) =>
      response.writeHead(status, { "content-type": type }).end(body(form.subject_token ?? ""));
    expect((await check(group, "GOOGLE")).body).toEqual(failed(message()));
  });

  test("missing for five seconds is NOT_READY", { ...long, timeout: 10_000 }, async () => {
    const group = await newGroup();
    google.page = () => {};
    const { body } = await check(group, "GOOGLE");
    expect(body).toEqual(failed(`${host()} did not return a readable response`));
  });
});

test("an unlinked provider is NOT_READY: not configured, and no request is sent", async () => {
  const seen = google.seen.length + azure.seen.length;
  const bare = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
    name: randomName("g"),
  });
  for (const group of [await newGroup({}), bare.uid]) {
    for (const provider of ["GOOGLE", "AZURE", "AMAZON"]) {
      const { status, body } = await check(group, provider);
      const notReady = { status: "CHECK_STATUS_NOT_READY", reason: "not configured" };
      expect([status, body]).toEqual([200, notReady]);
    }
  }
  expect(google.seen.length + azure.seen.length).toBe(seen);
});

test.for(["UNSPECIFIED", "99", "ORACLE"])(
  "the provider %s is INVALID_ARGUMENT",
  async (provider) => {
    const { status, body } = await check(organization.uid, provider);
    expect([status, body.code]).toEqual([400, 3]);
    expect(JSON.stringify(body.details)).toMatch(/"field":"provider_?[tT]ype"/);
  },
);

test("a viewer can check and a stranger cannot, nothing changes, and no event is emitted", async () => {
  google.subject = await newGroup();
  const viewer = await newIdentity(organization, "viewer");
  const before = await sql("select * from account_associations where uid = ?", google.subject);
  expect((await check(google.subject, "GOOGLE", viewer.token)).body).toEqual(ready);
  const seen = google.seen.length;
  const stranger = (await newOrganization()).owner;
  expect((await check(google.subject, "GOOGLE", stranger.token)).status).toBe(403);
  expect(google.seen.length).toBe(seen);
  expect(await sql("select * from account_associations where uid = ?", google.subject)).toEqual(
    before,
  );
  const events = await sql("select id from events where group_uid = ?", google.subject);
  expect(events).toHaveLength(2);
});

test("the token that is sent gives no access to the platform", async () => {
  google.subject = await newGroup();
  await check(google.subject, "GOOGLE");
  const stolen = google.seen.at(-1)?.form.subject_token ?? "";
  const path = `/iam/v2/groups/${organization.uid}`;
  expect((await callRest(path, { token: stolen })).status).toBe(401);
  expect((await callRest("/sts/exchange?aud=x.example", { token: stolen })).status).toBe(403);
  expect((await callRest("/v2/", { token: stolen })).status).not.toBe(200);
});

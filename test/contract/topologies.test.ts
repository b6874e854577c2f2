/**
 * One Worker or one for each domain: a path has the same response (design: two topologies).
 * @module-tag long
 */
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createTestHarness, type TestHarness } from "wrangler";
import { domainOf } from "../../cli/check/deployment.ts";
import { parentedTables } from "../../cli/fsck/triggers.ts";
import { toolsOf } from "../../mcp/tools.ts";
import { wantedTriggers } from "../../schema/describe/triggers.ts";
import { applyMigrations } from "../world/migrations.ts";
import { callRest, registryAudience, requestId, sql, tokenFor, vendor } from "../world/platform.ts";
import { restCall } from "./callers.ts";
import { changes } from "./changes/all.ts";
import {
  type Answered,
  type Asked,
  answered,
  type RelayRequest,
  type Statement,
} from "./domains_relay.ts";
import {
  allCapabilities,
  type Fixtures,
  newContractCaller,
  newFixtures,
  targetUid,
} from "./fixtures.ts";
import { minimalRequest } from "./requests.ts";
import { type ContractRpc, isList, notOverRest, rpcOf, rpcs } from "./rpcs.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const domains = [
  ...["iam", "registry", "vulnerabilities", "libraries", "advisory"],
  ...["events", "ping", "issuer", "distribution", "mcp"],
];

/** The variables of the platform in one Worker, which those of the domains get too. */
const vars = {
  BASE_URL: "http://localhost:8787",
  REGISTRY_URL: "http://localhost:8787",
  ISSUER_URL: "http://localhost:8787",
  AUDIENCE: "http://localhost:8787",
  REGISTRY_AUDIENCE: registryAudience,
  METER: "true",
};

const registrar = `http://localhost:${inject("registrar")}`;
const registering = {
  TRUSTED_EMAIL_ISSUERS: `https://trusted.example ${registrar}`,
  REGISTRATION_ISSUERS: registrar,
};

/** The configuration of domains_relay.ts: every domain's Worker is bound under the name of the domain. */
const relay = {
  name: "relay",
  main: "test/contract/domains_relay.ts",
  compatibility_date: "2026-10-01",
  services: domains.map((binding) => ({ binding, service: `platform-${binding}` })),
  d1_databases: [
    {
      binding: "DB",
      database_name: "platform",
      database_id: "00000000-0000-0000-0000-000000000000",
    },
  ],
};

let server: TestHarness;
let fixtures: Fixtures;
let caller: string;
let token: string;
beforeAll(async () => {
  fixtures = await newFixtures();
  ({ uid: caller, token } = await newContractCaller(fixtures.organization.uid, allCapabilities));
  // The harness has keys and a database of its own (cli/local/wrangler_dev.js).
  process.env.WRANGLER_DEV_CHECK = "off";
  server = createTestHarness({
    root,
    workers: [
      ...domains.map((env) => ({
        configPath: "wrangler.toml",
        env,
        vars: { ...vars, ...registering },
        secrets: {
          SIGNING_KEYS: inject("signingKeys"),
          PAGE_TOKEN_KEYS: inject("pageTokenKeys"),
          ENCRYPTION_KEYS: inject("encryptionKeys"),
        },
      })),
      { config: relay },
    ],
  });
  await server.listen();
  await applyMigrations({ prepare: (query) => ({ query, values: [] }), batch: runAtRelay });
  await copyFixtures();
});
afterAll(() => server?.close());

async function askRelay(asked: RelayRequest): Promise<Answered[]> {
  const body = JSON.stringify(asked);
  const response = await server.getWorker("relay").fetch("/", { method: "POST", body });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Answered[];
}

const runAtRelay = (statements: Statement[]) => askRelay({ statements });

/**
 * Tables with rows of an organization. Parents come before children, and referenced rows before the rows that
 * refer to them.
 */
const inOrder = [
  ...["groups", "roles", "identities", "role_bindings", "identity_metadata"],
  ...["identity_providers", "external_group_role_mappings", "account_associations"],
  ...["group_invites", "terms_acceptances", "subscriptions", "events", "deliveries"],
  ...["repos", "tags", "manifests", "sboms", "tag_moves", "vuln_reports", "vuln_report_contents"],
  ...["advisories", "advisory_events", "osv_records", "artifacts", "artifact_versions"],
  ...["vulnerability_metadata", "advisory_documents", "sessions"],
];
const further = parentedTables(await wantedTriggers(root)).map(({ table }) => table);
const tables = [...inOrder, ...further.filter((one) => !inOrder.includes(one)), "expiry_items"];

/** The columns of each table. */
let columnsOf: Record<string, string[]>;

async function readColumns(): Promise<void> {
  const [row = {}] = await sql<Record<string, string>>(
    `select ${tables.map((table) => `(select json_group_array(name) from pragma_table_info('${table}')) as ${table}`)}`,
  );
  columnsOf = Object.fromEntries(
    Object.entries(row).map(([table, names]) => [table, JSON.parse(names)]),
  );
}

/** A SELECT of the rows of an organization (?1) and its owner (?2), as JSON. */
function rowsIn(table: string): string {
  const key = table === "tag_moves" ? "repo_uid" : table === "expiry_items" ? "plan_uid" : "uid";
  const where = `(${key} >= ?1 and ${key} < ?1 || '0') or ${key} = ?2`;
  return `(select json_group_array(json_array(${columnsOf[table]})) from ${table} where ${where}) as ${table}`;
}

const copied = new Set<string>();

/**
 * Copies the rows of the fixtures' organization into the database of the ten Workers, except rows that it
 * already has.
 */
async function copyFixtures() {
  if (!columnsOf) await readColumns();
  const { uid, owner } = fixtures.organization;
  const group = "(select json_array(name, verified) from groups where uid = ?1) as organization";
  const [all = {}] = await sql<Record<string, string>>(
    `select ${[...tables.map(rowsIn), group]}`,
    ...[uid, owner.uid],
  );
  const statements: Statement[] = [];
  for (const table of tables) {
    const names = columnsOf[table] ?? [];
    // The numbers of events are counted in each database.
    const verb = table === "events" ? "replace" : "ignore";
    const query = `insert or ${verb} into ${table} (${names}) values (${names.map(() => "?")})`;
    for (const values of JSON.parse(all[table] ?? "[]") as unknown[][]) {
      const print = JSON.stringify([table, ...values]);
      if (copied.has(print)) continue;
      copied.add(print);
      statements.push({ query, values });
    }
  }
  // A change may have been prepared by one of the organization.
  const query = "update groups set name = ?, verified = ? where uid = ?";
  statements.push({ query, values: [...JSON.parse(all.organization ?? "[]"), uid] });
  // The sender of the events Worker would try sinks that do not exist.
  statements.push({ query: "update subscriptions set pause_end_time = 9e15", values: [] });
  await runAtRelay(statements);
}

const withId = ({ headers, ...asked }: Asked): Asked => ({
  ...asked,
  headers: { "x-request-id": requestId, ...headers },
});

async function askPlatform(call: Asked): Promise<Answered> {
  const { path, ...asked } = withId(call);
  return answered(await fetch(`${inject("baseUrl")}${path}`, asked));
}

const askDomain = (domain: string, ...calls: Asked[]): Promise<Answered[]> =>
  askRelay({ domain, calls: calls.map(withId) });

/** Times, steps, signatures, defaults that tests change, and packages, which are not copied, differ. Nothing else can. */
const settled = ({ text, ...rest }: Answered) => ({
  ...rest,
  text: text
    // The result of a tool contains JSON as a text.
    .replaceAll('\\"', '"')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replaceAll(/\/[0-9a-f]{16}"/g, '/<step>"')
    .replaceAll(/"nextPageToken":"[^"]+"/g, '"nextPageToken":"<token>"')
    .replaceAll(/"token":"[^"]+"/g, '"token":"<token>"')
    .replaceAll(/whsec_[^"]+|[a-z]{2}key_[^"]+/g, "<secret>")
    .replaceAll(/"eventId":"[^"]+"/g, '"eventId":"<id>"')
    .replaceAll(/"eventCount":\d+/g, '"eventCount":"<count>"')
    .replaceAll(/"code":"[0-9a-f]{16}\.[^"]+"/g, '"code":"<code>"')
    .replaceAll(/"keyId":"[^"]+"/g, '"keyId":"<key>"')
    .replaceAll(/"etag":"+[^"]*"+/g, '"etag":"<etag>"')
    .replaceAll(/("kind":"QUOTA_KIND_PACKAGES"[^}]*?)"used":"\d+",/g, "$1")
    .replaceAll(/("kind":"QUOTA_KIND_(?:ROLES|SCIM_GROUPS)","limit":)"\d+"/g, "$1<default>"),
});

/** Makes the calls of both, one after another. Returns the platform's response to the last. */
async function expectSame(domain: string, ...calls: Asked[]): Promise<Answered> {
  const ones: Answered[] = [];
  for (const asked of calls) ones.push(await askPlatform(asked));
  expect((await askDomain(domain, ...calls)).map(settled)).toEqual(ones.map(settled));
  return ones.at(-1) as Answered;
}

function overRest(rpc: ContractRpc, request: JsonObject, token?: string): Asked {
  const { path, asked } = restCall(rpc, request);
  return {
    method: asked.method,
    path,
    headers: token ? { authorization: `Bearer ${token}` } : {},
    ...(asked.body === undefined ? {} : { body: JSON.stringify(asked.body) }),
  };
}

const overConnect = (
  { method }: ContractRpc,
  request: JsonObject,
  token: string,
  prefix = "",
): Asked => ({
  method: "POST",
  path: `/${prefix}${method.parent.typeName}/${method.name}`,
  headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
  body: JSON.stringify(request),
});

const each = rpcs
  .filter((rpc) => !notOverRest.includes(rpc.name))
  .map((rpc): [string, ContractRpc] => [rpc.name, rpc]);

/** A request that reads existing data, or fails before it changes anything. */
function harmless(rpc: ContractRpc): JsonObject {
  const isRead = rpc.verb === "GET" && rpc.scope && !isList(rpc);
  if (rpc.name === "SessionsService/EndSessions") return { uids: [fixtures.key] };
  try {
    return minimalRequest(
      rpc,
      isRead ? targetUid(rpc, fixtures) : `${fixtures.organization.uid}/${"0".repeat(16)}`,
    );
  } catch {
    return minimalRequest(rpc, fixtures.organization.uid);
  }
}

describe("the single Worker and the Worker of the domain return the same responses", () => {
  test.for(each)("%s", async ([_, rpc]) => {
    const domain = domainOf(rpc.method.parent);
    const request = harmless(rpc);
    const { status } = await expectSame(
      domain,
      overRest(rpc, request),
      overRest(rpc, request, "garbage"),
      overConnect(rpc, request, token),
      overConnect(rpc, request, token, `${vendor}.`),
      overConnect(rpc, request, token, "another."),
      overRest(rpc, request, token),
    );
    expect(status).not.toBe(500);
  });

  // The events and deliveries of earlier calls are still on their way in one of the databases.
  const comparable = toolsOf("read").filter(({ name }) => !/^list_(events|deliveries)$/.test(name));
  const tools = comparable.map((tool) => [tool.name, tool] as const);
  test.for(tools)("the tool %s, which calls another Worker", async ([name, tool]) => {
    const rpc = rpcs.find(
      ({ method: { parent, name } }) => `${parent.typeName}/${name}` === tool.rpc,
    );
    const request = rpc ? harmless(rpc) : {};
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const params = { name, arguments: request };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const call = { method: "POST", path: "/mcp", headers, body };
    const { status, text } = await expectSame("mcp", call);
    expect(status).toBe(200);
    expect(text).not.toContain('"code":"INTERNAL"');
  });

  /** Some change rows of persons, and only those of the organization are copied. */
  const copied = Object.entries(changes).filter(
    ([name]) => rpcOf(name).event && name !== "SecurityTokenService/ExchangeRefreshToken",
  );
  test.for(copied)("%s, a change", async ([name, change]) => {
    const rpc = rpcOf(name);
    const { request, claims, as } = await change.prepare(fixtures);
    await copyFixtures();
    const bearer = as ? as.token : claims ? await tokenFor(caller, claims) : token;
    const { status } = await expectSame(
      domainOf(rpc.method.parent),
      overRest(rpc, request, bearer),
    );
    expect(status).toBe(200);
  });

  test.each([
    ["issuer", "/.well-known/openid-configuration", 200],
    ["issuer", "/.well-known/jwks.json", 200],
    ["issuer", "/.well-known/jwks.pem", 200],
    ["issuer", "/.well-known/nothing", 404],
    ["issuer", "/sts/exchange", 401],
    ["ping", "/ping/v2/ping", 200],
    ["distribution", "/v2/", 401],
    ["distribution", "/v2/none/such/tags/list", 401],
    ["distribution", "/token?scope=repository:none/such:pull", undefined],
    ["distribution", `/v2/none/such/_${vendor}/history/latest`, 401],
    ["iam", "/iam/v2/nothing", 404],
    ["iam", "/scim/v2/nothing", 404],
    ["iam", `/scim/v2/${"0".repeat(40)}/${"0".repeat(16)}/Users`, 401],
    ["registry", "/registry/v3/repos", 404],
    ["issuer", "/.well-known/oauth-authorization-server", 200],
    ["mcp", "/.well-known/oauth-protected-resource", 200],
    ["mcp", "/.well-known/oauth-protected-resource/mcp", 200],
    ["mcp", "/mcp", 405],
    ["mcp", "/mcp/nothing", 404],
    ["registry", "/registry/v2/repos?page_size=1000", 401],
  ])("%s: GET %s", async (domain, path, status) => {
    const { status: answered } = await expectSame(domain, { method: "GET", path, headers: {} });
    if (status !== undefined) expect(answered).toBe(status);
    else expect(answered).toBeLessThan(500);
  });

  test("a token exchange has the same result in the single Worker and in the issuer's Worker", async () => {
    const path = "/sts/exchange?aud=http://localhost:8787";
    const own = await tokenFor(fixtures.organization.owner.uid);
    const headers = { authorization: `Bearer ${own}` };
    const { status } = await expectSame("issuer", { method: "POST", path, headers });
    expect(status).toBe(200);
  });

  test("a known path with another verb", async () => {
    const asked = { method: "PUT", path: "/iam/v2/groups", headers: {} };
    expect((await expectSame("iam", asked)).status).toBe(501);
  });
});

describe("the Worker of a domain returns 404 for the path of another domain", () => {
  const paths: Record<string, string> = {
    iam: "/iam/v2/groups",
    registry: "/registry/v2/repos",
    vulnerabilities: "/vulnerabilities/v2/advisories",
    libraries: "/libraries/v2/artifacts",
    advisory: "/advisory/v2/documents",
    events: "/events/v2/subscriptions",
    ping: "/ping/v2/ping",
    issuer: "/sts/exchange",
    distribution: `/v2/a/b/_${vendor}/history/latest`,
    mcp: "/.well-known/oauth-protected-resource/mcp",
  };

  test.each(domains)("%s", async (domain) => {
    const others = domains.filter((other) => other !== domain);
    const headers = { authorization: `Bearer ${token}` };
    // The registry's paths are all `/v2/…`, and the registry answers nothing else.
    const calls = others.map((other) => ({ method: "GET", path: paths[other] ?? "", headers }));
    const statuses = (await askDomain(domain, ...calls)).map(({ status }) => status);
    expect(others.map((other, at) => [other, statuses[at]])).toEqual(
      others.map((other) => [other, 404]),
    );
  });

  test.each(domains.filter((one) => one !== "iam"))("%s, over Connect", async (domain) => {
    const asked = overConnect(rpcOf("GroupsService/ListGroups"), {}, token);
    expect((await askDomain(domain, asked))[0]?.status).toBe(404);
  });
});

test("the single Worker returns 404 for a path of no domain", async () => {
  const rpc = "/platform.nothing.v2.Service/Call";
  for (const path of ["//", "/nothing", rpc, "/constructor/x", "/iamx/v2"]) {
    const { status, body } = await callRest(path);
    expect([path, status]).toEqual([path, 404]);
    expect(body).toMatchObject({ code: 5 });
  }
});

test("`/` is the same page from the API host's Worker and from the single Worker", async () => {
  const asked = { method: "GET", path: "/", headers: { accept: "application/json" } };
  expect((await expectSame("ping", asked)).status).toBe(200);
});

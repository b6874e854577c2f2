/** Calls every List of version 2 in each possible way: scope, order, position in the list, filter and caller. */
import type { BenchPlatform } from "../stage.ts";
import { type MeasuringCaller, methodOf, servedRpcs } from "./caller.ts";
import { digestOf, fixtures, holderIn, libraries, startTime } from "./fixtures.ts";

export const pageSize = 50;

type Json = Record<string, unknown>;

/** The properties of a List that the fields of its request do not show. */
interface ListCase {
  /** The rows below the root that the owner may see: a table, and a condition on its columns. */
  table: string;
  where?: string;
  /** Filters by name. Each is a request that matches a few rows, or one that matches many. */
  filters?: Record<string, Json>;
  /** The fields that every request of this List needs. */
  always?: Json;
  /** Its only place, if the caller does not choose a scope. */
  scope?: string;
  /** Whether there is never more than one page, so that there is no page a third in. */
  isShort?: boolean;
  /** Whether the List is public. */
  isOpen?: boolean;
}

const python = "ECOSYSTEM_PYTHON";

/** The beginning of all names, and of none. */
const prefixes = (text: string): Record<string, Json> => ({
  "name_prefix of all names": { namePrefix: text },
  "name_prefix of no name": { namePrefix: `${text}~` },
});

const lists: Record<string, ListCase> = {
  "registry.v2.SbomsService/ListSboms": { table: "sboms" },
  "registry.v2.VulnReportsService/ListVulnReports": { table: "vuln_reports" },
  "iam.v2.GroupsService/ListGroups": {
    table: "groups",
    filters: { name: { name: "group-0000007" }, ...prefixes("group-0") },
  },
  "iam.v2.IdentitiesService/ListIdentities": {
    table: "identities",
    filters: {
      name: { name: "identity-0000007" },
      ...prefixes("identity-0"),
      "relationship type that no identity has": {
        relationshipType: "RELATIONSHIP_TYPE_CLAIM_MATCH",
      },
    },
  },
  "iam.v2.RolesService/ListRoles": {
    table: "roles",
    filters: { name: { name: "role-0000007" }, ...prefixes("role-0") },
  },
  "iam.v2.RoleBindingsService/ListRoleBindings": {
    table: "role_bindings",
    filters: {
      identity: { identity: fixtures.member },
      "group, with a twentieth of the rows": { group: fixtures.chain[3] },
    },
  },
  "iam.v2.GroupInvitesService/ListGroupInvites": {
    table: "group_invites",
    filters: { key_id: { keyId: "key-0000007" } },
  },
  "iam.v2.KeysService/ListKeys": {
    table: "keys",
    filters: { name: { name: "key-0000007" } },
  },
  "iam.v2.IdentityProvidersService/ListIdentityProviders": {
    table: "identity_providers",
    filters: { name: { name: "provider-0000007" } },
  },
  "iam.v2.ExternalGroupRoleMappingsService/ListExternalGroupRoleMappings": {
    table: "external_group_role_mappings",
    filters: { provider: { identityProviderUid: holderIn(fixtures.chain[3]) } },
  },
  "iam.v2.AccountAssociationsService/ListAccountAssociations": {
    table: "account_associations",
    where: `uid >= '${fixtures.root}' and uid < '${fixtures.root}0'`,
    filters: { name: { name: "clouds-group-0000007" } },
  },
  "iam.v2.TermsService/ListTermsAcceptances": {
    table: "terms_acceptances",
    where: `parent = '${fixtures.root}'`,
    always: { group: fixtures.root },
    scope: fixtures.root,
    isShort: true,
  },
  "events.v2.SubscriptionsService/ListSubscriptions": { table: "subscriptions" },
  "registry.v2.ReposService/ListRepos": {
    table: "repos",
    filters: { name: { name: "image-0000007" }, ...prefixes("image-0") },
  },
  "registry.v2.TagsService/ListTags": {
    table: "tags",
    where: `uid > '${fixtures.root}/' and uid < '${fixtures.root}0' and class = 0`,
    filters: {
      name: { name: "0000007" },
      ...prefixes("0"),
      digest: { digest: digestOf(1) },
      "updated_since, two in a thousand": {},
      "include_referrers, include_dates, include_epochs": {
        includeReferrers: true,
        includeDates: true,
        includeEpochs: true,
      },
    },
  },
  "vulnerabilities.v2.AdvisoriesService/ListAdvisories": {
    table: "advisories",
    filters: {
      advisory_ids: { advisoryIds: ["ADV-0000007"] },
      artifact_names: { artifactNames: ["package-7"] },
      component_names: { componentNames: ["component-7"] },
      aliases: { aliases: ["CVE-2026-10007"] },
      origin: { origin: "origin-7" },
      "event_types, every second row": { eventTypes: ["EVENT_TYPE_FILTER_FIXED"] },
      query: { query: "package-7" },
    },
  },
  "advisory.v2.SecurityAdvisoryService/ListDocuments": {
    table: "advisory_documents",
    isOpen: true,
    filters: { id: { id: "origin-7" }, cves: { cves: ["CVE-2026-10007"] } },
  },
  "advisory.v2.SecurityAdvisoryService/ListVulnerabilityMetadata": {
    table: "vulnerability_metadata",
    isOpen: true,
    filters: { id: { id: "CVE-2026-10007" } },
  },
  "libraries.v2.ArtifactsService/ListArtifacts": {
    table: "artifacts",
    always: { ecosystems: [python] },
    filters: { query: { query: "library-0000007" }, "remediated, no row": { remediated: true } },
  },
  "libraries.v2.ArtifactsService/ListArtifactVersions": {
    table: `artifact_versions, json_each(versions) as span, json_each(span.value, '$[2]')`,
    where: `artifact_versions.parent = (select uid from artifacts where artifact_uid = '${libraries.ofRoot}')`,
    always: { artifactId: libraries.ofRoot },
  },
};

/** The filter by time selects the newest rows, whose times depend on the number of rows. */
function filtersOf(listed: ListCase, rows: number): [string, Json][] {
  return Object.entries(listed.filters ?? {}).map(([name, request]) => {
    if (!name.startsWith("updated_since")) return [name, request];
    // An update time is the sum of two times, each of which has a range of half a second per row. A fraction of 0.03² ×
    // 2 of such sums is in the last 3 percent.
    const newest = startTime + rows * 1000 * 0.97;
    return [name, { updatedSince: new Date(newest).toISOString() }];
  });
}

/** Returns the fields that the List can be sorted by, according to the platform itself. */
async function ordersOf(
  platform: BenchPlatform,
  rpc: string,
  token: string,
  always: Json,
): Promise<string[]> {
  const { parent, name } = methodOf(rpc);
  const response = await fetch(`${platform.url}/${parent.typeName}/${name}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ ...always, orderBy: "nothing" }),
  });
  const fields = readSortableFields(await response.text());
  if (fields.length === 0) {
    throw new Error(`${rpc} does not say which fields it can be sorted by`);
  }
  return fields;
}

/** Reads the sortable fields from the error about an unknown field in `order_by`. Empty for another text. */
export function readSortableFields(text: string): string[] {
  const [, fields] = /order_by must begin with one of ([a-z_, ]+);/.exec(text) ?? [];
  return fields?.split(", ") ?? [];
}

async function countOf(platform: BenchPlatform, { table, where }: ListCase): Promise<number> {
  const below = `uid > '${fixtures.root}/' and uid < '${fixtures.root}0'`;
  const query = `select count(*) as n from ${table} where ${where ?? below}`;
  const { results } = await platform.db.prepare(query).bind().all<{ n: number }>();
  return results[0]?.n ?? 0;
}

/** Calls one List in each way. */
async function measureList(
  platform: BenchPlatform,
  caller: MeasuringCaller,
  rpc: string,
  listed: ListCase,
  member: string,
) {
  const token = listed.isOpen ? "" : caller.owner;
  const takesScope = methodOf(rpc).input.fields.some(({ name }) => name === "uidp");
  const kind = takesScope || listed.scope ? "list" : "open list";
  const always = { ...listed.always, pageSize };
  const scope = { uidp: { descendantsOf: fixtures.root } };
  const inScope = takesScope ? { ...always, ...scope } : always;
  const total = await countOf(platform, listed);
  const ask = (name: string, request: Json, as: typeof kind | "grants" = kind, by = token) =>
    caller.measure(rpc, { name, kind: as, pageSize, token: by }, request);

  for (const order of await ordersOf(platform, rpc, token, always)) {
    for (const orderBy of [order, `${order} desc`]) {
      const asked = { ...inScope, orderBy };
      const { body, measured } = await ask(`first page by ${orderBy}`, asked);
      if (Number(body.totalCount) !== total) {
        measured.wrong.push(`totalCount is ${body.totalCount} of ${total}`);
      }
      if (listed.isShort) continue;
      // This call reads the rows that it skips, and it is not measured.
      const jumped = await caller.ask(rpc, { ...asked, skip: Math.floor(total / 3) }, token);
      const pageToken = jumped.body?.nextPageToken;
      if (!pageToken) throw new Error(`${rpc} has no page after a third of ${total}`);
      await ask(`a third in, by ${orderBy}`, { ...asked, pageToken });
    }
  }
  for (const [name, filter] of filtersOf(listed, caller.rowsOf(`platform.${rpc}`))) {
    await ask(`filter ${name}`, { ...inScope, ...filter });
  }
  if (!takesScope) return;
  await ask("descendants_of a group", { ...always, uidp: { descendantsOf: fixtures.group } });
  await ask("children_of", { ...always, uidp: { childrenOf: placeOf(rpc) } });
  await ask("no scope, one grant", always, "open list");
  await ask("no scope, 50 grants", always, "grants", member);
  await ask("scope above 50 grants", inScope, "grants", member);
}

/** Returns the parent of many rows of a List: a group, or the repository or provider in it. */
function placeOf(rpc: string): string {
  return /Tags|Sboms|VulnReports|ExternalGroup/.test(rpc)
    ? holderIn(fixtures.group)
    : fixtures.group;
}

/**
 * Lists without a total, in measure_events.ts, and those of one place or of days, in measure_registry.ts. The test of
 * costs (test/cost) measures the others.
 */
const measuredElsewhere =
  /(DiagnoseToken|PreviewTagRule|List(Access|Events|Deliveries|EndOfLifeTags|ExpiryPlanItems|ExpiryPlans|Findings|ImageHolds|Manifests|Packages|PastTags|RepoUsages|TagMoves|TagRules|TrustPolicies|ResolvedVulnsReports))$/;

/** Measures every List of version 2 that has pages. Throws an Error if a List has no case here. */
export async function measureLists(
  platform: BenchPlatform,
  caller: MeasuringCaller,
  member: string,
): Promise<void> {
  for (const [rpc, method] of servedRpcs) {
    const pages = method.input.fields.some(({ name }) => name === "page_token");
    const name = rpc.replace(/^platform\./, "");
    if (!pages || !/\.v2\./.test(rpc) || measuredElsewhere.test(name)) continue;
    const listed = lists[name];
    if (!listed) throw new Error(`there is no case for ${rpc}: add one to bench/cost/lists.ts`);
    await measureList(platform, caller, name, listed, member);
  }
}

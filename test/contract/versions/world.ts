/** A world: an organization that one version acts on over one transport, and everything in it. */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { newIdentityProvider } from "../../iam/identity_providers/openid_provider.ts";
import {
  newIdentity,
  newOrganization,
  newUser,
  type Organization,
  roleUid,
} from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";
import type { CallOutcome, CallRpc } from "../callers.ts";
import type { ContractRpc } from "../rpcs.ts";
import { type JsonRow, toVersion2Words, withoutVolatile } from "./words.ts";

/** The callers of a step. The outsider belongs to no organization. */
export const roleNames = ["owner", "editor", "viewer", "outsider"] as const;
export type RoleName = (typeof roleNames)[number];

export interface VersionWorld {
  /** `v1 over gRPC`. */
  name: string;
  version: "v1" | "v2";
  ask: CallRpc;
  organization: Organization;
  tokens: Record<RoleName, string>;
  /** The symbol for a uid in every world, and the uid in this one. */
  uids: Map<string, string>;
}

/** A new organization with an owner, an editor and a viewer. */
export async function newWorld(
  name: string,
  version: VersionWorld["version"],
  ask: CallRpc,
): Promise<VersionWorld> {
  const organization = await newOrganization("world");
  const [editor, viewer, outsider] = await Promise.all([
    newIdentity(organization, "editor"),
    newIdentity(organization, "viewer"),
    newUser(),
  ]);
  const { owner, uid } = organization;
  const uids = new Map([
    ["<organization>", uid],
    ["<owner>", owner.uid],
    ["<editor>", editor.uid],
    ["<viewer>", viewer.uid],
    ["<outsider>", outsider.uid],
    ["<organization's name>", organization.name],
    ["<built-in role>", await roleUid("viewer")],
    ["<provider>", (await newIdentityProvider(organization)).uid],
    ["<nothing>", `${uid}/${"0".repeat(16)}`],
  ]);
  const bindings = await sql<{ uid: string; identity_uid: string }>(
    "select uid, identity_uid from role_bindings where parent = ?",
    uid,
  );
  const names = await sql<{ uid: string; name: string }>(
    "select uid, name from identities where uid in (?, ?, ?, ?)",
    ...[owner.uid, editor.uid, viewer.uid, outsider.uid],
  );
  const nameOf = (identity: string) =>
    [...uids].find(([, one]) => one === identity)?.[0] ?? identity;
  for (const one of bindings) uids.set(`<binding of ${nameOf(one.identity_uid)}>`, one.uid);
  for (const one of names) uids.set(`<name of ${nameOf(one.uid)}>`, one.name);
  const tokens = { owner: owner.token, editor: editor.token, viewer: viewer.token };
  return {
    ...{ name, version, ask, organization, uids },
    tokens: { ...tokens, outsider: outsider.token },
  };
}

/** The text of this world in the terms of all worlds: random values have names instead. */
export function withCommonNames(world: VersionWorld, text: string): string {
  // A child's uid begins with its parent's, so the longest come first.
  const known = [...world.uids].sort(([, a], [, b]) => b.length - a.length);
  return known.reduce((said, [symbol, uid]) => said.replaceAll(uid, symbol), text);
}

/** The rows of one table in JSON. A time only shows whether the row has changed since its creation. */
const rowsIn = (table: string, columns: string, { key = "uid", changed = true } = {}) =>
  `(select json_group_array(json_array(${columns}${changed ? ", update_time > create_time" : ""}))
    from (select * from ${table} where ${key} >= ?1 and ${key} < ?2 || '0'
      order by ${table === "tag_moves" ? "repo_uid, tag, update_time" : "1"})) as ${table}`;

const everything = `select ${[
  rowsIn("groups", "uid, name, description, verified, kind, status, resource_limits"),
  rowsIn("roles", "uid, name, description, capabilities"),
  rowsIn("identities", "uid, name, description, company, relationship, issuer, subject"),
  rowsIn("role_bindings", "uid, identity_uid, role_uid"),
  rowsIn("account_associations", "uid, name, description, accounts"),
  rowsIn("group_invites", "uid, role_uid, email, single_use"),
  rowsIn("subscriptions", "uid, sink", { changed: false }),
  rowsIn(
    "identity_providers",
    "uid, description, default_role, issuer, client_id, additional_scopes, groups_claim, scim_enabled",
  ),
  rowsIn("external_group_role_mappings", "uid, external_group_id, role_uid, scope"),
  rowsIn("terms_acceptances", "parent, doc_id, accepted_by", { key: "parent", changed: false }),
  rowsIn(
    "repos",
    "uid, name, description, catalog_tier, bundles, aliases, active_tags, readme, sync_config, custom_overlay",
  ),
  rowsIn("tags", "uid, name, digest, deprecated, bundles"),
  rowsIn("tag_moves", "repo_uid, tag, digest", { key: "repo_uid", changed: false }),
  `(select json_group_array(json_array(type, source, subject, group_uid, audience, extensions,
      body_type, json_extract(data, '$.actor'), json_extract(data, '$.body')))
    from (select * from events where group_uid >= ?1 and group_uid < ?2 || '0'
      and rowid > ?3 order by rowid)) as events`,
].join(", ")}`;

/** The path of an event's source. The versions spell some resources differently. */
const versionedPath = /\/v[12]\/([A-Za-z_]+)/;
const inNoVersion = (_: string, resource: string) =>
  `/v*/${resource.replaceAll("_", "").toLowerCase()}`;

/** Bodies that version 1 redacts, and subjects that it writes differently (contract: events). */
const redacted = /v2\.Delete(Subscription|ExternalGroupRoleMapping)Request$/;

function event(row: JsonValue[]): JsonValue {
  const [type, source, subject, group, audience, extensions, bodyType] = row as string[];
  const [actor = null, body = null] = row.slice(7);
  const isBatch = type?.endsWith("rolebindings.created.batch.v1");
  const visibleBody = redacted.test(bodyType ?? "") ? {} : ((body ?? {}) as JsonRow);
  // Events of version 1 leave these out.
  if (bodyType?.endsWith("v2.Subscription")) delete visibleBody.disabled;
  if (visibleBody.oidc) delete (visibleBody.oidc as JsonRow).correlationRule;
  return withoutVolatile({
    type: type ?? "",
    source: isBatch ? "" : (source ?? "").replace(versionedPath, inNoVersion),
    subject: isBatch ? "" : (subject ?? ""),
    ...{ group: group ?? "", audience: audience ?? "", extensions: extensions ?? "" },
    actor,
    body: toVersion2Words(bodyType ?? "", visibleBody),
  });
}

/** Everything in the organization, and its events, in terms that all worlds share. */
export async function worldState(world: VersionWorld, since: number): Promise<JsonObject> {
  const { uid } = world.organization;
  const [row = {}] = await sql<Record<string, string>>(everything, uid, uid, since);
  return Object.fromEntries(
    Object.entries(row).map(([table, json]) => {
      const rows = JSON.parse(withCommonNames(world, json)) as JsonValue[][];
      // Rows are read by uid, which is random; events have an order of their own.
      if (table === "events") return [table, rows.map(event)];
      return [table, rows.map((one) => JSON.stringify(one)).sort()];
    }),
  );
}

/** The response of a call, without values that differ in every call. */
export const answerOf = (world: VersionWorld, { message = {} }: CallOutcome): JsonValue =>
  JSON.parse(withCommonNames(world, JSON.stringify(withoutVolatile(message))));

/** The outcome of a call in terms that all worlds and, through `names`, both versions share. */
export function comparableOutcome(
  world: VersionWorld,
  { method }: ContractRpc,
  outcome: CallOutcome,
  names: Record<string, string>,
): JsonObject {
  const { code, details } = outcome;
  const members = details.map(({ "@type": type, ...rest }) => ({
    type: type.split(".").at(-1),
    rest,
  }));
  const of = (kind: string) => members.find(({ type }) => type === kind)?.rest;
  const violations = (of("BadRequest")?.fieldViolations ?? []) as { field: string }[];
  const inV2 = (field: string) => {
    if (world.version === "v2") return field;
    // Version 1 must not say what only version 2 says.
    const starts = (start: string) => field === start || field.startsWith(`${start}.`);
    const known = Object.keys(names)
      .filter(starts)
      .sort((a, b) => b.length - a.length);
    const isForeign = Object.values(names).some(starts) && known.length === 0;
    const [start = ""] = known;
    const said = start === "" ? field : `${names[start]}${field.slice(start.length)}`;
    return isForeign ? `${field}, in version 1` : said;
  };
  const blocked = (of("PreconditionFailure")?.violations ?? []) as { type: string }[];
  return {
    code,
    reason: of("ErrorInfo")?.reason ?? "",
    resource: withCommonNames(world, JSON.stringify(of("ResourceInfo") ?? "")),
    // A text about a field begins with its name, which differs; every other is the same.
    text: violations.length > 0 ? "" : withCommonNames(world, outcome.text),
    fields: violations.map(({ field }) => inV2(field)).sort(),
    blocked: blocked.map(({ type }) => type).sort(),
    answer: withoutVolatile(
      toVersion2Words(method.output.typeName, answerOf(world, outcome) as JsonRow),
    ),
  };
}

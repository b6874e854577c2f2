/** An organization with one resource of each kind, and callers with chosen capabilities. */
import { CapabilitySchema } from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { newIdentityProvider } from "../iam/identity_providers/openid_provider.ts";
import { newPlan } from "../registry/expiry/expiring_repo.ts";
import { grypeReport, matchOf, packedReport } from "../registry/vuln_reports/grype_reports.ts";
import {
  createResource,
  fakeDigest,
  newOrganization,
  type Organization,
  type Persona,
  randomName,
  randomUid,
  roleUid,
} from "../world/personas.ts";
import { callRest, sql, tokenFor } from "../world/platform.ts";
import { sbomContent } from "./requests.ts";
import type { ContractRpc } from "./rpcs.ts";
import { creates, makeStandard } from "./standard.ts";

/** The kinds of resources in fixtures. */
export type FixtureKind =
  | "group"
  | "identity"
  | "role"
  | "roleBinding"
  | "repo"
  | "tag"
  | "manifest"
  | "imageHold"
  | "expiryPlan"
  | "sbom"
  | "vulnReport"
  | "finding"
  | "package"
  | "advisory"
  | "advisoryEvent"
  | "artifact"
  | "accountAssociation"
  | "groupInvite"
  | "subscription"
  | "delivery"
  | "event"
  | "identityProvider"
  | "externalGroupRoleMapping"
  | "key";

/**
 * An organization, its owner, and the uid of one resource of each kind in it. `standard` contains the uids of
 * the resources that are created from their protos, by service.
 */
export type Fixtures = {
  organization: Organization;
  token: string;
  standard: Record<string, string>;
} & Record<FixtureKind, string>;

export const step = () => randomUid().slice(0, 16);

/** The request that imports one OSV record. */
export const osvRecord = (id: string, modified = "2026-01-01T00:00:00Z") => ({
  id,
  modified,
  affected: [{ package: { ecosystem: "PyPI", name: "sample" } }],
});

/** A delivery of the event of the subscription's creation, as the sender of events would create it. */
export async function newDelivery(subscription: string): Promise<string> {
  const uid = `${subscription}/${step()}`;
  await sql(
    `insert into deliveries (uid, event_seq, pool, partition, create_time, end_time, state)
     select ?, seq, pool, partition, time, time, 'delivered' from events where subject = ? limit 1`,
    uid,
    subscription,
  );
  return uid;
}

/** Creates an organization through the API, with one resource of each kind. */
export const newFixtures = async (): Promise<Fixtures> =>
  fixturesOf(await newOrganization("fixtures"));

/** Creates one resource of each kind in an organization, or in the named group of it. */
export async function fixturesOf(
  organization: Organization,
  uid = organization.uid,
): Promise<Fixtures> {
  const { token } = organization.owner;
  const [group, identity, role, repo] = await Promise.all([
    createResource(`/iam/v2/groups/${uid}`, token, { name: randomName("group") }),
    createResource(`/iam/v2/identities/${uid}`, token, { name: randomName("bot") }),
    createResource(`/iam/v2/roles/${uid}`, token, {
      name: randomName("role"),
      capabilities: ["CAP_REPO_LIST"],
    }),
    createResource(`/registry/v2/repos/${uid}`, token, { name: randomName("repo") }),
  ]);
  const binding = { identityUid: identity.uid, roleUid: await roleUid("viewer") };
  const config = { size: 1 };
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  const content = btoa(JSON.stringify({ mediaType, config, layers: [] }));
  const [roleBinding, tag, manifest] = await Promise.all([
    createResource(`/iam/v2/roleBindings/${uid}`, token, binding),
    createResource(`/registry/v2/tags/${repo.uid}`, token, {
      name: "latest",
      digest: fakeDigest("one"),
    }),
    createResource(`/registry/v2/manifests/${repo.uid}`, token, { mediaType, content }),
  ]);
  const digest = fakeDigest("one");
  const [sbom, vulnReport] = await Promise.all([
    createResource(`/registry/v2/sboms/${repo.uid}`, token, {
      digest,
      content: sbomContent("one"),
    }),
    createResource(`/registry/v2/vulnReports/${repo.uid}`, token, {
      digest,
      content: packedReport(grypeReport([matchOf("CVE-2026-1", "High")])),
    }),
  ]);
  const imageHold = await createResource(`/registry/v2/imageHolds/${repo.uid}`, token, {
    name: "held",
    digests: [digest],
  });
  const expiryPlan = await newPlan(uid, token);
  const found = await callRest(`/registry/v2/findings?uidp.children_of=${repo.uid}`, { token });
  const contained = await callRest(`/registry/v2/packages?uidp.children_of=${repo.uid}`, { token });
  const sink = `https://${randomName("hooks")}.example`;
  const subscription = await createResource(`/events/v2/subscriptions/${uid}`, token, { sink });
  const delivery = await newDelivery(subscription.uid);
  const [event] = await sql<{ uid: string }>(
    "select uid from events where subject = ?",
    subscription.uid,
  );
  const clouds = { name: "clouds", amazon: { account: "123456789012" } };
  const association = await createResource(`/iam/v2/accountAssociations/${uid}`, token, clouds);
  const invited = { roleUid: binding.roleUid, ttl: "3600s" };
  const invite = await createResource(`/iam/v2/groupInvites/${uid}`, token, invited);
  const provider = await newIdentityProvider({ ...organization, uid });
  const mapping = await createResource(`/iam/v2/externalGroupRoleMappings/${provider.uid}`, token, {
    externalGroupId: "developers",
    roleUid: binding.roleUid,
    scope: organization.uid,
  });
  const key = await createResource(`/iam/v2/keys/${identity.uid}`, token, { name: "ci" });
  const advisories = { records: [osvRecord(randomName("OSV"))] };
  await createResource(`/vulnerabilities/v2/osvRecords/${uid}:import`, token, advisories);
  const listed = await callRest(`/vulnerabilities/v2/advisories?uidp.children_of=${uid}`, {
    token,
  });
  const advisory: string = listed.body.advisories[0].uid;
  const eventPath = `/vulnerabilities/v1/advisories/${advisory}/events`;
  const advisoryEvent = await createResource(eventPath, token, { advisoryEvent: { fixed: {} } });
  const standard: Record<string, string> = {};
  for (const service of standardServices) {
    standard[service] = (await makeStandard(service, uid, token)).uid;
  }
  const libraries = await callRest("/libraries/v2/artifacts?ecosystems=ECOSYSTEM_PYTHON", {
    token,
  });
  return {
    organization,
    token,
    standard,
    artifact: libraries.body.artifacts[0].uid,
    group: group.uid,
    identity: identity.uid,
    role: role.uid,
    roleBinding: roleBinding.uid,
    repo: repo.uid,
    tag: tag.uid,
    manifest: manifest.uid,
    imageHold: imageHold.uid,
    expiryPlan,
    sbom: sbom.uid,
    vulnReport: vulnReport.uid,
    finding: found.body.findings[0].uid,
    package: contained.body.packages[0].uid,
    advisory,
    advisoryEvent: advisoryEvent.id as string,
    accountAssociation: association.uid,
    groupInvite: invite.uid,
    subscription: subscription.uid,
    delivery,
    event: event?.uid ?? "",
    identityProvider: provider.uid,
    externalGroupRoleMapping: mapping.uid,
    key: key.uid,
  };
}

const kinds: Record<string, FixtureKind> = {
  AccessService: "repo",
  GroupsService: "group",
  IdentitiesService: "identity",
  RolesService: "role",
  RoleBindingsService: "roleBinding",
  ReposService: "repo",
  ImagesService: "repo",
  TagsService: "tag",
  ManifestsService: "manifest",
  ImageHoldsService: "imageHold",
  ExpiryPlansService: "expiryPlan",
  SbomsService: "sbom",
  VulnReportsService: "vulnReport",
  FindingsService: "finding",
  PackagesService: "package",
  AdvisoriesService: "advisory",
  ArtifactsService: "artifact",
  AdvisoryExportsService: "advisory",
  MatchingsService: "group",
  AccountAssociationsService: "accountAssociation",
  GroupInvitesService: "groupInvite",
  TermsService: "group",
  TokenDiagnosisService: "group",
  SubscriptionsService: "subscription",
  DeliveriesService: "delivery",
  EventsService: "event",
  IdentityProvidersService: "identityProvider",
  ExternalGroupRoleMappingsService: "externalGroupRoleMapping",
  KeysService: "key",
};

/** Services whose resources are created from their protos. */
export const standardServices = [...creates.keys()].filter((service) => !kinds[service]);

/** Those of version 1, by the full name of the RPC or by its service. */
const v1Kinds: Record<string, FixtureKind> = {
  "vulnerabilities.v1.Advisories": "advisory",
  "vulnerabilities.v1.Advisories/CreateAdvisoryEvent": "advisory",
  "vulnerabilities.v1.Advisories/ListAdvisoryEvents": "advisory",
  "vulnerabilities.v1.Advisories/UpdateAdvisoryEvent": "advisoryEvent",
  "iam.Groups": "group",
  "iam.Roles": "role",
  "iam.RoleBindings": "roleBinding",
  "iam.GroupInvites": "groupInvite",
  "iam.GroupInvites/Create": "group",
  "iam.Terms": "group",
  "registry.Registry/UpdateRepo": "repo",
  "registry.Registry/DeleteRepo": "repo",
  "registry.Registry/GetRepoCountBySource": "repo",
  "registry.Registry/CreateTag": "repo",
  "registry.Registry/GetRepoTagsSummary": "repo",
  "registry.Registry/UpdateTag": "tag",
  "registry.Registry/DeleteTag": "tag",
  "registry.Registry/ListTagHistory": "tag",
  "registry.Registry/GetImageConfig": "repo",
  "registry.Registry/GetArchs": "repo",
  "registry.Registry/GetSize": "repo",
  "registry.Registry/GetSbom": "repo",
  "registry.Registry/GetRawSbom": "repo",
  "registry.Registry/GetVulnReport": "repo",
  "registry.Registry/ListManifestMetadata": "repo",
  "iam.Identities": "identity",
  "iam.IdentityProviders": "identityProvider",
  "iam.GroupAccountAssociations": "accountAssociation",
  "iam.ExternalGroupRoleMappings": "externalGroupRoleMapping",
  "iam.ExternalGroupRoleMappings/Create": "identityProvider",
  "iam.ExternalGroupRoleMappings/BatchDelete": "identityProvider",
  "events.Subscriptions": "subscription",
};

/** Services whose resources belong to a repository. */
const inRepos = [
  ...["TagsService", "ManifestsService", "SbomsService", "VulnReportsService"],
  ...["ImageHoldsService", "ExpiryPlansService"],
];

/** The parents of resources that belong to neither a group nor a repository. */
const parentKinds: Record<string, FixtureKind> = {
  ExternalGroupRoleMappingsService: "identityProvider",
  KeysService: "identity",
  DeliveriesService: "subscription",
};

/** The names of fields that contain the parent of a new resource. */
const parents = ["parent", "parent_id"];

/** The uid in the fixtures that an RPC acts on: a resource, or the parent of a new one. */
export function targetUid({ name, method, scope, isV1 }: ContractRpc, fixtures: Fixtures): string {
  const [first] = scope ?? [];
  if (isV1) {
    const kind = v1Kinds[name] ?? v1Kinds[name.slice(0, name.indexOf("/"))];
    if (parents.includes(first?.name ?? "") && v1Kinds[name] === undefined) {
      return fixtures.organization.uid;
    }
    if (!kind) throw new Error(`nothing in the fixtures for ${name}: add it to fixtures.ts`);
    return fixtures[kind];
  }
  if (first?.name === "parent") {
    const kind = parentKinds[method.parent.name];
    if (kind) return fixtures[kind];
    return inRepos.includes(method.parent.name) ? fixtures.repo : fixtures.organization.uid;
  }
  if (method.parent.name === "UsagesService") return fixtures.organization.uid;
  if (first?.name === "repo_uid") return fixtures.repo;
  const kind = kinds[method.parent.name];
  const uid = kind ? fixtures[kind] : fixtures.standard[method.parent.name];
  if (!uid) throw new Error(`nothing in the fixtures for ${name}: add it to fixtures.ts`);
  return uid;
}

/** All capabilities. */
export const allCapabilities = CapabilitySchema.values
  .map((value) => value.number)
  .filter((number) => number > 0);

/** An identity of the organization with exactly these capabilities there, or in a place below. */
export async function newContractCaller(
  organization: string,
  capabilities: number[],
  place = organization,
): Promise<Persona & { name: string }> {
  const [uid, role] = [`${organization}/${step()}`, `${organization}/${step()}`];
  const name = randomName("caller");
  await sql(
    "insert into identities (uid, name, last_seen_time, create_time, update_time) values (?, ?, 1, 1, 1)",
    uid,
    name,
  );
  await sql(
    "insert into roles (uid, name, capabilities, create_time, update_time) values (?, ?, ?, 1, 1)",
    role,
    randomName("caller"),
    JSON.stringify(capabilities),
  );
  await sql(
    "insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time) values (?, ?, ?, 1, 1)",
    `${place}/${step()}`,
    uid,
    role,
  );
  return { uid, name, token: await tokenFor(uid) };
}

/** An organization with names that readers of the guide understand. */
import { Session_Kind } from "../../../schema/gen/platform/iam/v2/sessions_pb.js";
import { newUid } from "../../../src/aip/uid_path.ts";
import { send } from "../../distribution/client.ts";
import { registryToken } from "../../distribution/stored_images.ts";
import {
  identityProviderBody,
  sharedProvider,
} from "../../iam/identity_providers/openid_provider.ts";
import { sha256Of } from "../../registry/images/stored_images.ts";
import { debianPackage, matchOf, nvdRecord } from "../../registry/vuln_reports/grype_reports.ts";
import { createResource, newUser, type Organization, roleUid } from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import {
  attach,
  importOsv,
  newPushedRepo,
  type PushedRepo,
  pushImage,
  pushIndex,
  storeReport,
  storeSbom,
} from "../scanned_images.ts";
import { importPython, type MadeTag } from "../timeline/histories.ts";

const hour = 3_600_000;
const day = 24 * hour;

/** The parts of it that the pictures show. */
export interface Example {
  organization: Organization;
  /** The tag `python:latest`. */
  python: MadeTag;
  shop: PushedRepo;
  /** The digest of the image with findings. */
  digest: string;
  /** An identity that accepts tokens of GitHub Actions. */
  pipeline: string;
  identityProvider: string;
}

const namedOrganization = async (): Promise<Organization> => {
  const owner = await newUser();
  await sql("update identities set name = 'ada@example.com' where uid = ?", owner.uid);
  const asked = { token: owner.token, body: { name: "acme.example" } };
  const { body } = await callRest("/iam/v2/groups", asked);
  await sql("update groups set verified = 1 where uid = ?", body.uid);
  return { uid: body.uid, name: "acme.example", owner };
};

/** Logins of a person: in the console, in a program and on a machine without a browser. */
async function addSessions(provider: string, person: string): Promise<void> {
  const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
  const rows: [Session_Kind, string][] = [
    [Session_Kind.PROGRAM, "localhost:8787"],
    [Session_Kind.LOGIN, "localhost:53682"],
    [Session_Kind.HEADLESS, "platformctl"],
  ];
  for (const [index, [kind, client]] of rows.entries()) {
    const made = Date.now() - index * 26 * 3_600_000;
    await sql(
      "insert into sessions (uid, identity_uid, kind, client, user_agent, create_time, last_used_time, expire_time) values (?, ?, ?, ?, ?, ?, ?, ?)",
      ...[newUid(provider), person, kind, client, firefox],
      ...[made, made, made + 30 * 24 * 3_600_000],
    );
  }
}

const github = "https://token.actions.githubusercontent.com";

/** Groups with workloads, and with people that they invited. Returns the uid of the pipeline. */
async function addAccess({ uid, owner }: Organization): Promise<string> {
  const create = (path: string, body: unknown) => createResource(path, owner.token, body);
  const shop = (await create(`/iam/v2/groups/${uid}`, { name: "shop" })).uid;
  const data = (await create(`/iam/v2/groups/${uid}`, { name: "data" })).uid;
  await create(`/iam/v2/groups/${shop}`, { name: "frontend" });
  await create(`/iam/v2/groups/${shop}`, { name: "payments" });
  const workload = async (group: string, name: string, claimMatch: object, role: string) => {
    const made = await create(`/iam/v2/identities/${group}`, { name, claimMatch });
    await create(`/iam/v2/roleBindings/${group}`, {
      ...{ identityUid: made.uid, roleUid: await roleUid(role) },
    });
    return made.uid;
  };
  const on = (subject: string) => ({ issuer: github, subject });
  const pipeline = await workload(
    uid,
    "release",
    on("repo:example/shop:ref:refs/heads/main"),
    "registry.push",
  );
  const cluster = {
    issuer: "https://oidc.eks.eu-west-1.amazonaws.com/id/A1",
    subject: "system:serviceaccount:web:default",
  };
  await workload(shop, "web cluster", cluster, "registry.pull");
  await workload(data, "nightly", on("repo:example/data:environment:nightly"), "registry.pull");
  await workload(uid, "scanner", on("repo:example/scan:ref:refs/heads/main"), "viewer");
  const expirationTime = new Date(Date.now() + 12 * day).toISOString();
  const key = { kty: "OKP", crv: "Ed25519", kid: "a", alg: "EdDSA", use: "sig" };
  const x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
  await create(`/iam/v2/identities/${uid}`, {
    name: "warehouse scanner",
    staticKeys: {
      ...{ issuer: "https://warehouse.example.com", subject: "scanner", expirationTime },
      issuerKeys: JSON.stringify({ keys: [{ ...key, x }] }),
    },
  });
  const role = {
    name: "release-manager",
    capabilities: ["CAP_REPO_LIST", "CAP_TAG_LIST", "CAP_TAG_CREATE"],
  };
  await create(`/iam/v2/roles/${uid}`, role);
  for (const [email, name] of [
    ["grace@example.com", "viewer"],
    ["alan@example.com", "editor"],
  ])
    await create(`/iam/v2/groupInvites/${shop}`, {
      ...{ email, ttl: "604800s" },
      roleUid: await roleUid(name ?? ""),
    });
  await create(`/iam/v2/accountAssociations/${uid}`, {
    name: "clouds",
    amazon: { account: "123456789012" },
    github: {
      appInstallations: { 7: { installations: [{ installationId: "9", name: "example" }] } },
    },
  });
  return pipeline;
}

/** An identity provider whose groups give roles. */
async function addLogins({ uid, owner }: Organization): Promise<string> {
  const body = await identityProviderBody(
    { groupsClaim: "groups" },
    { name: "acme.example login" },
  );
  const provider = await createResource(`/iam/v2/identityProviders/${uid}`, owner.token, body);
  for (const [group, role] of [
    ["platform-engineers", "owner"],
    ["developers", "registry.pull"],
    ["security", "viewer"],
  ])
    await createResource(`/iam/v2/externalGroupRoleMappings/${provider.uid}`, owner.token, {
      ...{ externalGroupId: group, scope: uid },
      roleUid: await roleUid(role ?? ""),
    });
  return provider.uid;
}

const packages: [name: string, version: string][] = [
  ["base-files", "12.4"],
  ["ca-certificates", "20230311"],
  ["curl", "7.88.1-10"],
  ["libc6", "2.36-9"],
  ["libssl3", "3.0.11-1"],
  ["openssl", "3.0.11-1"],
  ["perl-base", "5.36.0-7"],
  ["zlib1g", "1.2.13"],
];

const found: [id: string, severity: string, name: string, version: string][] = [
  ["CVE-2023-6246", "Critical", "libc6", "2.36-9"],
  ["CVE-2024-2961", "High", "libc6", "2.36-9"],
  ["CVE-2023-38545", "Critical", "curl", "7.88.1-10"],
  ["CVE-2023-5678", "Medium", "libssl3", "3.0.11-1"],
  ["CVE-2023-6129", "Medium", "openssl", "3.0.11-1"],
  ["CVE-2023-47038", "High", "perl-base", "5.36.0-7"],
  ["CVE-2023-45853", "Low", "zlib1g", "1.2.13"],
];

const matches = found.map(([id, severity, name, version]) =>
  matchOf(id, severity, {
    artifact: debianPackage(name, version),
    related: [nvdRecord(id, `A vulnerability of ${name}.`)],
    fix: { versions: [`${version}+deb12u1`], state: "fixed" },
  }),
);

/** Pushes an image for two platforms, with packages and findings. Returns its digest for `amd64`. */
async function addScannedImage(repo: PushedRepo, tag: string): Promise<string> {
  const settings = {
    ...{ User: "65532", Env: ["PATH=/usr/bin"], Entrypoint: ["/app/shop"] },
    Labels: { "org.opencontainers.image.source": "https://github.com/example/shop" },
  };
  const lines = ["ADD rootfs.tar /", "COPY shop /app/shop"];
  const amd64 = await pushImage(repo, { settings, lines });
  const arm64 = await pushImage(repo, { architecture: "arm64", settings, lines });
  await pushIndex(repo, { amd64, arm64 }, tag);
  const components = packages.map(([name, version]) => ({
    ...{ type: "library", name, version },
    ...{ purl: `pkg:deb/debian/${name}@${version}`, licenses: [{ license: { id: "MIT" } }] },
  }));
  for (const { digest } of [amd64, arm64]) {
    await storeSbom(repo, digest, components);
    await storeReport(repo, digest, matches);
  }
  await attach(repo, amd64, "application/vnd.dev.sigstore.bundle.v0.3+json");
  return amd64.digest;
}

const descriptions: Record<string, string> = {
  nginx: "Web server",
  node: "Runtime of JavaScript",
  python: "Python with pip",
  redis: "Cache of the shop",
  shop: "The web shop",
};

/** Moves of the last week, and one of a release. */
async function addMoves({ uid, owner }: Organization): Promise<void> {
  const now = Date.now();
  const digestOf = (at: number) => sha256Of(`image ${at}`);
  const moves = [3, 20, 27, 45, 70, 76, 81, 120, 122, 145].map((hours, at) => ({
    repo: ["nginx", "node", "redis"][at % 3],
    tag: at === 4 ? "7.2.4" : "latest",
    digest: digestOf(at),
    updateTime: new Date(now - hours * hour).toISOString(),
  }));
  const release = { repo: "node", tag: "7.2.4", digest: digestOf(99) };
  const first = { ...release, updateTime: new Date(now - 30 * day).toISOString() };
  const body = { moves: [first, ...moves].sort((a, b) => (a.updateTime < b.updateTime ? -1 : 1)) };
  await createResource(`/registry/v2/tagMoves/${uid}:import`, owner.token, body);
}

/** Gives each repository its description. */
async function describeRepos({ uid, owner }: Organization): Promise<void> {
  const { body } = await callRest(`/registry/v2/repos?uidp.childrenOf=${uid}`, owner);
  for (const { uid: repo, name } of body.repos as { uid: string; name: string }[]) {
    const changed = { description: descriptions[name] };
    await callRest(`/registry/v2/repos/${repo}`, { ...owner, method: "PATCH", body: changed });
  }
}

/** Pushes a tag that is at the end of its life, and pulls it. */
async function addOldTag(repo: PushedRepo): Promise<void> {
  const old = await pushImage(repo, { tag: "0.9.0", lines: ["ADD old.tar /"] });
  await createResource(`/registry/v2/tags/${repo.uid}`, repo.organization.owner.token, {
    ...{ name: "0.9.0", digest: old.digest, deprecated: true },
  });
  await (await send(repo, "manifests/0.9.0")).arrayBuffer();
}

/** Creates the organization with everything in it. */
export async function newExampleOrganization(): Promise<Example> {
  await sharedProvider();
  const organization = await namedOrganization();
  const { uid } = organization;
  const pipeline = await addAccess(organization);
  const identityProvider = await addLogins(organization);
  const python = await importPython(organization);
  await addMoves(organization);
  const shop = await newPushedRepo(organization, "shop");
  const digest = await addScannedImage(shop, "1.4.0");
  const asPipeline = { ...shop, token: await registryToken(pipeline) };
  for (const _ of [1, 2, 3, 4]) await (await send(asPipeline, "manifests/1.4.0")).arrayBuffer();
  await importOsv(organization, [
    {
      ...{ id: "EX-2026-1", aliases: ["CVE-2023-6246"], modified: "2026-02-01T00:00:00Z" },
      ...{ summary: "A local user can become root", details: "The log of libc6 can overflow." },
      affected: [{ package: { ecosystem: "Debian:12", name: "libc6" } }],
    },
  ]);
  await describeRepos(organization);
  await addOldTag(asPipeline);
  await sql("update organization_storage set byte_limit = ? where uid = ?", 6_000, uid);
  await addSessions(identityProvider, organization.owner.uid);
  return { organization, python, shop, digest, pipeline, identityProvider };
}

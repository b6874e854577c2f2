/** One of each resource that the command line can create. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fieldNamed, resources, supportsVerb } from "../../../cli/resources/catalog.ts";
import { sharedProvider } from "../../iam/identity_providers/openid_provider.ts";
import {
  createResource,
  fakeDigest,
  newOrganization,
  type Organization,
  randomName,
} from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";
import { samplePublicKey } from "../../world/sample_key.ts";
import { newFolder } from "../command.ts";

/** The place for the resources: an organization, and a folder with the files that some of them need. */
export type ResourceWorld = { organization: Organization; folder: string };

const manifest = {
  mediaType: "application/vnd.oci.image.manifest.v1+json",
  config: { size: 1 },
  layers: [],
};
const match = { vulnerability: { id: "CVE-2026-1" }, artifact: { name: "openssl" } };
const grype = {
  matches: [match],
  descriptor: { name: "grype", timestamp: "2026-01-01T00:00:00Z" },
};
const spdxPackage = { SPDXID: "SPDXRef-1", name: "openssl", versionInfo: "3.0.11" };
const spdx = {
  spdxVersion: "SPDX-2.3",
  SPDXID: "SPDXRef-DOCUMENT",
  name: "sample",
  packages: [spdxPackage],
};

/** A new organization, and the files. */
export async function newResourceWorld(): Promise<ResourceWorld> {
  const [organization, folder] = await Promise.all([newOrganization(), newFolder()]);
  const files = { manifest, grype, spdx };
  for (const [name, value] of Object.entries(files)) {
    await writeFile(join(folder, name), JSON.stringify(value));
  }
  return { organization, folder };
}

type Create = [
  name: string,
  args: (world: ResourceWorld) => string[] | Promise<string[]>,
  update?: () => string[],
];

const own: Create[] = [
  ["group", () => ["team", "--description", "Team"], () => ["--description", "Others"]],
  [
    "identity",
    () => ["bot", "--claim-match.issuer", "https://ci.example", "--claim-match.subject", "a"],
    () => ["--description", "Builds"],
  ],
  ["key", () => ["ci", "--identity", "bot", "--networks", "192.0.2.0/24", "--expire-time", "+30d"]],
  [
    "role",
    () => ["puller", "--capabilities", "repo.list,tag.list"],
    () => ["--capabilities", "CAP_REPO_LIST"],
  ],
  [
    "roleBinding",
    () => ["--identity", "bot", "--role", "viewer"],
    () => ["--role", "puller", "--identity", "bot"],
  ],
  [
    "repo",
    () => ["python", "--catalog-tier", "base", "--aliases", "a:1,b:2", "--aliases", "c:3"],
    () => ["--description", "Python"],
  ],
  ["tag", () => ["python:latest", "--digest", fakeDigest("one"), "--force"]],
  [
    "imageHold",
    () => ["prod", "--repo", "python", "--digests", fakeDigest("one")],
    () => ["--digests", `${fakeDigest("one")},${fakeDigest("two")}`],
  ],
  [
    "tagRule",
    () => ["releases", "--include-tags", "v*,1.*", "--keep.write-once"],
    () => ["--exclude-tags", "v0"],
  ],
  [
    "trustPolicy",
    () => ["release-key", "--public-keys", samplePublicKey],
    () => ["--description", "Releases"],
  ],
  [
    "expiryPlan",
    async ({ organization: { uid, owner } }) => {
      const rule = { name: "old", expire: { unmovedDays: 30 } };
      await createResource(`/registry/v2/tagRules/${uid}`, owner.token, rule);
      return ["--repo", "python", "--description", "Old builds"];
    },
  ],
  [
    "accountAssociation",
    () => ["clouds", "--amazon.account", "123456789012"],
    () => ["--description", "Clouds"],
  ],
  ["groupInvite", () => ["--role", "viewer", "--ttl", "2h"], () => ["--role", "editor"]],
  ["subscription", () => ["--sink", `https://${randomName("hooks")}.example`]],
  [
    "identityProvider",
    async () => [
      ...["sso", "--default-role", "viewer", "--oidc.issuer", (await sharedProvider()).url],
      ...["--oidc.client-id", "client", "--oidc.client-secret", "sec-ret"],
    ],
    () => ["--default-role", "editor"],
  ],
  [
    "externalGroupRoleMapping",
    ({ organization }) => [
      ...["--identity-provider", "sso", "--external-group-id", "devs"],
      ...["--role", "viewer", "--scope", organization.name],
    ],
    () => ["--role", "editor"],
  ],
  [
    "manifest",
    ({ folder }) => [
      ...["--repo", "python", "--media-type", manifest.mediaType],
      ...["--content", `@${folder}/manifest`],
    ],
  ],
  [
    "sbom",
    ({ folder }) => [
      "--repo",
      "python",
      "--digest",
      fakeDigest("one"),
      "--content",
      `@${folder}/spdx`,
    ],
  ],
  [
    "vulnReport",
    ({ folder }) => [
      "--repo",
      "python",
      "--digest",
      fakeDigest("one"),
      "--content",
      `@${folder}/grype`,
    ],
  ],
];

/** Stores a delivery of the newest event, as if it had been sent. Returns the uids of both. */
export async function insertDelivery(subscription: string) {
  const [event] = await sql<{ seq: number; uid: string }>(
    "select seq, uid from events where subject = ? order by seq desc limit 1",
    subscription,
  );
  if (!event) throw new Error(`there is no event about ${subscription}`);
  const delivery = `${subscription}${event.uid.slice(-17)}`;
  const attempt = { time: 1, latency: 12, status: 200, error: "", response: '{"ok":true}' };
  await sql(
    `insert into deliveries (uid, create_time, event_seq, pool, partition, state, attempts, end_time)
     values (?, 1, ?, '', '', 'delivered', ?, 2)`,
    ...[delivery, event.seq, JSON.stringify([attempt])],
  );
  return { event: event.uid, delivery };
}

/** Further resources of groups, which are created from a name and a description. */
const standard = resources().filter(
  (one) =>
    supportsVerb(one, "create") &&
    one.parent === "group" &&
    fieldNamed(one.message, "description") &&
    !own.some(([name]) => name === one.name),
);

/** The names of the created resources, by kind. */
export const standardNames = Object.fromEntries(standard.map(({ name }) => [name, "one"]));

/** The fields of each resource to create, in a possible order of creation, and the fields to change. */
export const createCases: Create[] = [
  ...own,
  ...standard.map(
    ({ name }): Create => [
      name,
      () => ["one", "--description", "Before"],
      () => ["--description", "After"],
    ],
  ),
];

/** Names and flags for the examples in the help. */
import type { CatalogResource } from "../../resources/catalog.ts";

const names: Record<string, string> = {
  accountAssociation: "aws-main",
  advisory: "PYSEC-2024-28",
  artifact: "django",
  document: "django",
  group: "acme.example/team-a",
  identity: "ci-bot",
  identityProvider: "sso",
  imageHold: "apps/prod.lock",
  repo: "python",
  repoReadme: "python",
  role: "viewer",
  tag: "python:latest",
  tagRule: "releases",
  trustPolicy: "release-key",
  vulnerabilityMetadata: "CVE-2026-1001",
};

/** Returns a typical name, or UID for a resource without names. */
export const sampleName = ({ name }: Pick<CatalogResource, "name">) => names[name] ?? "UID";

/** Texts about the rows of a list, by resource. */
export const listNotes: Record<string, string> = {
  recordedTagMove:
    "A change that leaves the digest as it was, such as a deprecation, is not a move.\n" +
    "WARNING names moves that can be a mistake or an attack: a tag of a release that\n" +
    "moved, a tag that went back to an older digest, and many tags at once. OVERRIDES\n" +
    "names the tag rule that refused a move, and why someone made it.",
};

/** Flags for a useful list, by resource. */
export const listSamples: Record<string, string> = {
  advisory: "--artifact-names django",
  artifact: "--ecosystems python --query django",
  artifactVersion: "--artifact django",
  delivery: "--subscription $SUBSCRIPTION --state failed",
  document: "--cves CVE-2026-1001",
  event: "--group acme.example --type 'api.iam.*' --since 7d",
  externalGroupRoleMapping: "--identity-provider sso",
  identity: "--unused-for 90d",
  imageHold: "--repo python",
  key: "--identity ci-bot",
  manifest: "--repo python",
  recordedTagMove: "--since 7d --by ada@example.com --repo-pattern 'team/*' --tag '1.*'",
  resolvedVulnsReport:
    '--image-refs \'{"repo": "python", "tags": ["latest"]}\' --start-time 30d --end-time 1d',
  roleBinding: "--identity ci-bot",
  tag: "--repo python --updated-since 7d",
  vulnerabilityMetadata: "--ids CVE-2026-1001",
};

/** Arguments and flags for a complete create, by resource. */
export const createSamples: Record<string, string> = {
  accountAssociation: "aws-main --group acme.example --amazon.account 123456789012",
  expiryPlan: "--repo python --description 'Old builds'",
  externalGroupRoleMapping:
    "--identity-provider sso --external-group-id engineers --role viewer --scope acme.example",
  group: "team-a --parent acme.example --description 'Team A'",
  groupInvite: "--group acme.example --role viewer --ttl 7d --email ada@example.com",
  identity:
    "ci-bot --group acme.example --claim-match.issuer https://ci.example.com --claim-match.subject repo:example/app --role registry.pull",
  identityProvider:
    "sso --group acme.example --default-role viewer --oidc.issuer https://id.example.com --oidc.client-id platform --oidc.pkce-enabled",
  imageHold: "apps/prod.lock --repo python --digests sha256:…",
  key: "old-build-server --identity ci-bot --scopes python --networks 192.0.2.0/24 --expire-time +30d",
  manifest:
    "--repo python --media-type application/vnd.oci.image.manifest.v1+json --content @manifest.json",
  repo: "python --group acme.example --description 'Python, as we build it'",
  role: "deployer --group acme.example --capabilities repo.list,tag.list,tag.create",
  roleBinding: "--group acme.example --identity ci-bot --role viewer",
  sbom: "--repo python --digest sha256:… --content @python.spdx.json",
  subscription: "--group acme.example --sink https://hooks.example.com/platform",
  tag: "python:1.0 --digest sha256:…",
  tagRule: "releases --group acme.example --include-tags 'v*' --keep.write-once",
  trustPolicy: 'release-key --group acme.example --public-keys "$(cat cosign.pub)"',
  vulnReport: "--repo python --digest sha256:… --content @grype.json",
};

export const updateSamples: Record<string, string> = {
  accountAssociation: "aws-main --description 'Production'",
  externalGroupRoleMapping: "UID --role editor",
  group: "acme.example/team-a --description 'Team A'",
  groupInvite: "UID --role editor",
  identity: "ci-bot --claim-match.subject repo:example/app2",
  identityProvider: "sso --default-role editor",
  imageHold: "apps/prod.lock --repo python --digests sha256:…",
  repo: "python --description 'Python, as we build it'",
  repoReadme: "python --content @README.md",
  role: "deployer --capabilities repo.list,tag.list",
  roleBinding: "UID --role editor",
  tagRule: "releases --include-tags 'v*,1.*'",
  trustPolicy: 'release-key --public-keys "$(cat cosign.pub)"',
};

/** How to add one more of each kind that has a quota, and how to delete it again. */
import { sbomContent } from "../../contract/requests.ts";
import { grypeReport, matchOf, packedReport } from "../../registry/vuln_reports/grype_reports.ts";
import { fakeDigest, type Organization, randomName, roleUid } from "../../world/personas.ts";
import { type Answer, callRest } from "../../world/platform.ts";
import { identityProviderBody } from "../identity_providers/openid_provider.ts";

/** An organization with a repository and an identity provider, and the token of its owner. */
export interface Place {
  organization: Organization;
  repo: string;
  provider: string;
}

/** A call of the API that adds one. */
export interface Growth {
  path: string;
  body: object;
}

export interface Kind {
  /** The kind as the API names it, without `QUOTA_KIND_`. */
  kind: string;
  grow(place: Place): Promise<Growth> | Growth;
  /** The path of the resource for its deletion. By default that of its uid. */
  deletion?(place: Place, answer: Answer["body"]): { path: string; body?: object };
  /** Only the deletion of their repository deletes them. */
  goesWithRepo?: boolean;
}

const osv = (id: string, versions: string[]) => ({
  id,
  modified: "2026-01-01T00:00:00Z",
  summary: "s",
  affected: [{ package: { ecosystem: "PyPI", name: randomName("lib") }, versions }],
});

const imported = (kind: string, versions: string[]): Kind => ({
  kind,
  grow: ({ organization: { uid } }) => ({
    path: `/vulnerabilities/v2/osvRecords/${uid}:import`,
    body: { records: [osv(randomName("OSV"), versions)] },
  }),
  deletion: ({ organization: { uid } }) => ({
    path: `/vulnerabilities/v2/advisories/${uid}:purge`,
    body: { force: true },
  }),
});

const below =
  (path: string, body: () => object | Promise<object>) =>
  async ({ organization: { uid } }: Place): Promise<Growth> => ({
    path: `${path}/${uid}`,
    body: await body(),
  });

const inRepo =
  (resources: string, body: () => object) =>
  ({ repo }: Place): Growth => ({ path: `/registry/v2/${resources}/${repo}`, body: body() });

const named = (prefix: string) => () => ({ name: randomName(prefix) });

const manifest = () => {
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  const annotations = { one: randomName("n") };
  return {
    mediaType,
    content: btoa(JSON.stringify({ mediaType, annotations, config: { size: 1 }, layers: [] })),
  };
};

/** An SBOM with one package. */
const sboms = (kind: string): Kind => ({
  kind,
  goesWithRepo: true,
  grow: inRepo("sboms", () => ({
    digest: fakeDigest(randomName("d")),
    content: sbomContent("one"),
  })),
});

/** A report with one finding. */
const reports = (kind: string): Kind => ({
  kind,
  goesWithRepo: true,
  grow: inRepo("vulnReports", () => ({
    digest: fakeDigest(randomName("d")),
    content: packedReport(grypeReport([matchOf("CVE-2026-1", "High")])),
  })),
});

/** The kinds that the API can add to. */
export const kinds: Kind[] = [
  { kind: "REPOS", grow: below("/registry/v2/repos", named("repo")) },
  {
    kind: "TAGS",
    grow: inRepo("tags", () => ({ name: randomName("t"), digest: fakeDigest("one") })),
  },
  {
    kind: "TAG_RULES",
    // About no tag of the other kinds.
    grow: below("/registry/v2/tagRules", () => ({
      name: randomName("rule"),
      includeTags: ["ruled"],
      keep: { writeOnce: true },
    })),
  },
  { kind: "MANIFESTS", grow: inRepo("manifests", manifest) },
  sboms("SBOMS"),
  sboms("PACKAGES"),
  reports("VULN_REPORTS"),
  reports("FINDINGS"),
  { kind: "GROUPS", grow: below("/iam/v2/groups", named("group")) },
  { kind: "IDENTITIES", grow: below("/iam/v2/identities", named("bot")) },
  {
    kind: "ROLES",
    grow: below("/iam/v2/roles", () => ({
      name: randomName("role"),
      capabilities: ["CAP_REPO_LIST"],
    })),
  },
  {
    kind: "ROLE_BINDINGS",
    async grow({ organization: { uid, owner } }) {
      const { token } = owner;
      const bot = await callRest(`/iam/v2/identities/${uid}`, { token, body: named("bot")() });
      const body = { identityUid: bot.body.uid, roleUid: await roleUid("viewer") };
      return { path: `/iam/v2/roleBindings/${uid}`, body };
    },
  },
  {
    kind: "IDENTITY_PROVIDERS",
    grow: below("/iam/v2/identityProviders", () => identityProviderBody()),
  },
  {
    kind: "EXTERNAL_GROUP_ROLE_MAPPINGS",
    grow: async ({ organization, provider }) => ({
      path: `/iam/v2/externalGroupRoleMappings/${provider}`,
      body: {
        externalGroupId: randomName("group"),
        roleUid: await roleUid("viewer"),
        scope: organization.uid,
      },
    }),
  },
  {
    kind: "GROUP_INVITES",
    grow: below("/iam/v2/groupInvites", async () => ({
      roleUid: await roleUid("viewer"),
      ttl: "3600s",
    })),
  },
  {
    kind: "SUBSCRIPTIONS",
    grow: below("/events/v2/subscriptions", () => ({
      sink: `https://${randomName("hooks")}.example`,
    })),
  },
  imported("ADVISORIES", ["1.0"]),
  imported("VULNERABILITY_METADATA", ["1.0"]),
  imported("ARTIFACT_VERSIONS", ["1.0"]),
];

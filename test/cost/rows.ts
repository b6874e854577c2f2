/** The rows for the counts: three equal organizations, one of which the calls are about. */
import { gzipSync } from "node:zlib";
import { Capability } from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { OWNER_ROLE } from "../../schema/tables/iam/roles.ts";
import { tagLineOf } from "../../src/packages/tag_lines.ts";
import { below, hex } from "../world/uids.ts";

/** The rows of every resource in each organization. */
export const rowsPerResource = 150;

export type Row = Record<string, string | number | object | null>;

export const digestOf = (text: string) => `sha256:${hex(text, 64)}`;

export const startTime = Date.UTC(2026, 0, 1);
const hour = 3_600_000;

/** The places of an organization's rows: its root, a group in it, and a group below that. */
export interface CostOrganization {
  root: string;
  team: string;
  inner: string;
  /** Further groups below the root, which are siblings. */
  third: string;
  fourth: string;
}

/** The organization whose uid begins with a hexadecimal digit eight times. */
export function organizationOf(digit: string): CostOrganization {
  const root = digit.repeat(8) + hex(digit, 32);
  const team = below(root, "team");
  return {
    root,
    team,
    inner: below(team, "inner"),
    third: below(root, "third"),
    fourth: below(root, "fourth"),
  };
}

export const rowTimes = (at: number) => ({
  create_time: startTime + at * hour,
  update_time: startTime + at * hour,
});
const numbers = Array.from({ length: rowsPerResource }, (_, at) => at);

/**
 * `rowsPerResource` rows of a table below groups: a third at the root, the others in the team and below it.
 */
function spread(
  { root, team, inner }: CostOrganization,
  kind: string,
  rest: (at: number, uid: string) => Row,
): Row[] {
  return numbers.map((at) => {
    const uid = below([root, team, inner][at % 3] ?? root, `${kind}-${at}`);
    return { uid, ...rowTimes(at), ...rest(at, uid) };
  });
}

const numbered = (kind: string) => (at: number) => ({ name: `${kind}-${at}` });

function groupRows(of: CostOrganization, name: string): Row[] {
  const named = [of.root, of.team, of.inner, of.third, of.fourth].map((uid, at) => ({
    uid,
    name: at === 0 ? name : `named-${at}`,
    verified: at === 0 ? 1 : 0,
    ...rowTimes(0),
  }));
  const others = spread(of, "group", numbered("group")).map((row) => ({ ...row, verified: 0 }));
  return [...named, ...others];
}

function iamRows(of: CostOrganization): Record<string, Row[]> {
  const identities = spread(of, "identity", (at) => {
    const match = { issuer: "https://issuer.example", subject: `subject-${at}` };
    const relationship = { case: "claimMatch", value: match };
    return {
      name: `identity-${at}`,
      last_seen_time: startTime,
      relationship_type: 1,
      relationship,
      key_expire_time: at < 10 ? null : Date.UTC(2100, 0, 1, at),
      ...match,
    };
  });
  const roles = spread(of, "role", (at) => ({
    name: `role-${at}`,
    capabilities: [Capability.CAP_REPO_LIST],
  }));
  const providers = spread(of, "provider", (at) => ({
    name: `provider-${at}`,
    default_role: OWNER_ROLE,
    issuer: `https://issuer-${at}.example`,
    client_id: "client",
  }));
  const [, provider] = providers;
  return {
    identities,
    roles,
    keys: numbers.map((at) => ({
      uid: below(below(of.team, "identity-1"), `key-${at}`),
      ...rowTimes(at),
      name: `key-${at}`,
      digest: hex(`key ${of.team} ${at}`, 64),
      scopes: "[]",
      actions: "[]",
      networks: "[]",
      expire_time: Date.UTC(2100, 0, 1, at),
      creator_uid: "",
    })),
    role_bindings: spread(of, "binding", (at) => ({
      identity_uid: identities[at]?.uid ?? "",
      role_uid: roles[at % 4]?.uid ?? "",
    })),
    group_invites: spread(of, "invite", (_, uid) => ({
      role_uid: OWNER_ROLE,
      expiration_time: Date.UTC(2100, 0, 1),
      key_id: hex(`key ${uid}`, 32),
      code_digest: hex(uid, 64),
      inviter_uid: "",
    })),
    identity_providers: providers,
    // The group that is deleted has none.
    account_associations: groupUids(of)
      .filter((_, at) => at !== 4)
      .map((uid, at) => ({
        uid,
        ...rowTimes(at),
        name: `association-${at}`,
        accounts: { amazon: { account: "123456789012" } },
      })),
    external_group_role_mappings: numbers.map((at) => ({
      uid: below(String(provider?.uid), `mapping-${at}`),
      ...rowTimes(at),
      external_group_id: `external-${at}`,
      role_uid: OWNER_ROLE,
      scope: of.team,
    })),
    terms_acceptances: [of.root, ...groupUids(of)].map((group, at) => ({
      uid: below(group, "terms"),
      ...rowTimes(at),
      doc_id: "guardener-tos.v1",
      accepted_by: identities[0]?.uid ?? "",
    })),
    subscriptions: spread(of, "subscription", (at) => ({ sink: `https://sink-${at}.example/` })),
  };
}

/** The uids of the groups in {@link groupRows}, except the named ones. */
const groupUids = (of: CostOrganization) =>
  spread(of, "group", numbered("group")).map(({ uid }) => String(uid));

/** The repository that contains everything that belongs to a repository. */
export const imageRepoUid = ({ team }: CostOrganization) => below(team, "repo-1");

/** A repository with {@link rulesOfRepo} rules about its tags. No other one of the calls has rules. */
export const ruledRepoUid = ({ inner }: CostOrganization) => below(inner, "repo-2");

const rulesOfRepo = 10;

/** Each condition that reads what is known of images, and rules without one. They are about tags that no call moves. */
const conditions = [
  { forward: "FORWARD_ORDER_VERSION" },
  { forward: "FORWARD_ORDER_IMAGE_TIME" },
  { promotion: { from: "staging-*", hours: 1 } },
  {
    requirement: {
      sbom: true,
      noFindings: { minSeverity: "FINDING_SEVERITY_HIGH" },
      label: { name: "team", value: "a" },
      signature: { issuer: "https://issuer.example", subject: "*" },
    },
  },
];

/** The others are below a group without repositories. */
const tagRuleRows = (of: CostOrganization) =>
  numbers.map((at) => ({
    uid: below(at < rulesOfRepo ? ruledRepoUid(of) : of.third, `rule-${at}`),
    ...rowTimes(at),
    name: `rule-${at}`,
    include_tags: [`kept-${at}-*`],
    keep: (at < rulesOfRepo && conditions[at]) || { writeOnce: true },
  }));

const manifest = { media_type: "application/vnd.oci.image.manifest.v1+json", entries: [] };
const index = {
  media_type: "application/vnd.oci.image.index.v1+json",
  entries: [{ digest: digestOf("tag 7"), architecture: "amd64" }],
};

/** The identity of a program with tokens of another issuer. */
export const robotOf = ({ root }: CostOrganization) => below(root, "robot");

function registryRows(of: CostOrganization): Record<string, Row[]> {
  const image = imageRepoUid(of);
  const inImage = (kind: string, rest: (at: number) => Row) =>
    numbers.map((at) => ({ uid: below(image, `${kind}-${at}`), ...rowTimes(at), ...rest(at) }));
  const packed = (text: string) => gzipSync(text).toString("base64");
  return {
    repos: spread(of, "repo", (at) => ({ name: `repo-${at}` })),
    tag_rules: tagRuleRows(of),
    trust_policies: numbers.slice(0, 30).map((at) => ({
      uid: below(of.third, `trust-${at}`),
      ...{ ...rowTimes(at), name: `trust-${at}`, public_keys: [], trust_time: 1 },
    })),
    image_holds: inImage("hold", (at) => ({
      name: `hold-${at}`,
      digests: [digestOf(`tag ${at}`)],
    })),
    tags: inImage("tag", (at) => {
      const name = at % 3 === 0 ? `${at}.0-r${at}` : `${at}.0`;
      const { line, lineKey } = tagLineOf(name);
      return {
        ...{ name, digest: digestOf(`tag ${at}`) },
        ...{ deprecated: at % 2, deprecated_time: startTime + at * hour },
        ...{ line, line_key: lineKey },
      };
    }),
    tag_moves: numbers.map((at) => ({
      repo_uid: image,
      tag: "latest",
      update_time: startTime + at * hour,
      digest: digestOf(`move ${at}`),
    })),
    manifests: inImage("manifest", (at) => ({
      digest: digestOf(`tag ${at}`),
      ...(at === 8 ? index : manifest),
      size: 1000,
      architecture: "amd64",
    })),
    vuln_reports: inImage("report", (at) => ({
      digest: digestOf(`tag ${at}`),
      scan_time: startTime + at * hour,
      scanner: 1,
      scanner_version: "1.0",
      image_size: 1000,
      id_count: 1,
      finding_bytes: 2,
      counts: { 1: 1 },
      ids: { 1: ["CVE-2026-1"] },
      findings: packed("[]"),
    })),
    examined_images: inImage("scanned", (at) => ({
      digest: digestOf(`tag ${at}`),
      report_uid: below(image, `report-${at}`),
      scan_time: startTime + at * hour,
      findings_version: 1,
      finding_count: 1,
    })),
    findings: numbers.map((at) => ({
      uid: below(image, `finding-${at}`),
      image_uid: below(image, `scanned-${at}`),
      vulnerability_id: "CVE-2026-1",
      aliases: [`GHSA-${at}`],
      severity: 2 + (at % 5),
      fix_state: 1,
      fix_versions: ["1.1"],
      has_fix: at % 2,
      package_name: "openssl",
      package_version: "1.0",
      purl: "pkg:deb/debian/openssl@1.0",
      package_key: "pkg:deb/debian/openssl",
      product_name: "openssl",
    })),
    sboms: inImage("sbom", (at) => ({
      digest: digestOf(`tag ${at}`),
      format: 1,
      spec_version: "2.3",
      name: `image-${at}`,
      package_count: 1,
      size: 2,
      content_digest: digestOf(`sbom ${at}`),
      packages_length: 2,
      packages: packed("{}"),
      content: packed("{}"),
    })),
    indexed_sboms: inImage("sbom", () => ({})).map(({ uid }) => ({
      uid,
      packages_version: 1,
      package_count: 1,
    })),
    sbom_packages: numbers.map((at) => ({
      uid: below(image, `package-${at}`),
      sbom_uid: below(image, `sbom-${at}`),
      name: "openssl",
      namespace: "debian",
      version: `1.${at}`,
      type: "deb",
      purl: `pkg:deb/debian/openssl@1.${at}`,
      package_key: "pkg:deb/debian/openssl",
      version_order: "deb",
      sort_key: `aa${String(at).padStart(4, "0")}`,
      license: "",
    })),
    vuln_report_contents: inImage("report", () => ({})).map(({ uid }) => ({
      uid,
      content: packed("{}"),
    })),
  };
}

function vulnerabilityRows(of: CostOrganization): Record<string, Row[]> {
  const advisories = spread(of, "advisory", (at) => ({
    advisory_id: `ADV-${at}`,
    author: "author",
    artifact_name: `package-${at}`,
    artifact_type: "apk",
    artifact_architecture: "",
    component_name: `component-${at}`,
    component_location: "",
    component_type: "",
    origin: `origin-${at}`,
    aliases: [`CVE-2026-${at}`],
    severities: [],
    source: at % 2 === 0 ? "osv" : "vex",
  }));
  const artifacts = spread(of, "artifact", (at, uid) => ({
    artifact_uid: hex(uid, 40),
    name: `library-${at}`,
    ecosystem: 1 + (at % 2),
    remediated: at % 2,
  }));
  return {
    advisories,
    advisory_events: advisories.map(({ uid }, at) => ({
      uid: below(String(uid), "event"),
      advisory_uid: uid ?? "",
      ...rowTimes(at),
      author: "author",
      review_state: 2,
      type: 1,
      detail: {},
    })),
    advisory_documents: spread(of, "document", (at) => ({ origin: `origin-${at}` })),
    artifacts,
    artifact_versions: [
      {
        uid: below(String(artifacts[0]?.uid), "versions"),
        versions: numbers.map((at) => [...Object.values(rowTimes(at)), [`${at}.0`]]),
      },
    ],
    vulnerability_metadata: spread(of, "metadata", (at) => ({
      vulnerability_id: `CVE-2026-${at}`,
    })),
  };
}

/** All rows of an organization by table, in a possible order for writing. */
export const rowsOf = (of: CostOrganization, name: string): Record<string, Row[]> => ({
  groups: groupRows(of, name),
  ...iamRows(of),
  ...registryRows(of),
  ...vulnerabilityRows(of),
});

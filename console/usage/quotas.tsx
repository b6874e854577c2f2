/** The quotas of an organization: what it uses, the fullest first. */
import { useQuery } from "@tanstack/preact-query";
import type { Quota, QuotaKind } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import { rootOf } from "../data/uids.ts";
import { formatBytes, formatCount } from "../elements/bytes.ts";
import { Section } from "../elements/page.tsx";
import { Answer } from "../elements/states.tsx";
import { Meter } from "./meter.tsx";

/** The kinds in words. The storage of the registry and the rate limits are not among them. */
const names: Partial<Record<QuotaKind, string>> = {
  QUOTA_KIND_REPOS: "Repositories",
  QUOTA_KIND_TAGS: "Tags",
  QUOTA_KIND_MANIFESTS: "Manifests",
  QUOTA_KIND_OPEN_UPLOADS: "Open uploads",
  QUOTA_KIND_DOCUMENT_BYTES: "Bytes of SBOMs, reports and advisories",
  QUOTA_KIND_SBOMS: "SBOMs",
  QUOTA_KIND_VULN_REPORTS: "Vulnerability reports",
  QUOTA_KIND_GROUPS: "Groups below the organization",
  QUOTA_KIND_IDENTITIES: "Identities",
  QUOTA_KIND_ROLES: "Roles",
  QUOTA_KIND_ROLE_BINDINGS: "Role bindings",
  QUOTA_KIND_IDENTITY_PROVIDERS: "Identity providers",
  QUOTA_KIND_EXTERNAL_GROUP_ROLE_MAPPINGS: "Role mappings",
  QUOTA_KIND_SCIM_USERS: "SCIM users",
  QUOTA_KIND_SCIM_GROUPS: "SCIM groups",
  QUOTA_KIND_GROUP_INVITES: "Invites",
  QUOTA_KIND_TAG_RULES: "Tag rules",
  QUOTA_KIND_SUBSCRIPTIONS: "Subscriptions",
  QUOTA_KIND_ADVISORIES: "Advisories",
  QUOTA_KIND_VULNERABILITY_METADATA: "Vulnerabilities with imported data",
  QUOTA_KIND_ARTIFACT_VERSIONS: "Versions of libraries",
  QUOTA_KIND_PACKAGES: "Packages in SBOMs",
  QUOTA_KIND_FINDINGS: "Findings in the newest reports",
};

export function Quotas({ group }: { group: string }) {
  const client = useClient();
  const organization = rootOf(group);
  const query = useQuery({
    queryKey: ["quotas", organization],
    queryFn: () => client.quotas.list({ parent: organization }),
    enabled: organization !== "",
  });
  return (
    <Section title="Quotas of the organization">
      <Answer query={query} lines={4}>
        {({ quotas = [] }) => <QuotaList quotas={quotas} />}
      </Answer>
    </Section>
  );
}

const nameOf = ({ kind }: Quota) => (kind === undefined ? undefined : names[kind]);

const shareOf = ({ used, limit }: Quota) =>
  limit === undefined ? 0 : Number(used) / Math.max(1, Number(limit));

function QuotaList({ quotas }: { quotas: readonly Quota[] }) {
  const named = quotas.filter((quota) => nameOf(quota) !== undefined);
  const used = named.filter((quota) => Number(quota.used) > 0);
  const unused = named.filter((quota) => !used.includes(quota));
  return (
    <>
      <dl class="usage-limits">
        {used
          .toSorted((a, b) => shareOf(b) - shareOf(a))
          .map((quota) => (
            <div key={quota.kind}>
              <dt>{nameOf(quota)}</dt>
              <dd>
                <QuotaMeter quota={quota} />
              </dd>
            </div>
          ))}
      </dl>
      {unused.length > 0 && (
        <details>
          <summary>{formatCount(unused.length)} more, of which nothing is used</summary>
          <ul>
            {unused.map((quota) => (
              <li key={quota.kind}>
                {nameOf(quota)}: {limitText(quota)}
              </li>
            ))}
          </ul>
        </details>
      )}
      <p class="hint">
        A call that would exceed a quota fails and writes nothing. Deletions always work. The
        operator <a href="/docs/clean-up-and-cost">changes quotas</a>.
      </p>
    </>
  );
}

function numberText({ kind }: Quota, number: string) {
  return kind === "QUOTA_KIND_DOCUMENT_BYTES" ? formatBytes(number) : formatCount(Number(number));
}

const limitText = (quota: Quota) =>
  quota.limit === undefined ? "no limit" : `at most ${numberText(quota, quota.limit)}`;

function QuotaMeter({ quota }: { quota: Quota }) {
  const { limit, used } = quota;
  const text = numberText(quota, used);
  if (limit === undefined) return <span>{text}, without a limit</span>;
  return (
    <Meter
      label={nameOf(quota) ?? ""}
      value={Number(used)}
      limit={Number(limit)}
      text={`${text} of ${numberText(quota, limit)}`}
    />
  );
}

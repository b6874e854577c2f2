/** The three questions of a morning: what is newly affected, what a newer image fixes, and what is not signed. */
import { useQuery } from "@tanstack/preact-query";
import { Link } from "wouter-preact";
import type { Client, Finding, Tag } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import { commandOf } from "../data/shell.ts";
import { Severity } from "../elements/badge.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { Card, CardRow, CardRows } from "./card.tsx";
import { moreWords } from "./moves_cards.tsx";

/** A card shows so many rows. */
const maxRows = 5;

const hour = 3_600_000;

/** The time some days ago, which stays the same for an hour, like the key of its request. */
const daysAgo = (days: number) =>
  new Date((Math.floor(Date.now() / hour) - days * 24) * hour).toISOString();

const open = { minSeverity: "FINDING_SEVERITY_HIGH", excludeResolved: true } as const;

/** The findings that are high or critical, and open. */
const listOpen = (client: Client, group: string, filters: object) =>
  client.findings.list({ descendantsOf: group, ...open, ...filters, pageSize: 100 }).page();

function affectedCommand(group: string, options: Record<string, string>, flags: string) {
  const command = commandOf("platformctl affected --severity", "high", { ...options, group });
  return command && `${command} ${flags}`;
}

export function NewlyAffectedCard({ group }: { group: string }) {
  const client = useClient();
  const foundSince = daysAgo(1);
  const query = useQuery({
    queryKey: ["home", "affected", group, foundSince],
    queryFn: () => listOpen(client, group, { foundSince, taggedOnly: true }),
    enabled: group !== "",
  });
  return (
    <Card
      title="Newly affected"
      more={["Vulnerabilities", addresses.vulnerabilities(group)]}
      query={query}
      capability="vuln_report.list"
      command={affectedCommand(group, { "found-since": "1d" }, "--open --tagged")}
      empty={({ rows, nextPageToken }) =>
        rows.length === 0 &&
        nextPageToken === undefined && (
          <>
            Since yesterday, no tag got a high or critical vulnerability. Images without an SBOM are
            not searched: <a href="/docs/affected-images">store one</a>.
          </>
        )
      }
      wide
    >
      {({ rows, nextPageToken }) => (
        <Findings findings={rows} group={group} isOpen={nextPageToken !== undefined} />
      )}
    </Card>
  );
}

/** The findings in images that someone pulled in the last week, and that no tag leads to any more. */
export function FixedByNewerCard({ group }: { group: string }) {
  const client = useClient();
  const pulledSince = daysAgo(7);
  const query = useQuery({
    queryKey: ["home", "pulled", group, pulledSince],
    queryFn: async () => {
      const { rows, nextPageToken } = await listOpen(client, group, { pulledSince });
      const left = rows.filter(({ tags = [] }) => tags.length === 0);
      if (left.length === 0) return { rows: left, nextPageToken };
      const tagged = await listOpen(client, group, { taggedOnly: true });
      const current = new Set(tagged.rows.map(keyOf));
      // A newer image with the same vulnerability fixes nothing.
      return { rows: left.filter((row) => !current.has(keyOf(row))), nextPageToken };
    },
    enabled: group !== "",
  });
  return (
    <Card
      title="Fixed by a newer image"
      more={["Pulled images", addresses.vulnerabilities(group, undefined, { images: "7d" })]}
      query={query}
      capability="vuln_report.list"
      command={affectedCommand(group, { "pulled-since": "7d" }, "--open")}
      empty={({ rows, nextPageToken }) =>
        rows.length === 0 &&
        nextPageToken === undefined &&
        "In the last week, no one pulled an old image with a high or critical vulnerability that newer images do not have."
      }
    >
      {({ rows, nextPageToken }) => (
        <>
          <Findings findings={rows} group={group} isOpen={nextPageToken !== undefined} />
          <p class="home-more">Pull the tags again: no tag has these any more.</p>
        </>
      )}
    </Card>
  );
}

const keyOf = ({ repoUid, vulnerabilityId }: Finding) => `${repoUid} ${vulnerabilityId}`;

/** One row for each vulnerability and repository. */
function Findings({
  findings,
  group,
  isOpen,
}: {
  findings: readonly Finding[];
  group: string;
  isOpen: boolean;
}) {
  const rows = [...new Map(findings.map((row) => [keyOf(row), row])).values()];
  return (
    <CardRows more={moreWords(rows.length - maxRows, isOpen)}>
      {rows.slice(0, maxRows).map((row) => {
        const { vulnerabilityId = "", repoUid = "", repoName, digest = "", severity = "" } = row;
        return (
          <CardRow
            key={keyOf(row)}
            subject={
              <>
                <Link href={addresses.vulnerability(vulnerabilityId, group)}>
                  <bdi>{vulnerabilityId}</bdi>
                </Link>{" "}
                in{" "}
                <Link href={addresses.image(repoUid, digest, { view: "vulnerabilities" })}>
                  <bdi>{repoName}</bdi>
                </Link>
              </>
            }
            note={<Severity severity={severity} />}
            end={row.foundTime && <Time time={row.foundTime} />}
          />
        );
      })}
    </CardRows>
  );
}

/** The tags without a signature that counts, with the names of their repositories. Without one, whether there is a policy. */
async function findUnsigned(client: Client, group: string) {
  const within = { descendantsOf: group };
  const { rows, nextPageToken } = await client.tags
    .list({ ...within, unsigned: true, pageSize: 50 })
    .page();
  const shown = rows.slice(0, maxRows);
  const repoOf = ({ uid = "" }: Tag) => uid.slice(0, uid.lastIndexOf("/"));
  const uids = [...new Set(shown.map(repoOf))];
  const [repos, policies] = await Promise.all([
    uids.length === 0 ? [] : client.repos.list({ ids: uids }).all(maxRows),
    rows.length > 0 ? [] : client.trustPolicies.list({ ...within, pageSize: 1 }).all(1),
  ]);
  const names = new Map(repos.map(({ uid, name }) => [uid, name]));
  return {
    tags: shown.map((tag) => ({ ...tag, repoName: names.get(repoOf(tag)) ?? "" })),
    count: rows.length,
    isOpen: nextPageToken !== undefined,
    hasPolicy: policies.length > 0,
  };
}

export function UnsignedCard({ group }: { group: string }) {
  const client = useClient();
  const query = useQuery({
    queryKey: ["home", "unsigned", group],
    queryFn: () => findUnsigned(client, group),
    enabled: group !== "",
  });
  return (
    <Card
      title="Unsigned tags"
      more={["Repositories", addresses.repositories(group)]}
      query={query}
      capability="tag.list"
      command={commandOf("platformctl list tags --unsigned --group", group, {})}
      empty={({ count, isOpen, hasPolicy }) =>
        count === 0 &&
        !isOpen &&
        (hasPolicy ? (
          "Each tag below a trust policy has a signature that counts."
        ) : (
          <>
            No trust policy says who must sign. <a href="/docs/signatures">Create one</a> to see
            which tags are not signed.
          </>
        ))
      }
    >
      {({ tags, count, isOpen }) => (
        <CardRows more={moreWords(count - maxRows, isOpen)}>
          {tags.map(({ uid = "", name, repoName, updateTime }) => (
            <CardRow
              key={uid}
              subject={
                <Link href={addresses.tag(uid)}>
                  <bdi>{repoName}</bdi>:<bdi>{name}</bdi>
                </Link>
              }
              end={<Time time={updateTime} />}
            />
          ))}
        </CardRows>
      )}
    </Card>
  );
}

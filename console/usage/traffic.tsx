/** The pushes of the last day, counted from their events. */
import { useQuery } from "@tanstack/preact-query";
import { Link } from "wouter-preact";
import type { Client, Event } from "../../client/index.ts";
import type { Permissions } from "../data/may.ts";
import { useClient } from "../data/platform.tsx";
import { formatCount } from "../elements/bytes.ts";
import { Section } from "../elements/page.tsx";
import { Answer } from "../elements/states.tsx";
import { type Column, rowsOf, Table } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { ShareBar } from "./meter.tsx";

const day = 86_400_000;

/** The page counts so many events at most, the newest. */
const maxEvents = 1_000;

/** The traffic of one repository. */
interface RepoTraffic {
  repoUid: string;
  name: string;
  pushes: number;
  refused: number;
}

/** The traffic of each repository, the most first. */
interface CountedTraffic {
  repos: RepoTraffic[];
  /** The time of the oldest counted event if there are more events than were counted. */
  since: string | undefined;
}

async function countTraffic(client: Client, group: string): Promise<CountedTraffic> {
  const events = await client.events
    .list({
      descendantsOf: group,
      types: ["registry.push.v1"],
      since: new Date(Date.now() - day).toISOString(),
      pageSize: 200,
    })
    .all(maxEvents);
  const repos = new Map<string, RepoTraffic>();
  for (const event of events) {
    const { repoUid = "", body = {} } = event;
    const repo = repos.get(repoUid) ?? newTraffic(event);
    repos.set(repoUid, repo);
    if (body.error) repo.refused += 1;
    else repo.pushes += 1;
  }
  const isCut = events.length >= maxEvents;
  return {
    repos: [...repos.values()].sort((a, b) => sumOf(b) - sumOf(a)),
    since: isCut ? events.at(-1)?.createTime : undefined,
  };
}

const newTraffic = ({ repoUid = "", body = {} }: Event): RepoTraffic => ({
  repoUid,
  pushes: 0,
  refused: 0,
  // Clients send the name of the organization in front.
  name: typeof body.repository === "string" ? body.repository.replace(/^[^/]*\//, "") : "",
});

const sumOf = ({ pushes, refused }: RepoTraffic) => pushes + refused;

const columns = (group: string, most: number): Column<RepoTraffic>[] => [
  {
    title: "Repository",
    width: "minmax(7rem, 2fr)",
    cell: ({ repoUid, name }) => (
      <Link href={addresses.repository(repoUid)}>
        <bdi>{name}</bdi>
      </Link>
    ),
  },
  {
    title: "Share of the most",
    from: "medium",
    width: "minmax(8rem, 3fr)",
    cell: (repo) => <ShareBar share={sumOf(repo) / most} series={2} />,
  },
  ...(["pushes", "refused"] as const).map(
    (what): Column<RepoTraffic> => ({
      title: { pushes: "Pushes", refused: "Refused" }[what],
      width: "4.5rem",
      align: "end",
      ...(what === "refused" ? { from: "medium" as const } : {}),
      cell: (repo) =>
        repo[what] === 0 ? (
          <span class="pale">0</span>
        ) : (
          <Link
            href={addresses.events(group, {
              repo: repo.repoUid,
              period: "24h",
              types: "registry.push.v1",
            })}
          >
            {formatCount(repo[what])}
          </Link>
        ),
    }),
  ),
];

export function Traffic({ group, permissions }: { group: string; permissions: Permissions }) {
  const client = useClient();
  const isRefused = permissions.may("CAP_EVENTS_LIST") === false;
  const query = useQuery({
    queryKey: ["usage", "traffic", group],
    queryFn: () => countTraffic(client, group),
    enabled: group !== "" && !isRefused && !permissions.isPending,
    staleTime: 60_000,
  });
  return (
    <Section title="Pushes in the last 24 hours">
      {isRefused ? (
        <p class="usage-plain pale">
          You need the events.list capability to see pushes. Owners have it.
        </p>
      ) : (
        <Answer query={query} lines={3}>
          {({ repos, since }) =>
            repos.length === 0 ? (
              <p class="usage-plain pale">No push was recorded.</p>
            ) : (
              <>
                {since !== undefined && (
                  <p class="hint">
                    There are more than {formatCount(maxEvents)} events. These are the newest, since{" "}
                    <Time time={since} />.
                  </p>
                )}
                <Table
                  label="Pushes of repositories"
                  columns={columns(group, Math.max(...repos.map(sumOf)))}
                  rows={rowsOf(repos)}
                  keyOf={({ repoUid }) => repoUid}
                  empty={null}
                />
              </>
            )
          }
        </Answer>
      )}
    </Section>
  );
}

/** The storage of a group, its limits, and the use of its repositories. */
import { useQuery } from "@tanstack/preact-query";
import { Link } from "wouter-preact";
import { PermissionDenied, type RepoUsage, type Usage } from "../../client/index.ts";
import { useCurrentGroup } from "../data/group.ts";
import { useMay } from "../data/may.ts";
import { useClient } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { useUncountedRows } from "../data/rows.ts";
import { useOrganizationUsage } from "../data/usage.ts";
import { formatBytes, formatCount } from "../elements/bytes.ts";
import { Facts, Page, Section } from "../elements/page.tsx";
import { Answer, Empty } from "../elements/states.tsx";
import { type Column, Table } from "../elements/table.tsx";
import { addresses } from "../frame/addresses.ts";
import { Meter, ShareBar } from "./meter.tsx";
import { Quotas } from "./quotas.tsx";
import { Traffic } from "./traffic.tsx";

export default function UsagePage() {
  const { uid: group, group: shown } = useCurrentGroup();
  const permissions = useMay(group);
  const name = shown?.name ?? "this group";
  const refusal = refusalOf(permissions, name, "CAP_REPO_LIST");
  return (
    <Page title="Usage" lead={`The storage of ${name}, and its limits.`}>
      {refusal ? (
        <Empty title="You cannot see this usage">
          <p>{refusal}</p>
        </Empty>
      ) : (
        <>
          <Storage group={group} />
          <Limits group={group} name={name} />
          <Quotas group={group} />
          <RepoUsages group={group} />
          <Traffic group={group} permissions={permissions} />
        </>
      )}
    </Page>
  );
}

function Storage({ group }: { group: string }) {
  const query = useOrganizationUsage(group);
  return (
    <Section title="Storage of the organization">
      {query.error instanceof PermissionDenied ? (
        <p class="usage-plain pale">You need the repo.list capability on the organization.</p>
      ) : (
        <Answer query={query} lines={2}>
          {(usage) => <StorageFacts usage={usage} />}
        </Answer>
      )}
    </Section>
  );
}

function StorageFacts({ usage: { bytes, sharedBytes, reservedBytes } }: { usage: Usage }) {
  return (
    <>
      <p class="usage-total">{formatBytes(bytes)}</p>
      <Facts
        facts={[
          ["In one repository only", formatBytes(Number(bytes) - Number(sharedBytes))],
          ["In several repositories", formatBytes(sharedBytes)],
          ["In open uploads, deleted content and read documents", formatBytes(reservedBytes)],
        ]}
      />
      <p class="hint">
        Each blob is stored once and counts once, even if several repositories have it.{" "}
        <a href="/docs/clean-up-and-cost">The guide</a> says when bytes are deleted.
      </p>
    </>
  );
}

/** The most subscriptions that a group can have. */
const maxSubscriptions = 50;

function Limits({ group, name }: { group: string; name: string }) {
  const client = useClient();
  const usage = useOrganizationUsage(group);
  const subscriptions = useQuery({
    queryKey: ["subscriptions", "count", group],
    queryFn: async () => {
      const page = await client.subscriptions.list({ childrenOf: group, pageSize: 1 }).page();
      return page.totalCount ?? 0;
    },
    enabled: group !== "",
  });
  return (
    <Section title="Limits">
      <dl class="usage-limits">
        <div>
          <dt>Storage of the organization</dt>
          <dd>{usage.data ? <StorageLimit usage={usage.data} /> : stateOf(usage)}</dd>
        </div>
        <div>
          <dt>
            <Link href={addresses.subscriptions(group)}>Subscriptions</Link> of <bdi>{name}</bdi>
          </dt>
          <dd>
            {subscriptions.data === undefined ? (
              stateOf(subscriptions)
            ) : (
              <Meter
                label="Subscriptions"
                value={subscriptions.data}
                limit={maxSubscriptions}
                text={`${formatCount(subscriptions.data)} of ${maxSubscriptions}`}
              />
            )}
          </dd>
        </div>
      </dl>
    </Section>
  );
}

/** The text in place of a missing number. */
function stateOf({ error }: { error: Error | null }) {
  if (error instanceof PermissionDenied) return <span class="pale">You cannot see this.</span>;
  if (error) return <span class="pale">{error.message}</span>;
  return <span class="bar" />;
}

function StorageLimit({ usage: { bytes, reservedBytes, limitBytes } }: { usage: Usage }) {
  if (limitBytes === undefined) return <span class="pale">There is no limit.</span>;
  const used = Number(bytes) + Number(reservedBytes);
  return (
    <>
      <Meter
        label="Storage"
        value={used}
        limit={Number(limitBytes)}
        text={`${formatBytes(used)} of ${formatBytes(limitBytes)}`}
      />
      <p class="hint">
        A push beyond the limit is refused. Pulls work. The operator sets the limit.
      </p>
    </>
  );
}

const columns = (largest: number): Column<RepoUsage>[] => [
  {
    title: "Repository",
    width: "minmax(7rem, 2fr)",
    cell: ({ uid = "", name }) => (
      <Link href={addresses.repository(uid)}>
        <bdi>{name}</bdi>
      </Link>
    ),
  },
  {
    title: "Share of the largest",
    from: "medium",
    width: "minmax(8rem, 3fr)",
    cell: ({ bytes }) => <ShareBar share={largest === 0 ? 0 : Number(bytes) / largest} />,
  },
  {
    title: "Size",
    width: "5.5rem",
    align: "end",
    cell: ({ bytes }) => formatBytes(bytes),
  },
  {
    title: "Only here",
    from: "medium",
    width: "5.5rem",
    align: "end",
    cell: ({ bytes, sharedBytes }) => formatBytes(Number(bytes) - Number(sharedBytes)),
  },
  {
    title: "Shared",
    from: "medium",
    width: "5.5rem",
    align: "end",
    cell: ({ sharedBytes }) => formatBytes(sharedBytes),
  },
  {
    title: "Pulls, 24 h",
    width: "5.5rem",
    align: "end",
    cell: ({ recentPulls }) => formatCount(Number(recentPulls)),
  },
];

function RepoUsages({ group }: { group: string }) {
  const client = useClient();
  const rows = useUncountedRows<RepoUsage>({
    key: ["usage", "repos", group],
    list: (position) => client.usages.listRepoUsages({ group, ...position }),
    enabled: group !== "",
  });
  return (
    <Section title="Repositories, the largest first">
      <Table
        label="Storage of repositories"
        columns={columns(Number(rows.row(0)?.bytes ?? 0))}
        rows={rows}
        keyOf={({ uid = "" }) => uid}
        empty={
          <Empty title="No repository has content yet">
            <p>
              <a href="/docs/push-and-pull">Push an image</a>, and its bytes appear here.
            </p>
          </Empty>
        }
      />
      <p class="hint">A pull appears here within a minute. HEAD counts as a pull.</p>
    </Section>
  );
}

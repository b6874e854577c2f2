/** The vulnerabilities in the images of a group, the most severe first. */
import { useMemo } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Client, Finding, FindingSeverity } from "../../client/index.ts";
import { type AllRows, useAllRows, windowOf } from "../data/all_rows.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import type { Position } from "../data/rows.ts";
import { countBySeverity, severities, severityRank } from "../data/severities.ts";
import { type SortKeys, sorted } from "../data/sorted.ts";
import { Badge, Severity } from "../elements/badge.tsx";
import { formatCount } from "../elements/bytes.ts";
import { SeverityFilter } from "../elements/severity_filter.tsx";
import { Empty } from "../elements/states.tsx";
import { type Column, RowCount, Table } from "../elements/table.tsx";
import { addresses } from "../frame/addresses.ts";
import { FoundFilters } from "./found_filters.tsx";
import { byVulnerability, type FoundVulnerability, matches } from "./groups.ts";
import { useImageTimes } from "./image_times.tsx";
import { NothingFound } from "./nothing_found.tsx";

/** The uid of the group that a view is about. */
export interface GroupProps {
  group: string;
}

/** More findings are not read. They come in the order of their severity, so the rest is the least severe. */
const maxFindings = 2_000;

const keys: SortKeys<FoundVulnerability> = {
  severity: ({ severity }) => -severityRank(severity),
  id: ({ id }) => id,
  images: ({ images }) => images,
};

/** The filters that the platform applies, as the address has them. */
interface Filters {
  group: string;
  repo: string;
  fix: string;
  isOpenOnly: boolean;
  isTaggedOnly: boolean;
  times: ReturnType<typeof useImageTimes>["request"];
  /** An id or a package URL that the search field contains, otherwise empty. */
  vulnerability: string;
  purl: string;
}

/** A whole id. A part of one only filters the rows that were read. */
const wholeId = /^(?:CVE-\d{4}-\d{4,}|GHSA(?:-[0-9a-z]{4}){3})$/i;

function useFilters(group: string): Filters {
  const { get, isOn } = useParameters();
  const text = get("q").trim();
  const { request: times } = useImageTimes();
  return {
    group,
    times,
    repo: get("repo"),
    fix: get("fix"),
    isOpenOnly: isOn("open"),
    isTaggedOnly: isOn("tagged"),
    vulnerability: wholeId.test(text) ? text : "",
    purl: /^pkg:[^/]+\/.+/.test(text) ? text : "",
  };
}

/** The findings of one severity. */
const listOf =
  (client: Client, filters: Filters, severity: FindingSeverity) => (position: Position) => {
    const { group, repo, fix, isOpenOnly, isTaggedOnly, times, vulnerability, purl } = filters;
    return client.findings.list({
      ...(repo === "" ? { descendantsOf: group } : { childrenOf: repo }),
      severities: [severity],
      ...(fix === "" ? {} : { hasFix: fix === "yes" }),
      ...(isOpenOnly ? { excludeResolved: true } : {}),
      ...(isTaggedOnly ? { taggedOnly: true } : {}),
      ...times,
      ...(vulnerability === "" ? {} : { vulnerability }),
      ...(purl === "" ? {} : { purl }),
      ...position,
    });
  };

export function FoundVulnerabilities({ group }: GroupProps) {
  const client = useClient();
  const { get, set } = useParameters();
  const filters = useFilters(group);
  const [text, severity] = [get("q"), get("severity")];
  const orderBy = get("order") || "severity desc";
  const all = useAllRows<Finding>({
    key: ["findings", filters],
    lists: severities.map((level) => listOf(client, filters, level)),
    limit: maxFindings,
  });
  const groups = useMemo(() => byVulnerability(all.rows), [all.rows]);
  const isAsked = filters.vulnerability !== "" || filters.purl !== "";
  const matching = useMemo(
    () => (isAsked ? groups : groups.filter((vulnerability) => matches(vulnerability, text))),
    [groups, text, isAsked],
  );
  const shown = useMemo(() => {
    const ofSeverity = matching.filter(
      (vulnerability) =>
        severity === "" || vulnerability.severity === `FINDING_SEVERITY_${severity}`,
    );
    return sorted(ofSeverity, orderBy, keys);
  }, [matching, severity, orderBy]);
  const counts = useMemo(() => countBySeverity(matching), [matching]);
  const rows = windowOf(shown, all);
  return (
    <>
      <SeverityFilter
        counts={counts}
        value={severity}
        onChange={(level) => set({ severity: level })}
      />
      <FoundFilters group={group}>
        <RowCount rows={rows} noun={["vulnerability", "vulnerabilities"]} />
      </FoundFilters>
      <Table
        label="Vulnerabilities"
        columns={columnsOf(get("group"))}
        rows={rows}
        keyOf={({ id }) => id}
        sorting={{ orderBy, onSort: (order) => set({ order }) }}
        empty={<Nothing all={all} group={group} />}
      />
      {all.isCut && (
        <p class="pale">
          These come from the {formatCount(all.rows.length)} most severe findings. Choose a
          repository or another filter to see the rest.
        </p>
      )}
    </>
  );
}

function Nothing({ all, group }: GroupProps & { all: AllRows<Finding> }) {
  const { get } = useParameters();
  const isFiltered = ["q", "severity", "repo", "fix", "images", "open", "tagged"].some(
    (name) => get(name) !== "",
  );
  if (isFiltered || all.rows.length > 0)
    return (
      <Empty title="Nothing matches these filters">
        <p>Images without an SBOM and a scan report are not searched.</p>
      </Empty>
    );
  return <NothingFound group={group} />;
}

const columnsOf = (group: string): Column<FoundVulnerability>[] => [
  {
    title: "Severity",
    sort: "severity",
    width: "6.5rem",
    cell: ({ severity }) => <Severity severity={severity} />,
  },
  {
    title: "Vulnerability",
    sort: "id",
    width: "minmax(10rem, 1.2fr)",
    cell: ({ id, aliases }) => (
      <Link href={addresses.vulnerability(id, group)}>
        <bdi title={[id, ...aliases].join(", ")}>{id}</bdi>
      </Link>
    ),
  },
  {
    title: "Packages",
    width: "minmax(7rem, 1.2fr)",
    from: "medium",
    cell: ({ packages }) => <Names names={packages} />,
  },
  {
    title: "Repositories",
    width: "minmax(7rem, 1fr)",
    from: "wide",
    cell: ({ repos }) => <Names names={repos} />,
  },
  {
    title: "Images",
    sort: "images",
    width: "4.5rem",
    align: "end",
    from: "medium",
    cell: ({ images }) => formatCount(images),
  },
  {
    title: "Fixed in",
    width: "minmax(6rem, 1fr)",
    from: "medium",
    cell: ({ fixedVersions }) =>
      fixedVersions.length > 0 ? <Names names={fixedVersions} /> : <span class="pale">no fix</span>,
  },
  { title: "VEX", width: "8.5rem", from: "wide", cell: (row) => <Resolved row={row} /> },
];

/** How many of the findings a statement resolves. */
function Resolved({ row: { resolved, unknown, findings } }: { row: FoundVulnerability }) {
  if (unknown === findings) return <Badge tone="info">Not known</Badge>;
  if (resolved === 0) return <span class="pale">Open</span>;
  if (resolved === findings) return <Badge tone="good">Resolved</Badge>;
  return <Badge tone="info">{`${formatCount(findings - resolved)} open`}</Badge>;
}

/** The first name, and how many more there are. All appear when the pointer is on it. */
function Names({ names }: { names: readonly string[] }) {
  const [first = "", ...others] = names;
  return (
    <span title={names.join(", ")}>
      <bdi>{first}</bdi>
      {others.length > 0 && <span class="pale"> and {others.length} more</span>}
    </span>
  );
}

/** The vulnerabilities that the SBOM and the newest scan of an image show. */
import { useQuery } from "@tanstack/preact-query";
import { useMemo } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Finding, VulnReport } from "../../client/index.ts";
import { useAllRows, windowOf } from "../data/all_rows.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { countBySeverity, severityRank } from "../data/severities.ts";
import { type SortKeys, sorted } from "../data/sorted.ts";
import { rootOf } from "../data/uids.ts";
import { Severity } from "../elements/badge.tsx";
import { formatCount } from "../elements/bytes.ts";
import { CheckFilter } from "../elements/check_filter.tsx";
import { CopyLine } from "../elements/copy.tsx";
import { Fix, FoundBy, isResolved, VexMark } from "../elements/finding_marks.tsx";
import { SearchField } from "../elements/search_field.tsx";
import { SeverityFilter } from "../elements/severity_filter.tsx";
import { Answer, Empty } from "../elements/states.tsx";
import { type Column, RowCount, Table } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import type { ViewProps } from "./part_links.tsx";
import { OfPlatform } from "./part_links.tsx";

/** More findings are not read. It is the most that a report can have. */
const maxFindings = 20_000;

const keys: SortKeys<Finding> = {
  severity: ({ severity }) => -severityRank(severity),
  id: ({ vulnerabilityId }) => vulnerabilityId,
  package: (row) => row.package?.name,
};

export function ImageFindings({ image, name }: ViewProps) {
  const client = useClient();
  const { repo, digest } = image;
  const report = useQuery({
    queryKey: ["vulnReports", repo, digest],
    queryFn: async () => {
      const [newest] = await client.vulnReports.list({ childrenOf: repo, digest }).all(1);
      return newest ?? null;
    },
  });
  return (
    <OfPlatform image={image} name={name} view="vulnerabilities" what="vulnerabilities">
      <Answer query={report} lines={8}>
        {(loaded) => (
          <>
            {loaded && <ReportLine report={loaded} />}
            <FindingTable image={image} name={name} isScanned={loaded !== null} />
          </>
        )}
      </Answer>
    </OfPlatform>
  );
}

function NoReport({ image: { repo, digest } }: ViewProps) {
  return (
    <Empty title="This image has not been scanned">
      <p>
        The platform does not scan images. Push the report of a scanner as an attachment of the
        image, or <a href="/docs/imports">import it</a>:
      </p>
      <CopyLine
        text={`platformctl import vulns FILE --image ${repo}@${digest}`}
        what="command that imports a report"
      />
    </Empty>
  );
}

function ReportLine({ report }: { report: VulnReport }) {
  const { scanner = "a scanner", scannerVersion = "", scanTime, dbBuildTime } = report;
  return (
    <p class="images-source">
      <span>
        Scanned <Time time={scanTime} /> by{" "}
        <bdi>
          {scanner} {scannerVersion}
        </bdi>
        {dbBuildTime && (
          <>
            , with data of <Time time={dbBuildTime} />
          </>
        )}
      </span>
    </p>
  );
}

const idsOf = ({ vulnerabilityId = "", aliases = [] }: Finding) => [vulnerabilityId, ...aliases];

function FindingTable({ image, name, isScanned }: ViewProps & { isScanned: boolean }) {
  const { repo, digest } = image;
  const client = useClient();
  const { get, isOn, set } = useParameters();
  const [text, severity, isOpenOnly] = [get("q"), get("severity"), isOn("open")];
  const orderBy = get("order") || "severity desc";
  const all = useAllRows<Finding>({
    key: ["findings", { repo, digest }],
    lists: [(position) => client.findings.list({ childrenOf: repo, digest, ...position })],
    limit: maxFindings,
  });
  const counts = useMemo(() => countBySeverity(all.rows), [all.rows]);
  const shown = useMemo(() => {
    const wanted = text.toLowerCase();
    const matches = all.rows.filter(
      (row) =>
        (severity === "" || row.severity === `FINDING_SEVERITY_${severity}`) &&
        !(isOpenOnly && isResolved(row)) &&
        [...idsOf(row), row.package?.name].some((value) => value?.toLowerCase().includes(wanted)),
    );
    return sorted(sorted(matches, "id", keys), orderBy, keys);
  }, [all.rows, text, severity, isOpenOnly, orderBy]);
  const rows = windowOf(shown, all);
  const isRead = !all.isLoading && !all.isReading && all.error === null;
  if (!isScanned && isRead && all.rows.length === 0) return <NoReport image={image} name={name} />;
  return (
    <>
      {!isScanned && <p class="images-source">No scanner has reported. The SBOM shows these.</p>}
      <SeverityFilter
        counts={counts}
        value={severity}
        onChange={(level) => set({ severity: level })}
      />
      <div class="toolbar">
        <SearchField label="Search ids and packages" value={text} onSearch={(q) => set({ q })} />
        <CheckFilter label="Open only" name="open" />
        <RowCount rows={rows} noun={["finding", "findings"]} />
      </div>
      <Table
        label="Vulnerabilities"
        columns={columnsOf(rootOf(repo))}
        rows={rows}
        keyOf={({ uid }) => uid}
        sorting={{ orderBy, onSort: (order) => set({ order }) }}
        empty={
          <Empty
            title={all.rows.length === 0 ? "The scan found no vulnerabilities" : "Nothing matches"}
          />
        }
      />
      {all.isCut && <p class="pale">Only the first {formatCount(maxFindings)} are shown.</p>}
    </>
  );
}

const columnsOf = (group: string): Column<Finding>[] => [
  {
    title: "Severity",
    sort: "severity",
    width: "6.5rem",
    cell: ({ severity = "" }) => <Severity severity={severity} />,
  },
  {
    title: "Vulnerability",
    sort: "id",
    width: "minmax(9rem, 1fr)",
    cell: (row) => (
      <Link href={addresses.vulnerability(row.vulnerabilityId ?? "", group)}>
        <bdi title={idsOf(row).join(", ")}>{row.vulnerabilityId}</bdi>
      </Link>
    ),
  },
  {
    title: "Package",
    sort: "package",
    width: "minmax(8rem, 1.5fr)",
    from: "medium",
    cell: ({ package: affected }) => (
      <span title={affected?.purl}>
        <bdi>{affected?.name}</bdi> <bdi>{affected?.version}</bdi>
      </span>
    ),
  },
  {
    title: "Fixed in",
    width: "minmax(6rem, 1fr)",
    from: "medium",
    cell: (finding) => <Fix finding={finding} />,
  },
  {
    title: "Found by",
    width: "7rem",
    from: "wide",
    cell: (finding) => <FoundBy finding={finding} />,
  },
  { title: "VEX", width: "10rem", from: "wide", cell: (finding) => <VexMark finding={finding} /> },
];

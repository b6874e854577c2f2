/** The images that have a vulnerability. */
import { useMemo } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Finding } from "../../client/index.ts";
import { type AllRows, windowOf } from "../data/all_rows.ts";
import { useParameters } from "../data/parameters.ts";
import { formatCount } from "../elements/bytes.ts";
import { CheckFilter } from "../elements/check_filter.tsx";
import { Fix, FoundBy, isResolved, VexMark } from "../elements/finding_marks.tsx";
import { Empty } from "../elements/states.tsx";
import { type Column, RowCount, Table } from "../elements/table.tsx";
import { addresses } from "../frame/addresses.ts";
import { ImageTimesFilter } from "./image_times.tsx";
import { TagNames } from "./tag_names.tsx";

export function AffectedImages({ findings }: { findings: AllRows<Finding> }) {
  const { get, isOn } = useParameters();
  const [isOpenOnly, isTaggedOnly] = [isOn("open"), isOn("tagged")];
  const shown = useMemo(
    () =>
      findings.rows.filter(
        (row) =>
          !(isOpenOnly && isResolved(row)) && !(isTaggedOnly && (row.tags?.length ?? 0) === 0),
      ),
    [findings.rows, isOpenOnly, isTaggedOnly],
  );
  const rows = windowOf(shown, findings);
  return (
    <>
      <div class="toolbar">
        <ImageTimesFilter />
        <CheckFilter label="Open only" name="open" />
        <CheckFilter label="Tagged only" name="tagged" />
        <RowCount rows={rows} noun={["finding", "findings"]} />
      </div>
      <Table
        label="Images that have the vulnerability"
        columns={columnsOf(get("at"))}
        rows={rows}
        keyOf={({ uid }) => uid}
        empty={
          <Empty
            title={
              findings.rows.length === 0 && get("images") === ""
                ? "No image with an SBOM or a scan report has this vulnerability"
                : "No image matches these filters"
            }
          >
            <p>
              Images without either are not searched:{" "}
              <a href="/docs/affected-images">store an SBOM</a>.
            </p>
          </Empty>
        }
      />
      {findings.isCut && (
        <p class="pale">Only the first {formatCount(findings.rows.length)} findings are shown.</p>
      )}
    </>
  );
}

/** `at` is the time of the tags. Empty for now. */
const columnsOf = (at: string): Column<Finding>[] => [
  {
    title: "Image",
    width: "minmax(8rem, 1.4fr)",
    cell: ({ repoUid = "", repoName, digest = "" }) => (
      <Link href={addresses.image(repoUid, digest, { view: "vulnerabilities" })}>
        <span class="vulnerabilities-image" title={`${repoName}@${digest}`}>
          <bdi class="vulnerabilities-name">{repoName}</bdi>
          <span>@{digest.slice(digest.indexOf(":") + 1).slice(0, 8)}</span>
        </span>
      </Link>
    ),
  },
  {
    title: at === "" ? "Tags now" : "Tags then",
    width: "minmax(6rem, 1fr)",
    cell: ({ tags }) => <TagNames tags={tags} />,
  },
  {
    title: "Package",
    width: "minmax(7rem, 1.2fr)",
    from: "medium",
    cell: ({ package: affected }) => (
      <bdi title={affected?.purl}>
        {affected?.name} {affected?.version}
      </bdi>
    ),
  },
  {
    title: "Fixed in",
    width: "minmax(5rem, 1fr)",
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

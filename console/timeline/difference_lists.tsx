/** The packages and findings that differ between two images, as lists that open. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { countBySeverity } from "../data/severities.ts";
import { Severity } from "../elements/badge.tsx";
import { Button } from "../elements/button.tsx";
import { formatCount } from "../elements/bytes.ts";
import { addresses } from "../frame/addresses.ts";
import type { ComparedFinding, FindingDifference } from "./compare_findings.ts";
import type { PackageChange, PackageDifference } from "./compare_packages.ts";

/** Entries of a list that are shown at first. The heading has the number of all. */
const maxShown = 100;

/** The packages that differ. */
export function PackageList({ came, went, changed, same }: PackageDifference) {
  if (came.length + went.length + changed.length === 0)
    return <p>The same packages in the same versions.</p>;
  return (
    <>
      <Changes title="Came" rows={came} keyOf={keyOfPackage}>
        {({ name, after }) => <PackageLine name={name} versions={after.join(", ")} />}
      </Changes>
      <Changes title="Went" rows={went} keyOf={keyOfPackage}>
        {({ name, before }) => <PackageLine name={name} versions={before.join(", ")} />}
      </Changes>
      <Changes title="Changed version" rows={changed} keyOf={keyOfPackage}>
        {({ name, before, after }) => (
          <PackageLine
            name={name}
            versions={`${before.join(", ") || "none"} → ${after.join(", ") || "none"}`}
          />
        )}
      </Changes>
      <p class="pale">Unchanged: {formatCount(same)}</p>
    </>
  );
}

const keyOfPackage = ({ name, type }: PackageChange) => `${type} ${name}`;

const PackageLine = ({ name, versions }: { name: string; versions: string }) => (
  <>
    <bdi>{name}</bdi> <span class="pale">{versions}</span>
  </>
);

/** The findings that only one of the images has. */
export function FindingList({ came, went, same }: FindingDifference) {
  if (came.length + went.length === 0) return <p>The same findings.</p>;
  const keyOf = (finding: ComparedFinding) => `${finding.vulnerability} ${finding.package}`;
  const line = (finding: ComparedFinding) => (
    <>
      <Severity severity={finding.severity} />{" "}
      <Link href={addresses.vulnerability(finding.vulnerability)}>{finding.vulnerability}</Link>{" "}
      <span class="pale">
        in <bdi>{finding.package}</bdi>
      </span>
    </>
  );
  return (
    <>
      <Changes title="Came" rows={came} keyOf={keyOf} counts={countBySeverity(came)}>
        {line}
      </Changes>
      <Changes title="Went" rows={went} keyOf={keyOf} counts={countBySeverity(went)}>
        {line}
      </Changes>
      <p class="pale">In both: {formatCount(same)}</p>
    </>
  );
}

interface ChangesProps<Row> {
  title: string;
  rows: Row[];
  keyOf: (row: Row) => string;
  /** By the name of their severity. */
  counts?: ReadonlyMap<string, number>;
  children: (row: Row) => ComponentChildren;
}

function Changes<Row>({ title, rows, keyOf, counts, children }: ChangesProps<Row>) {
  const [isWhole, setWhole] = useState(false);
  if (rows.length === 0) return null;
  const shown = isWhole ? rows : rows.slice(0, maxShown);
  return (
    <details class="timeline-changes" open={rows.length <= 12}>
      <summary>
        {title} <strong>{formatCount(rows.length)}</strong>{" "}
        {[...(counts ?? [])].map(
          ([severity, count]) =>
            count > 0 && <Severity key={severity} severity={severity} count={count} />,
        )}
      </summary>
      <ul>
        {shown.map((row) => (
          <li key={keyOf(row)}>{children(row)}</li>
        ))}
      </ul>
      {shown.length < rows.length && (
        <Button onClick={() => setWhole(true)}>
          Show {formatCount(rows.length - shown.length)} more
        </Button>
      )}
    </details>
  );
}

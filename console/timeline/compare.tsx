/** Two moments of the tag next to each other: the packages and the findings that came and went. */
import { useQuery } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import { Link } from "wouter-preact";
import { useClient } from "../data/platform.tsx";
import { Button } from "../elements/button.tsx";
import { Section } from "../elements/page.tsx";
import { Answer, Loading } from "../elements/states.tsx";
import { exactTime } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { compareFindings } from "./compare_findings.ts";
import { comparePackages } from "./compare_packages.ts";
import { FindingList, PackageList } from "./difference_lists.tsx";
import { type Contents, readFindings, readPackages } from "./image_contents.ts";
import { MomentTime } from "./moment_time.tsx";
import type { FoundRecord } from "./use_record_at.ts";
import { shortDigest, shortTime } from "./words.ts";

/** One of the two moments. */
export interface Side {
  /** The name of its marker in the picture. */
  letter: "A" | "B";
  time: number;
  found: FoundRecord;
}

interface CompareProps {
  repo: string;
  chosen: Side;
  other: Side;
  /** The second moment, or undefined for now. */
  otherTime: number | undefined;
  now: number;
  onChange: (time: number | undefined) => void;
  onClose: () => void;
}

/** The earlier moment comes first, whichever the person chose first. */
export function ComparePanel(props: CompareProps) {
  const { repo, chosen, other, otherTime, now, onChange, onClose } = props;
  const [before, after] = chosen.time <= other.time ? [chosen, other] : [other, chosen];
  return (
    <Section title="Two moments compared" actions={<Button onClick={onClose}>Close</Button>}>
      <MomentTime label="Moment B" time={otherTime} now={now} onChange={onChange} />
      <div class="timeline-sides">
        <SideLine title="Before" side={before} repo={repo} />
        <SideLine title="After" side={after} repo={repo} />
      </div>
      {before.found.isOnItsWay || after.found.isOnItsWay ? (
        <Loading lines={3} what="Loading the records of the moments" />
      ) : (
        <Differences
          repo={repo}
          before={before.found.record?.digest}
          after={after.found.record?.digest}
        />
      )}
    </Section>
  );
}

function SideLine({ title, side, repo }: { title: string; side: Side; repo: string }) {
  const { letter, time, found } = side;
  const { record, isOnItsWay } = found;
  return (
    <p>
      <span class={`timeline-letter letter-${letter.toLowerCase()}`}>{letter}</span> {title}:{" "}
      {record?.digest ? (
        <Link href={addresses.image(repo, record.digest)}>
          <code>{shortDigest(record.digest)}</code>
        </Link>
      ) : isOnItsWay ? (
        "…"
      ) : (
        "no image"
      )}{" "}
      <span class="pale" title={exactTime(time)}>
        {shortTime(time)}
      </span>
    </p>
  );
}

interface DifferencesProps {
  repo: string;
  /** Undefined or empty if the tag did not exist. */
  before: string | undefined;
  after: string | undefined;
}

function Differences({ repo, before, after }: DifferencesProps) {
  if (!before || !after)
    return <p>The tag did not exist at one of the moments, so there is nothing to compare.</p>;
  if (before === after)
    return (
      <p>
        The tag pointed to the same image at both moments. Choose another moment in the picture to
        see what changed.
      </p>
    );
  return (
    <>
      <Part title="Packages" what="an SBOM" {...{ repo, before, after }} read={readPackages}>
        {(old, current) => <PackageList {...comparePackages(old, current)} />}
      </Part>
      <Part
        title="Findings"
        what="a vulnerability report"
        {...{ repo, before, after }}
        read={readFindings}
      >
        {(old, current) => <FindingList {...compareFindings(old, current)} />}
      </Part>
    </>
  );
}

interface PartProps<Row> {
  title: string;
  /** The document that the rows come from, with its article. */
  what: string;
  repo: string;
  before: string;
  after: string;
  read: (
    client: ReturnType<typeof useClient>,
    repo: string,
    digest: string,
  ) => Promise<Contents<Row>>;
  children: (before: Row[], after: Row[]) => ComponentChildren;
}

function Part<Row>({ title, what, repo, before, after, read, children }: PartProps<Row>) {
  const client = useClient();
  const query = useQuery({
    queryKey: ["image contents", title, repo, before, after],
    queryFn: () => Promise.all([read(client, repo, before), read(client, repo, after)]),
    staleTime: 60_000,
  });
  return (
    <section class="timeline-part" aria-label={title}>
      <h3>{title}</h3>
      <Answer query={query} lines={3}>
        {([old, current]) => {
          if (old.kind === "found" && current.kind === "found")
            return children(old.rows, current.rows);
          return (
            <Missing
              what={what}
              images={[
                [before, old.kind],
                [after, current.kind],
              ]}
            />
          );
        }}
      </Answer>
    </section>
  );
}

interface MissingProps {
  what: string;
  images: readonly (readonly [digest: string, kind: Contents<unknown>["kind"]])[];
}

/** Says which of the two images cannot be compared, and why. */
function Missing({ what, images }: MissingProps) {
  const without = images.filter(([, kind]) => kind === "missing");
  const long = images.filter(([, kind]) => kind === "too many");
  return (
    <>
      {without.length === images.length && <p>Neither image has {what}.</p>}
      {without.length === 1 &&
        without.map(([digest]) => (
          <p key={digest}>
            The image <code title={digest}>{shortDigest(digest)}</code> does not have {what}.
          </p>
        ))}
      {long.map(([digest]) => (
        <p key={digest}>
          The image <code title={digest}>{shortDigest(digest)}</code> has more entries than this
          page compares.
        </p>
      ))}
      {without.length > 0 && (
        <p class="pale">
          To see what changed, store <a href="/docs/affected-images">SBOMs and reports</a> of both.
        </p>
      )}
    </>
  );
}

/** Two moments of the tag next to each other: the packages and the findings that came and went. */
import { Link } from "wouter-preact";
import { shortDigest } from "../data/digests.ts";
import { Button } from "../elements/button.tsx";
import { Section } from "../elements/page.tsx";
import { Loading } from "../elements/states.tsx";
import { exactTime } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { Differences } from "./differences.tsx";
import { MomentTime } from "./moment_time.tsx";
import type { FoundRecord } from "./use_record_at.ts";
import { shortTime } from "./words.ts";

/** One of the two moments. */
export interface Side {
  /** The name of its marker in the picture. */
  letter: "A" | "B";
  time: number;
  match: FoundRecord;
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
      {before.match.isOnItsWay || after.match.isOnItsWay ? (
        <Loading lines={3} what="Loading the records of the moments" />
      ) : (
        <Differences
          repo={repo}
          before={before.match.record?.digest}
          after={after.match.record?.digest}
        />
      )}
    </Section>
  );
}

function SideLine({ title, side, repo }: { title: string; side: Side; repo: string }) {
  const { letter, time, match } = side;
  const { record, isOnItsWay } = match;
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

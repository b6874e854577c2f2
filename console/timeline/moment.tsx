/** The chosen moment: which image the tag pointed to, since when, who moved it there, and how to use it. */
import { Link } from "wouter-preact";
import { shellWord } from "../data/shell.ts";
import { Badge } from "../elements/badge.tsx";
import { Button } from "../elements/button.tsx";
import { CopyLine } from "../elements/copy.tsx";
import { Facts, Section } from "../elements/page.tsx";
import { Loading } from "../elements/states.tsx";
import { exactTime } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import type { TagName } from "./history_loader.ts";
import { MomentTime } from "./moment_time.tsx";
import { MoveBack } from "./move_back.tsx";
import { writeTime } from "./range.ts";
import { Kind, type TagRecord } from "./records.ts";
import type { FoundRecord } from "./use_record_at.ts";
import {
  kindWord,
  methodWords,
  moverName,
  overrideText,
  servedFor,
  warningReason,
  warningWord,
} from "./words.ts";

interface MomentProps {
  match: FoundRecord;
  /** The moment, or undefined for now. In milliseconds since 1970 UTC. */
  time: number | undefined;
  now: number;
  tag: TagName;
  /** The name of the images in the registry. Undefined while it is not known. */
  image: string | undefined;
  /** The digest to which the tag points now, as the picture shows it. */
  current: string | undefined;
  /** Called when the tag has moved back. */
  onMoved: () => void;
  onChoose: (time: number | undefined) => void;
  /** Begins to compare. Undefined while a comparison is open. */
  onCompare: (() => void) | undefined;
}

export function MomentPanel(props: MomentProps) {
  const { match, time, now, tag, image, current, onMoved, onChoose, onCompare } = props;
  const { record, isOnItsWay } = match;
  return (
    <Section
      title={time === undefined ? "The tag now" : "The tag at the chosen moment"}
      actions={onCompare && <Button onClick={onCompare}>Compare</Button>}
    >
      <MomentTime label="Moment A" time={time} now={now} onChange={onChoose} />
      {isOnItsWay ? (
        <Loading lines={3} what="Loading the record of this moment" />
      ) : record === undefined || record.kind === Kind.deleted ? (
        <NoImage record={record} now={now} />
      ) : (
        <Served
          record={record}
          time={time}
          now={now}
          tag={tag}
          image={image}
          current={current}
          onMoved={onMoved}
        />
      )}
    </Section>
  );
}

function NoImage({ record, now }: { record: TagRecord | undefined; now: number }) {
  if (record === undefined) return <p>The tag did not exist yet at this moment.</p>;
  return (
    <>
      <p>The tag did not exist at this moment. It was deleted before.</p>
      <Facts facts={factsOf(record, now)} />
    </>
  );
}

interface ServedProps {
  record: TagRecord;
  time: number | undefined;
  now: number;
  tag: TagName;
  /** The name of the images in the registry. Undefined while it is not known. */
  image: string | undefined;
  current: string | undefined;
  onMoved: () => void;
}

function Served({ record, time, now, tag, image, current, onMoved }: ServedProps) {
  const { digest, until } = record;
  const { uid } = tag;
  return (
    <>
      <CopyLine text={digest} what="digest" />
      <p class="timeline-image">
        <Link href={addresses.image(tag.repo, digest)}>Open the image</Link>
      </p>
      <Facts facts={factsOf(record, now)} />
      {uid !== undefined && until !== undefined && (
        <MoveBack tag={tag} digest={digest} current={current} onMoved={onMoved} />
      )}
      {image && (
        <div class="timeline-references">
          <h3>Use this image</h3>
          <CopyLine text={`${image}@${digest}`} what="reference" />
          <CopyLine text={`${image}:${tag.name}@${digest}`} what="reference with the tag" />
          <CopyLine text={pinCommand(`${image}:${tag.name}`, time)} what="command" />
        </div>
      )}
    </>
  );
}

/** The command that prints the same reference. */
const pinCommand = (image: string, time: number | undefined): string =>
  `platformctl pin --keep-tag ${shellWord(time === undefined ? image : `${image}@${writeTime(time)}`)}`;

function factsOf(record: TagRecord, now: number) {
  const { time, until, kind, mover, warnings, override } = record;
  const how = methodWords(mover, kind);
  const who = mover.uid ? (
    <Link href={addresses.identity(mover.uid)}>
      <bdi>{moverName(mover)}</bdi>
    </Link>
  ) : (
    <span class="pale">{moverName(mover)}</span>
  );
  return [
    ["Since", exactTime(time)],
    ["Until", until === undefined ? "now" : exactTime(until)],
    [kind === Kind.deleted ? "Absent for" : "Served for", servedFor(record, now)],
    [
      `${kindWord(kind)} by`,
      <>
        {who}
        {how && <span class="pale"> {how}</span>}
      </>,
    ],
    ["Overridden rule", override && overrideText(override)],
    ["Warnings", warnings.length > 0 ? <Warnings warnings={warnings} /> : undefined],
  ] as const;
}

function Warnings({ warnings }: Pick<TagRecord, "warnings">) {
  return (
    <ul class="timeline-warnings">
      {warnings.map((warning) => (
        <li key={warning}>
          <Badge tone="warn">{warningWord(warning)}</Badge> {warningReason(warning)}
        </li>
      ))}
    </ul>
  );
}

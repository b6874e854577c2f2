/** The events of an advisory: how the knowledge about a vulnerability in an artifact has grown. */
import type { Advisory, AdvisoryEvent } from "../../client/index.ts";
import { Badge, capitalized, type Tone } from "../elements/badge.tsx";
import { LongText } from "../elements/long_text.tsx";
import { Time } from "../elements/time.tsx";

/** The content of an event: its member, its words, and whether that is good or bad. */
const kinds: [keyof AdvisoryEvent, string, Tone][] = [
  ["detection", "Detected", "warn"],
  ["fixed", "Fixed", "good"],
  ["falsePositiveDetermination", "Not affected", "good"],
  ["analysisNotPlanned", "Analysis not planned", "plain"],
  ["fixNotPlanned", "Fix not planned", "bad"],
  ["pendingUpstreamFix", "Waits for a fix upstream", "warn"],
  ["truePositiveDetermination", "Affected", "bad"],
  ["patched", "Patched", "good"],
  ["componentLocationChanged", "Component moved", "plain"],
];

const kindOf = (event: AdvisoryEvent): [string, Tone] => {
  const [, words, tone] = kinds.find(([member]) => event[member] !== undefined) ?? [];
  return [words ?? "Unknown event", tone ?? "plain"];
};

/** The newest approved event that says something about the state. */
export function State({ advisory }: { advisory: Advisory }) {
  if (advisory.deleteTime) return <Badge>Withdrawn</Badge>;
  const approved = (advisory.events ?? []).filter(
    (event) =>
      event.reviewState === "REVIEW_STATE_APPROVED" && event.componentLocationChanged === undefined,
  );
  const newest = approved.at(-1);
  if (!newest) return <span class="pale">no approved event</span>;
  const [words, tone] = kindOf(newest);
  return <Badge tone={tone}>{words}</Badge>;
}

/** The events, the newest first. An advisory has at most a few hundred. */
export function Events({ events = [] }: { events: readonly AdvisoryEvent[] | undefined }) {
  if (events.length === 0) return <p class="pale">It has no events.</p>;
  return (
    <ol class="vulnerabilities-events">
      {events.toReversed().map((event) => (
        <li key={event.uid}>
          <EventLine event={event} />
        </li>
      ))}
    </ol>
  );
}

function EventLine({ event }: { event: AdvisoryEvent }) {
  const [words, tone] = kindOf(event);
  const { author, reviewState = "", createTime } = event;
  const details = detailsOf(event).filter(([, text]) => text);
  const isApproved = reviewState === "REVIEW_STATE_APPROVED";
  return (
    <>
      <div class="vulnerabilities-event">
        <Badge tone={tone}>{words}</Badge>
        <Time time={createTime} />
        {author && (
          <span class="pale">
            by <bdi>{author}</bdi>
          </span>
        )}
        {!isApproved && reviewState !== "" && (
          <Badge tone="info">{capitalized(reviewState.replace("REVIEW_STATE_", ""))}</Badge>
        )}
      </div>
      {details.map(([name, text]) => (
        <p key={name} class="vulnerabilities-detail">
          <span class="pale">{name}:</span> <LongText text={text ?? ""} />
        </p>
      ))}
    </>
  );
}

/** The texts of an event, each with its name. */
function detailsOf(event: AdvisoryEvent): [string, string | undefined][] {
  const { fixed, patched, detection, componentLocationChanged: moved } = event;
  const { falsePositiveDetermination: reason } = event;
  const scan = detection?.scanv1;
  return [
    ["Fixed version", fixed?.fixedVersion],
    ["Patched versions", patched?.patchedVersions?.join(", ")],
    ["Reason", reason?.type && capitalized(reason.type.replace(/^TYPE_/, ""))],
    ["Found by", scan && [scan.scanner, scan.scannerVersion].filter(Boolean).join(" ")],
    ["Component", scan && [scan.component, scan.componentVersion].filter(Boolean).join(" ")],
    ["Found as", detection?.nvdapi?.cpeFound],
    ["Moved to", moved?.newLocation],
    ["Note", noteOf(event)],
    ["Issue", event.issue],
  ];
}

const noteOf = ({
  fixed,
  patched,
  falsePositiveDetermination,
  analysisNotPlanned,
  fixNotPlanned,
  pendingUpstreamFix,
  truePositiveDetermination,
  componentLocationChanged,
}: AdvisoryEvent): string | undefined =>
  [
    fixed,
    patched,
    falsePositiveDetermination,
    analysisNotPlanned,
    fixNotPlanned,
    pendingUpstreamFix,
    truePositiveDetermination,
    componentLocationChanged,
  ].find((assessment) => assessment?.note)?.note;

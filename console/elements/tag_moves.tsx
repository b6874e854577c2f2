/** The parts of tables about moves of tags. */
import { Link } from "wouter-preact";
import type { RecordedTagMove, TagMoveKind } from "../../client/index.ts";
import { moveKindWords, moveWarningWords, unnamedMover } from "../data/tag_moves.ts";
import { addresses } from "../frame/addresses.ts";
import { Badge, type Tone } from "./badge.tsx";

const tones: Record<TagMoveKind, Tone> = {
  TAG_MOVE_KIND_UNSPECIFIED: "plain",
  TAG_MOVE_KIND_CREATED: "good",
  TAG_MOVE_KIND_MOVED: "info",
  TAG_MOVE_KIND_ROLLED_BACK: "warn",
  TAG_MOVE_KIND_DELETED: "bad",
};

/** The kinds that a person can filter by, and their words. */
export const moveKindOptions = (
  [
    "TAG_MOVE_KIND_CREATED",
    "TAG_MOVE_KIND_MOVED",
    "TAG_MOVE_KIND_ROLLED_BACK",
    "TAG_MOVE_KIND_DELETED",
  ] as const
).map((kind) => [kind, moveKindWords[kind]] as const);

/** The kind of a move that a text from an address names. Undefined if it names none. */
export const moveKindOf = (text: string): TagMoveKind | undefined =>
  moveKindOptions.find(([kind]) => kind === text)?.[0];

export function MoveKindBadge({
  kind = "TAG_MOVE_KIND_UNSPECIFIED",
}: {
  kind: TagMoveKind | undefined;
}) {
  return <Badge tone={tones[kind] ?? "plain"}>{moveKindWords[kind] ?? "Moved"}</Badge>;
}

/** The warnings of a move, whose meaning appears when the pointer is on them. Below them, the rule that it overrode. */
export function MoveWarnings({ move }: { move: RecordedTagMove }) {
  return (
    <>
      <span class="move-warnings">
        {move.warnings?.map((warning) => {
          const [text, meaning] = moveWarningWords[warning] ?? ["Warning", ""];
          return (
            <span key={warning} title={meaning}>
              <Badge tone="warn">{text}</Badge>
            </span>
          );
        })}
      </span>
      <MoveOverride move={move} />
    </>
  );
}

/** The rule that refused a move which was made all the same, and the reason. */
export function MoveOverride({
  move: { overriddenRule, overrideReason },
  narrow = false,
}: {
  move: RecordedTagMove;
  /** Whether only a narrow window shows it, which has no column for warnings. */
  narrow?: boolean;
}) {
  if (!overriddenRule) return null;
  return <Overrode rule={overriddenRule} reason={overrideReason ?? ""} narrow={narrow} />;
}

interface OverrodeProps {
  rule: string;
  reason: string;
  narrow?: boolean;
}

/** A line of its own in the cell of a table. */
export function Overrode({ rule, reason, narrow = false }: OverrodeProps) {
  const text = `Overrode ${rule}: ${reason}`;
  return (
    <bdi class={narrow ? "move-override narrow" : "move-override"} title={text}>
      {text}
    </bdi>
  );
}

/** The tag that moved, with its repository, as a link to its timeline. */
export function MovedTag({ move: { repoUid = "", repo, tag = "" } }: { move: RecordedTagMove }) {
  return (
    <Link href={addresses.tagNamed(repoUid, tag)}>
      <bdi>{repo}</bdi>:<bdi>{tag}</bdi>
    </Link>
  );
}

/** The identity that moved a tag. */
export function Mover({ move: { identityUid, identityName, method } }: { move: RecordedTagMove }) {
  if (!identityUid) return <span class="pale">{unnamedMover(method)}</span>;
  return (
    <Link href={addresses.identity(identityUid)}>
      <bdi title={identityName}>{identityName || "an identity"}</bdi>
    </Link>
  );
}

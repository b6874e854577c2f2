/** The parts of tables about moves of tags. */
import { Link } from "wouter-preact";
import type { RecordedTagMove, TagMoveKind, TagMoveWarning } from "../../client/index.ts";
import { moveKindWords, moveWarningWords } from "../data/tag_moves.ts";
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

/** The warnings of a move. Their meaning appears when the pointer is on them. */
export function MoveWarnings({ warnings = [] }: { warnings: TagMoveWarning[] | undefined }) {
  return (
    <span class="move-warnings">
      {warnings.map((warning) => {
        const [text, meaning] = moveWarningWords[warning] ?? ["Warning", ""];
        return (
          <span key={warning} title={meaning}>
            <Badge tone="warn">{text}</Badge>
          </span>
        );
      })}
    </span>
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
export function Mover({ move: { identityUid, identityName } }: { move: RecordedTagMove }) {
  if (!identityUid) return <span class="pale">not recorded</span>;
  return (
    <Link href={addresses.identity(identityUid)}>
      <bdi title={identityName}>{identityName || "an identity"}</bdi>
    </Link>
  );
}

/** Moves of tags in words. */
import { Link } from "wouter-preact";
import type { RecordedTagMove, TagMoveKind, TagMoveWarning } from "../../client/index.ts";
import { Badge, type Tone } from "../elements/badge.tsx";
import { addresses } from "../frame/addresses.ts";

const kinds: Record<TagMoveKind, [string, Tone]> = {
  TAG_MOVE_KIND_UNSPECIFIED: ["Moved", "plain"],
  TAG_MOVE_KIND_CREATED: ["Created", "good"],
  TAG_MOVE_KIND_MOVED: ["Moved", "info"],
  TAG_MOVE_KIND_ROLLED_BACK: ["Rolled back", "warn"],
  TAG_MOVE_KIND_DELETED: ["Deleted", "bad"],
};

/** The kinds that a person can filter by, and their words. */
export const kindOptions = (
  [
    "TAG_MOVE_KIND_CREATED",
    "TAG_MOVE_KIND_MOVED",
    "TAG_MOVE_KIND_ROLLED_BACK",
    "TAG_MOVE_KIND_DELETED",
  ] as const
).map((kind) => [kind, kinds[kind][0]] as const);

export function KindBadge({
  kind = "TAG_MOVE_KIND_UNSPECIFIED",
}: {
  kind: TagMoveKind | undefined;
}) {
  const [text, tone] = kinds[kind] ?? ["Moved", "plain"];
  return <Badge tone={tone}>{text}</Badge>;
}

const warningWords: Partial<Record<TagMoveWarning, [string, string]>> = {
  TAG_MOVE_WARNING_RELEASE_MOVED: [
    "Release moved",
    "A tag with a complete version should always point to the same image.",
  ],
  TAG_MOVE_WARNING_OLDER_DIGEST: [
    "Older image",
    "The tag moved back to an image that it had before.",
  ],
  TAG_MOVE_WARNING_MANY_TAGS: [
    "Many tags at once",
    "Unusually many tags of the repository moved together.",
  ],
};

/** The warnings of a move. Their meaning appears when the pointer is on them. */
export function Warnings({ warnings = [] }: { warnings: TagMoveWarning[] | undefined }) {
  return (
    <>
      {warnings.map((warning) => {
        const [text, meaning] = warningWords[warning] ?? ["Warning", ""];
        return (
          <span key={warning} title={meaning} class="moves-warning">
            <Badge tone="warn">{text}</Badge>
          </span>
        );
      })}
    </>
  );
}

/** The image of a move, as a link to its repository. */
export function MovedTag({ move: { repoUid = "", repo, tag } }: { move: RecordedTagMove }) {
  return (
    <Link href={addresses.repository(repoUid)}>
      <bdi>{repo}</bdi>:<bdi>{tag}</bdi>
    </Link>
  );
}

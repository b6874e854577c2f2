/** The moves of tags in words, which are the same on all pages. */
import type { TagMoveKind, TagMoveWarning } from "../../client/index.ts";

/** The kinds of moves. */
export const moveKindWords: Record<TagMoveKind, string> = {
  TAG_MOVE_KIND_UNSPECIFIED: "Moved",
  TAG_MOVE_KIND_CREATED: "Created",
  TAG_MOVE_KIND_MOVED: "Moved",
  TAG_MOVE_KIND_ROLLED_BACK: "Rolled back",
  TAG_MOVE_KIND_DELETED: "Deleted",
};

/** Who moved a tag, if no identity is recorded. The platform itself carries out expiry plans, and follows upstreams. */
export const unnamedMover = (method: string | undefined): string =>
  method === "TAG_MOVE_METHOD_EXPIRY" || method === "TAG_MOVE_METHOD_MIRROR"
    ? "the platform"
    : "not recorded";

/** The warnings about moves, and what they mean. */
export const moveWarningWords: Record<TagMoveWarning, readonly [text: string, meaning: string]> = {
  TAG_MOVE_WARNING_UNSPECIFIED: ["Warning", ""],
  TAG_MOVE_WARNING_RELEASE_MOVED: [
    "Release moved",
    "The name of the tag is a complete version, which should always be the same image.",
  ],
  TAG_MOVE_WARNING_OLDER_DIGEST: [
    "Older digest",
    "The tag went back to one of the digests in its last 100 records.",
  ],
  TAG_MOVE_WARNING_MANY_TAGS: [
    "Many tags",
    "Unusually many tags of the repository moved within minutes.",
  ],
};

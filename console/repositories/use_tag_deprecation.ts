/** Marks a tag as end of life, or removes the mark. */
import type { Client, Tag } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import { useRowChange } from "../data/row_change.ts";
import { tagRowsKey } from "./use_tags.ts";

interface Mark {
  tag: Pick<Tag, "uid" | "name">;
  deprecated: boolean;
  /** The digest that the person saw. If the tag has moved since, it is not marked. */
  seen?: string | undefined;
}

/**
 * Marks a tag. The platform changes a tag by creating it again, so the call sends where the tag points now. Otherwise it
 * would move a tag back that has just moved.
 */
export async function markTag(
  client: Client,
  repoUid: string,
  { tag: { uid }, deprecated, seen }: Mark,
): Promise<void> {
  const { name, digest = "", bundles = [] } = await client.tags.get(uid);
  if (seen !== undefined && digest !== seen) throw new Error("It has moved since you saw it.");
  await client.tags.create(repoUid, { name, digest, deprecated, bundles });
}

/** Returns the mutation that marks one tag in the lists. */
export function useTagDeprecation(repoUid: string) {
  const client = useClient();
  const mark = (input: Mark) => markTag(client, repoUid, input);
  return useRowChange<Mark, Tag>({
    lists: tagRowsKey(repoUid),
    call: mark,
    expect: (row, { tag, deprecated }) => (row.uid === tag.uid ? { ...row, deprecated } : row),
    done: ({ tag: { name }, deprecated }) =>
      deprecated ? `Marked ${name} as end of life.` : `${name} is no longer end of life.`,
    undo:
      ({ tag, deprecated }) =>
      () =>
        mark({ tag, deprecated: !deprecated }),
  });
}

/** The dialog that deletes a tag. */
import type { Repo, Tag } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import { useRowChange } from "../data/row_change.ts";
import { Digest } from "../elements/copy.tsx";
import { ConfirmDialog } from "../elements/dialog.tsx";
import { useOverride } from "../tag_rules/override.tsx";
import { tagRowsKey } from "./use_tags.ts";

/** Asks before a tag is deleted, and says what remains. */
export function DeleteTagDialog({
  repo,
  tag,
  onClose,
}: {
  repo: Repo;
  tag: Tag;
  onClose: () => void;
}) {
  const client = useClient();
  const override = useOverride(repo.uid);
  const deletion = useRowChange<Tag, Tag>({
    lists: tagRowsKey(repo.uid),
    call: ({ uid }) => client.tags.delete(uid, override.request),
    expect: (row, { uid }) => (row.uid === uid ? undefined : row),
    done: ({ name }) => `Deleted ${name}.`,
    undo: ({ name, digest, deprecated, bundles = [] }) =>
      digest === undefined
        ? undefined
        : () => client.tags.create(repo.uid, { name, digest, deprecated, bundles }),
  });
  return (
    <ConfirmDialog
      title={`Delete the tag ${tag.name}`}
      action="Delete"
      run={() => deletion.mutateAsync(tag)}
      refused={override.refused}
      onClose={onClose}
    >
      <p>
        Pulls of <bdi class="repositories-text">{`${repo.name}:${tag.name}`}</bdi> fail from then
        on.
      </p>
      <p>
        The image stays, and everyone with access can still pull it by its digest
        {tag.digest ? (
          <>
            {" "}
            <Digest digest={tag.digest} />
          </>
        ) : (
          ""
        )}
        . The history of the tag stays too.
      </p>
    </ConfirmDialog>
  );
}

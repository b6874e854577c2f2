/** The dialog that deletes a repository. */
import { useQuery, useQueryClient } from "@tanstack/preact-query";
import type { Repo } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import { formatCount } from "../elements/bytes.ts";
import { ConfirmDialog } from "../elements/dialog.tsx";
import { useNotify } from "../elements/notices.tsx";
import { useOverride } from "../tag_rules/override.tsx";

/** Asks for the name of the repository, and says what is lost. `onDeleted` runs after it is gone. */
export function DeleteRepositoryDialog({
  repo: { uid, name },
  onClose,
  onDeleted,
}: {
  repo: Pick<Repo, "uid" | "name">;
  onClose: () => void;
  onDeleted?: () => void;
}) {
  const client = useClient();
  const queries = useQueryClient();
  const notify = useNotify();
  const override = useOverride(uid);
  const all = { includeReferrers: true, includeDates: true, includeEpochs: true };
  const tags = useQuery({
    queryKey: ["tags", "count", uid],
    queryFn: () => client.tags.list({ childrenOf: uid, ...all, pageSize: 1 }).page(),
  });
  const count = tags.data?.totalCount;
  const run = async () => {
    await client.repos.delete(uid, override.request);
    notify({ text: `Deleted ${name}.` });
    onDeleted?.();
    queries.removeQueries({ queryKey: ["repos", uid] });
    void queries.invalidateQueries({ queryKey: ["repos"] });
  };
  return (
    <ConfirmDialog
      title={`Delete ${name}`}
      action="Delete"
      expected={name}
      run={run}
      refused={override.refused}
      onClose={onClose}
    >
      <p>This deletes everything in the repository:</p>
      <ul class="repositories-lost">
        <li>{count === undefined ? "all tags" : tagCount(count)}, so that no one can pull them</li>
        <li>all images, also for those who pull by digest</li>
        <li>all SBOMs and vulnerability reports</li>
        <li>the readme and the settings</li>
      </ul>
      <p>The history of its tags remains. You cannot undo this.</p>
    </ConfirmDialog>
  );
}

const tagCount = (count: number) =>
  count === 0 ? "no tags" : count === 1 ? "its only tag" : `all ${formatCount(count)} tags`;

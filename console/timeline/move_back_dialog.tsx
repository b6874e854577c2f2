/** The question before a tag moves back. It says from and to, and the move fails if the tag has moved in the meantime. */
import { useQuery, useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { FailedPrecondition } from "../../client/index.ts";
import { shortDigest } from "../data/digests.ts";
import { useMay } from "../data/may.ts";
import { useClient } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { Digest } from "../elements/copy.tsx";
import { ConfirmDialog } from "../elements/dialog.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { useNotify } from "../elements/notices.tsx";
import { Facts } from "../elements/page.tsx";
import { useOverride } from "../tag_rules/override.tsx";

/** The tag: the uid of its repository, and its name. */
export interface MovedBackTag {
  repo: string;
  name: string;
}

interface MoveBackDialogProps {
  tag: MovedBackTag;
  /** The digest to which the tag goes. */
  to: string;
  /** The digest to which the tag points, as the page shows it. Without it, the dialog asks the platform. */
  seen?: string | undefined;
  /** Called when the tag has moved. */
  onMoved?: () => void;
  onClose: () => void;
}

/** The digest to which the tag points now, from the refusal of a move that expected another one. Empty for nothing. */
function movedTo(error: Error): string | undefined {
  if (!(error instanceof FailedPrecondition)) return undefined;
  return error.violations.find(({ type }) => type === "TAG_MOVED")?.subject;
}

/** Reads the tag. Null if it was deleted. */
function useTag({ repo, name }: MovedBackTag) {
  const client = useClient();
  return useQuery({
    queryKey: ["tags", "to move back", repo, name],
    queryFn: async () => {
      const every = { includeReferrers: true, includeDates: true, includeEpochs: true };
      const [tag] = await client.tags.list({ childrenOf: repo, name, ...every }).all(1);
      return tag ?? null;
    },
    staleTime: 0,
  });
}

export function MoveBackDialog({ tag, to, seen, onMoved, onClose }: MoveBackDialogProps) {
  const client = useClient();
  const queries = useQueryClient();
  const notify = useNotify();
  const permissions = useMay(tag.repo);
  const override = useOverride(tag.repo);
  const { data, error } = useTag(tag);
  // The page behind the dialog can learn of a move, which the person has not seen.
  const [first] = useState(seen);
  const [moved, setMoved] = useState<string>();
  const from = moved || first || data?.digest;
  const run = async () => {
    const request = { uid: data?.uid ?? "", digest: to, currentDigest: from };
    try {
      await client.tags.rollbackTag({ ...request, ...override.request });
    } catch (thrown) {
      const now = thrown instanceof Error ? movedTo(thrown) : undefined;
      if (now !== undefined) setMoved(now);
      throw thrown;
    }
    for (const key of ["tags", "moves"]) await queries.invalidateQueries({ queryKey: [key] });
    onMoved?.();
    notify({ text: `Moved ${tag.name} back to ${shortDigest(to)}.` });
  };
  return (
    <ConfirmDialog
      title={`Move ${tag.name} back`}
      action="Move back"
      kind="primary"
      onClose={onClose}
      refusal={
        refusalOf(permissions, "the repository", "CAP_TAG_CREATE", "CAP_TAG_LIST") ??
        refusalIn(data, from, to)
      }
      refused={(refusal) =>
        movedTo(refusal) === undefined ? override.refused(refusal) : <MovedSince />
      }
      run={run}
    >
      {error && <ErrorNotice error={error} />}
      <Facts
        facts={[
          ["From", from && <Digest digest={from} />],
          ["To", <Digest key="to" digest={to} />],
        ]}
      />
      <p>
        From now on, everyone who pulls the tag gets the image of the second digest. The history
        shows that you moved it. You can move it again at any time.
      </p>
    </ConfirmDialog>
  );
}

/** Why the tag cannot move. `tag` is null if it was deleted, and undefined while it is not known. */
function refusalIn(
  tag: object | null | undefined,
  from: string | undefined,
  to: string,
): string | undefined {
  if (tag === null) return "The tag was deleted. Create it again to point it to this image.";
  if (tag === undefined) return "The platform has not said yet where the tag points.";
  return from === to ? "The tag points to this image already." : undefined;
}

const MovedSince = () => (
  <div class="error-notice" role="alert">
    <p class="error-message">Someone has moved the tag since you opened this. It stays there.</p>
    <p>The first digest is the new one. Do it again to move the tag back from there.</p>
  </div>
);

/** The dialogs that delete many tags, or mark them as end of life. Each shows first what changes and what stays. */
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { Repo, Tag } from "../../client/index.ts";
import { shortDigest } from "../data/digests.ts";
import { useClient } from "../data/platform.tsx";
import { Button } from "../elements/button.tsx";
import { formatCount } from "../elements/bytes.ts";
import { Dialog } from "../elements/dialog.tsx";
import { useNotify } from "../elements/notices.tsx";
import { type Bulk, type BulkCalls, type Left, useBulk } from "./use_bulk.ts";
import { markTag } from "./use_tag_deprecation.ts";

export const countTags = (count: number) => `${formatCount(count)} ${count === 1 ? "tag" : "tags"}`;

interface BulkProps {
  repo: Repo;
  tags: readonly Tag[];
  /** Called when all tags are tried, with those for which it failed. */
  onTried: (failed: readonly Tag[]) => void;
  onClose: () => void;
}

export function DeleteTagsDialog({ repo, ...props }: BulkProps) {
  const client = useClient();
  const calls = useMemo((): BulkCalls => {
    // A tag that has moved meanwhile is not the one that the person saw.
    const condition = ({ etag }: Tag) => ({ ifMatch: etag });
    return {
      check: (tag) => client.tags.delete(tag.uid, { ...condition(tag), validateOnly: true }),
      run: (tag) => client.tags.delete(tag.uid, condition(tag)),
    };
  }, [client]);
  return (
    <BulkDialog {...props} calls={calls} action="Delete" outcome="deleted" danger>
      <p>
        Pulls of these tags fail from then on. The images and the history of the tags stay, and
        everyone with access to <bdi>{repo.name}</bdi> can still pull the images by their digests.
      </p>
    </BulkDialog>
  );
}

export function EndOfLifeDialog({ repo, ...props }: BulkProps) {
  const client = useClient();
  const calls = useMemo((): BulkCalls => {
    const requireUnmarked = ({ digest, deprecated }: Tag) => {
      if (deprecated) throw new Error("It is at its end of life already.");
      if (digest === undefined) throw new Error("It points to no image yet.");
    };
    return {
      check: async (tag) => {
        requireUnmarked(tag);
        const { name, digest = "", bundles = [] } = tag;
        const marked = { name, digest, bundles, deprecated: true };
        await client.tags.create(repo.uid, marked, { validateOnly: true });
      },
      run: (tag) => markTag(client, repo.uid, { tag, deprecated: true, seen: tag.digest }),
    };
  }, [client, repo.uid]);
  return (
    <BulkDialog {...props} calls={calls} action="Mark as end of life" outcome="marked">
      <p>
        These tags get no new builds. Everyone can still pull them, and the list shows what replaces
        them.
      </p>
    </BulkDialog>
  );
}

interface BulkDialogProps extends Omit<BulkProps, "repo"> {
  calls: BulkCalls;
  /** The verb on the button. */
  action: string;
  /** The verb in reports, such as `deleted`. */
  outcome: string;
  danger?: boolean;
  /** The consequences. */
  children: ComponentChildren;
}

function BulkDialog(props: BulkDialogProps) {
  const { tags, calls, action, outcome, danger = false, onTried, onClose, children } = props;
  const notify = useNotify();
  const { bulk, runAll } = useBulk(tags, calls);
  const { state, possible } = bulk;
  const run = async () => {
    const { done, failed } = await runAll();
    onTried(failed.map(({ tag }) => tag));
    if (failed.length > 0) return;
    notify({ text: `${countTags(done.length)} ${outcome}.` });
    onClose();
  };
  return (
    <Dialog title={`${action}: ${countTags(tags.length)}`} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (state === "ready" && possible.length > 0) void run();
        }}
      >
        <Progress bulk={bulk} of={tags.length} outcome={outcome} />
        {state === "done" ? (
          <LeftTags title={`Not ${outcome}`} left={bulk.failed} />
        ) : (
          <>
            <Possible tags={possible} outcome={outcome} />
            <LeftTags title="Stay as they are" left={bulk.refused} />
            {possible.length > 0 && children}
          </>
        )}
        <footer class="dialog-actions">
          <Button onClick={onClose}>{closeTexts[state]}</Button>
          {state !== "done" && (
            <Button
              type="submit"
              kind={danger ? "danger" : "primary"}
              busy={state === "running"}
              refusal={refusalIn(bulk, outcome)}
            >
              {action}
            </Button>
          )}
        </footer>
      </form>
    </Dialog>
  );
}

const closeTexts = { checking: "Cancel", ready: "Cancel", running: "Stop", done: "Close" };

function refusalIn({ state, possible }: Bulk, outcome: string): string | undefined {
  if (state === "checking") return "The platform is still checking the tags.";
  return possible.length === 0 ? `None of the tags can be ${outcome}.` : undefined;
}

interface ProgressProps {
  bulk: Bulk;
  /** The number of tags that the person has selected. */
  of: number;
  outcome: string;
}

function Progress({ bulk, of, outcome }: ProgressProps) {
  const { state, possible, refused, done, failed } = bulk;
  const texts = {
    checking: `Checked ${formatCount(possible.length + refused.length)} of ${countTags(of)}…`,
    ready: `${formatCount(possible.length)} of ${countTags(of)} can be ${outcome}.`,
    running: `Tried ${formatCount(done.length + failed.length)} of ${countTags(possible.length)}…`,
    done: `${formatCount(done.length)} of ${countTags(possible.length)} ${outcome}.`,
  };
  return <p role="status">{texts[state]}</p>;
}

function Possible({ tags, outcome }: { tags: readonly Tag[]; outcome: string }) {
  if (tags.length === 0) return null;
  return (
    <section class="repositories-bulk" aria-label={`To be ${outcome}`}>
      <h3>To be {outcome}</h3>
      <ul>
        {tags.map(({ uid, name, digest = "" }) => (
          <li key={uid}>
            <bdi>{name}</bdi> <code title={digest}>{shortDigest(digest)}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}

function LeftTags({ title, left }: { title: string; left: readonly Left[] }) {
  if (left.length === 0) return null;
  return (
    <section class="repositories-bulk" aria-label={title}>
      <h3>{title}</h3>
      <ul>
        {left.map(({ tag: { uid, name }, why }) => (
          <li key={uid}>
            <bdi>{name}</bdi>: <bdi>{why}</bdi>
          </li>
        ))}
      </ul>
    </section>
  );
}

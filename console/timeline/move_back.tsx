/** The button that moves the tag back to the image of the chosen moment, and the question before it. */
import { useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { shortDigest } from "../data/digests.ts";
import { useMay } from "../data/may.ts";
import { useClient } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { Button } from "../elements/button.tsx";
import { ConfirmDialog } from "../elements/dialog.tsx";
import { useNotify } from "../elements/notices.tsx";
import { useOverride } from "../tag_rules/override.tsx";

interface MoveBackProps {
  tag: { uid: string; repo: string; name: string };
  digest: string;
  /** Called when the tag has moved. */
  onMoved: () => void;
}

export function MoveBack({ tag, digest, onMoved }: MoveBackProps) {
  const client = useClient();
  const queries = useQueryClient();
  const notify = useNotify();
  const permissions = useMay(tag.repo);
  const override = useOverride(tag.repo);
  const [isOpen, setOpen] = useState(false);
  const place = <code title={digest}>{shortDigest(digest)}</code>;
  return (
    <div class="timeline-move-back">
      <Button
        refusal={refusalOf(permissions, "the repository", "CAP_TAG_CREATE", "CAP_TAG_LIST")}
        onClick={() => setOpen(true)}
      >
        Move the tag back to this image
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={`Move ${tag.name} back`}
          action="Move back"
          kind="primary"
          onClose={() => setOpen(false)}
          refused={override.refused}
          run={async () => {
            await client.tags.rollbackTag({ uid: tag.uid, digest, ...override.request });
            await queries.invalidateQueries({ queryKey: ["tags"] });
            onMoved();
            notify({ text: `Moved ${tag.name} back to ${shortDigest(digest)}.` });
          }}
        >
          <p>
            From now on, everyone who pulls the tag gets the image {place}. The history shows that
            you moved it. You can move it again at any time.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}

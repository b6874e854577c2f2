/** The dialog before a change of the tokens that an identity accepts: who gains and loses access, and then the save. */
import { useQueryClient } from "@tanstack/preact-query";
import { useLocation } from "wouter-preact";
import { type Identity, type IdentityInput, InvalidArgument } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import { previewRefusal, useAccessPreview } from "../data/preview.ts";
import type { useUnchanged } from "../data/unchanged.ts";
import { AccessPreview } from "../elements/access_changes.tsx";
import { Button } from "../elements/button.tsx";
import { ConfirmDialog } from "../elements/dialog.tsx";
import { useNotify } from "../elements/notices.tsx";
import { addresses } from "../frame/addresses.ts";

interface ReviewProps {
  identity: Identity;
  change: Partial<IdentityInput>;
  updateMask: string[];
  write: ReturnType<typeof useUnchanged<Identity>>;
  /** Gets the refusal if the form must be corrected. */
  onClose: (refusal?: Error) => void;
}

export function ReviewDialog({
  identity: { uid, name },
  change,
  updateMask,
  write,
  onClose,
}: ReviewProps) {
  const client = useClient();
  const queries = useQueryClient();
  const notify = useNotify();
  const [, navigate] = useLocation();
  const preview = useAccessPreview(["identity", uid, change], () =>
    client.identities.update(uid, change, { updateMask, validateOnly: true }),
  );
  const refusal = preview.error;
  return (
    <ConfirmDialog
      title={`Change what ${name} accepts`}
      action="Save"
      kind="primary"
      refusal={previewRefusal(preview)}
      onClose={() => onClose(refusal instanceof InvalidArgument ? refusal : undefined)}
      run={async () => {
        const changed = await write((options) =>
          client.identities.update(uid, change, { ...options, updateMask }),
        );
        queries.setQueryData(["identities", uid], changed);
        navigate(addresses.identity(uid));
        notify({ text: `Saved ${changed.name}.` });
        await queries.invalidateQueries({ queryKey: ["identities"] });
      }}
    >
      <p>
        From the next call on, the platform refuses the tokens that this identity has now. A
        workload must get a new one. If your own token depends on this identity, it ends too.
      </p>
      <AccessPreview query={preview} />
      {refusal instanceof InvalidArgument && (
        <Button onClick={() => onClose(refusal)}>Correct the form</Button>
      )}
    </ConfirmDialog>
  );
}

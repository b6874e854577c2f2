/** The dialog that deletes an identity, and says what ends with it. */
import { useQueryClient } from "@tanstack/preact-query";
import { useLocation } from "wouter-preact";
import { useClient } from "../data/platform.tsx";
import { previewRefusal, useAccessPreview } from "../data/preview.ts";
import { rootOf } from "../data/uids.ts";
import { AccessPreview } from "../elements/access_changes.tsx";
import { ConfirmDialog } from "../elements/dialog.tsx";
import { useNotify } from "../elements/notices.tsx";
import { addresses } from "../frame/addresses.ts";

export function DeleteIdentityDialog({
  uid,
  name,
  onClose,
}: {
  uid: string;
  name: string;
  onClose: () => void;
}) {
  const client = useClient();
  const queries = useQueryClient();
  const notify = useNotify();
  const [, navigate] = useLocation();
  const preview = useAccessPreview(["delete identity", uid], async () =>
    client.identities.delete(uid, { validateOnly: true }),
  );
  return (
    <ConfirmDialog
      title={`Delete ${name}`}
      action="Delete"
      expected={name}
      refusal={previewRefusal(preview)}
      onClose={onClose}
      run={async () => {
        await client.identities.delete(uid);
        navigate(addresses.identities(rootOf(uid)));
        queries.removeQueries({ queryKey: ["identities", uid] });
        await queries.invalidateQueries({ queryKey: ["identities"] });
        notify({ text: `Deleted ${name}.` });
      }}
    >
      <p>
        From the next call on, all tokens of this identity are refused. Its role bindings are
        deleted too. A new identity gets another uid, so jobs that name this one must be changed.
        You cannot undo this.
      </p>
      <AccessPreview query={preview} />
    </ConfirmDialog>
  );
}

/** The dialog in which someone who is signed in accepts an invite. */
import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { NotFound, type RoleBinding } from "../../client/index.ts";
import { useClient, useSessionState } from "../data/platform.tsx";
import { Button } from "../elements/button.tsx";
import { Dialog } from "../elements/dialog.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { TextField } from "../elements/fields.tsx";
import { addresses } from "../frame/addresses.ts";

/** `code` is the code of the link, or an empty text if the person types it. */
export default function AcceptInvite({ code, onClose }: { code: string; onClose: () => void }) {
  const client = useClient();
  const queries = useQueryClient();
  const session = useSessionState();
  const [typed, setTyped] = useState(code);
  const acceptance = useMutation({
    mutationFn: () => client.groupInvites.acceptGroupInvite({ code: typed.trim() }),
    onSuccess: () => queries.invalidateQueries(),
  });
  if (acceptance.data) return <Accepted binding={acceptance.data} onClose={onClose} />;
  const person = session.kind === "signed-out" ? "" : session.name;
  return (
    <Dialog title="Accept an invite" onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          acceptance.mutate();
        }}
      >
        <p class="invites-text">
          You are signed in as <bdi class="invites-person">{person}</bdi>. This identity gets the
          role of the invite.
        </p>
        {code === "" && (
          <TextField
            label="Code"
            hint="The code of an invite, or the uid of a role binding that waits for you."
            value={typed}
            onInput={setTyped}
            required
          />
        )}
        {acceptance.error && <Refused error={acceptance.error} />}
        <footer class="dialog-actions">
          <Button onClick={onClose}>{code === "" ? "Cancel" : "Not now"}</Button>
          <Button type="submit" kind="primary" busy={acceptance.isPending}>
            Accept
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

function Refused({ error }: { error: Error }) {
  if (!(error instanceof NotFound)) return <ErrorNotice error={error} />;
  return (
    <div class="error-notice" role="alert">
      <p class="error-message">This invite does not work.</p>
      <p>
        It has expired, someone has used it, someone has deleted it, or the code is wrong. The
        platform does not say which. Ask the person who sent it for another one.
      </p>
    </div>
  );
}

function Accepted({ binding, onClose }: { binding: RoleBinding; onClose: () => void }) {
  const { role, group } = binding;
  return (
    <Dialog title="Invite accepted" onClose={onClose}>
      <p class="invites-text" role="status">
        You have the role <strong>{role?.name}</strong> on <bdi>{group?.name}</bdi>.
      </p>
      <footer class="dialog-actions">
        <Link class="button primary" href={addresses.repositories(group?.uid)} onClick={onClose}>
          Open the group
        </Link>
      </footer>
    </Dialog>
  );
}

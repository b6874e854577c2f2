/** The dialog that deletes an identity provider. */
import { useQueryClient } from "@tanstack/preact-query";
import { useLocation } from "wouter-preact";
import type { IdentityProvider } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import { parentOf } from "../data/uids.ts";
import { ConfirmDialog } from "../elements/dialog.tsx";
import { useNotify } from "../elements/notices.tsx";
import { addresses } from "../frame/addresses.ts";

export function DeleteProviderDialog({
  provider: { uid, name },
  onClose,
}: {
  provider: IdentityProvider;
  onClose: () => void;
}) {
  const client = useClient();
  const queries = useQueryClient();
  const notify = useNotify();
  const [, navigate] = useLocation();
  return (
    <ConfirmDialog
      title={`Delete ${name}`}
      action="Delete"
      expected={name}
      run={async () => {
        await client.identityProviders.delete(uid);
        notify({ text: `Deleted ${name}.` });
        navigate(addresses.identityProviders(parentOf(uid)));
        queries.removeQueries({ queryKey: ["identityProviders", uid] });
        await queries.invalidateQueries({ queryKey: ["identityProviders"] });
      }}
      onClose={onClose}
    >
      <ul class="identity-providers-consequences">
        <li>No one can log in through it any longer.</li>
        <li>The tokens of people who have logged in through it stop working.</li>
        <li>Its role mappings and its provisioned users are deleted.</li>
        <li>You cannot undo this.</li>
      </ul>
    </ConfirmDialog>
  );
}

/** The dialogs before SCIM is switched on, and before its token is revoked. */
import type { IdentityProvider } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import { useRefresh } from "../data/refresh.ts";
import { ConfirmDialog } from "../elements/dialog.tsx";

export function EnableScimDialog({
  name,
  enable,
  onClose,
}: {
  name: string;
  enable: () => Promise<unknown>;
  onClose: () => void;
}) {
  return (
    <ConfirmDialog
      title={`Switch SCIM of ${name} on`}
      action="Switch on"
      kind="primary"
      run={enable}
      onClose={onClose}
    >
      <ul class="identity-providers-consequences">
        <li>Only people whom the provider has provisioned, and who are active, can log in.</li>
        <li>The provider can add users, and remove their access at any time.</li>
        <li>
          The organization needs two role bindings of the role <code>owner</code> on itself, so that
          a mistake at the provider locks no one out.
        </li>
        <li>You can switch it off again. That keeps the users and the token.</li>
      </ul>
    </ConfirmDialog>
  );
}

export function RevokeTokenDialog({
  provider: { uid, name },
  onClose,
}: {
  provider: IdentityProvider;
  onClose: () => void;
}) {
  const client = useClient();
  const { refresh, notify } = useRefresh(["identityProviders"]);
  return (
    <ConfirmDialog
      title="Revoke the SCIM token"
      action="Revoke"
      run={async () => {
        await client.identityProviders.revokeScimToken({ identityProviderUid: uid });
        await refresh();
        notify({ text: `Revoked the SCIM token of ${name}.` });
      }}
      onClose={onClose}
    >
      <ul class="identity-providers-consequences">
        <li>The token and the one before it stop working at once.</li>
        <li>The provider can then neither add nor remove users.</li>
        <li>SCIM stays as it is, on or off. You can issue another token at any time.</li>
      </ul>
    </ConfirmDialog>
  );
}

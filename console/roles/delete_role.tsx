/** The dialog that deletes a role. The platform refuses that while someone has it. */
import { Link, useLocation } from "wouter-preact";
import { FailedPrecondition } from "../../client/index.ts";
import { useChange } from "../data/change.ts";
import { useClient } from "../data/platform.tsx";
import { previewRefusal, useAccessPreview } from "../data/preview.ts";
import { accessQueries } from "../data/refresh.ts";
import { parentOf } from "../data/uids.ts";
import { AccessPreview } from "../elements/access_changes.tsx";
import { ConfirmDialog } from "../elements/dialog.tsx";
import { addresses } from "../frame/addresses.ts";

interface DeleteRoleProps {
  uid: string;
  name: string;
  onClose: () => void;
}

export function DeleteRoleDialog({ uid, name, onClose }: DeleteRoleProps) {
  const client = useClient();
  const [, navigate] = useLocation();
  const preview = useAccessPreview(["roles", uid, "delete"], () =>
    client.roles.delete(uid, { validateOnly: true }),
  );
  const deletion = useChange<string>({
    key: ["roles"],
    affects: accessQueries,
    call: async (role) => {
      await client.roles.delete(role);
      navigate(addresses.roles(parentOf(uid)));
    },
    done: () => `Deleted the role ${name}.`,
  });
  const isUsed =
    preview.error instanceof FailedPrecondition &&
    preview.error.violations.some(({ type }) => type === "RESOURCE_IN_USE");
  return (
    <ConfirmDialog
      title={`Delete the role ${name}`}
      action="Delete"
      refusal={previewRefusal(preview)}
      run={() => deletion.mutateAsync(uid)}
      onClose={onClose}
    >
      {isUsed ? (
        <div class="error-notice" role="alert">
          <p class="error-message">Someone still gets this role.</p>
          <p>
            A role binding, a role mapping or an identity provider gives it. Change these first. See{" "}
            <Link href={`${addresses.role(uid)}?view=who`} onClick={onClose}>
              who has it
            </Link>
            .
          </p>
        </div>
      ) : (
        <>
          <p>You cannot undo this.</p>
          <AccessPreview query={preview} />
        </>
      )}
    </ConfirmDialog>
  );
}

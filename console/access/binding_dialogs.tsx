/** The dialogs that change and remove the role of someone. Each shows first who would gain and lose access. */
import { useState } from "preact/hooks";
import type { RoleBinding } from "../../client/index.ts";
import type { Choice } from "../data/choices.ts";
import { identityName } from "../data/people.ts";
import { useClient } from "../data/platform.tsx";
import { previewRefusal, useAccessPreview } from "../data/preview.ts";
import { accessQueries } from "../data/refresh.ts";
import { useRowChange } from "../data/row_change.ts";
import { parentOf } from "../data/uids.ts";
import { writeUnchanged } from "../data/unchanged.ts";
import { AccessPreview } from "../elements/access_changes.tsx";
import { ConfirmDialog } from "../elements/dialog.tsx";
import { RolePicker } from "../elements/pickers.tsx";

/** A change of a role binding: another role, or none, which removes it. */
interface BindingChange {
  binding: RoleBinding;
  role: Choice | undefined;
}

/** Changes role bindings. The table shows a change at once, and it can be undone where that is safe. */
export function useBindingChanges() {
  const client = useClient();
  return useRowChange<BindingChange, RoleBinding>({
    lists: ["roleBindings"],
    affects: accessQueries,
    call: ({ binding, role }) =>
      writeUnchanged<RoleBinding, unknown>(client, binding, {
        read: (uid) => client.roleBindings.get(uid),
        write: (options) =>
          role
            ? client.roleBindings.update(binding.uid, { roleUid: role.uid }, options)
            : client.roleBindings.delete(binding.uid, options),
      }),
    expect(row, { binding, role }) {
      if (row.uid !== binding.uid) return row;
      return role && { ...row, role: { uid: role.uid, name: role.name } };
    },
    done: ({ binding, role }) =>
      role
        ? `${nameOf(binding)} now has the role ${role.name}.`
        : `Removed the role ${binding.role?.name} from ${nameOf(binding)}.`,
    undo({ binding: { uid, identity, role: before }, role }) {
      const identityUid = identity?.uid ?? "";
      const roleUid = before?.uid ?? "";
      if (role) return () => client.roleBindings.update(uid, { roleUid });
      // A person may have left the organization with it, and would have to accept the new role binding.
      if (parentOf(identityUid) === "") return undefined;
      return () => client.roleBindings.create(parentOf(uid), { identityUid, roleUid });
    },
  });
}

const nameOf = ({ identity = {} }: RoleBinding) => identityName(identity);

interface DialogProps {
  binding: RoleBinding;
  changes: ReturnType<typeof useBindingChanges>;
  onClose: () => void;
}

/** Gives the identity another role on the same group. */
export function ChangeRoleDialog({ binding, changes, onClose }: DialogProps) {
  const client = useClient();
  const { uid, group, role: before } = binding;
  const [role, setRole] = useState<Choice>();
  const isOther = role !== undefined && role.uid !== before?.uid;
  const preview = useAccessPreview(
    ["roleBindings", uid, role?.uid],
    isOther
      ? () => client.roleBindings.update(uid, { roleUid: role.uid }, { validateOnly: true })
      : undefined,
  );
  return (
    <ConfirmDialog
      title={`Change the role of ${nameOf(binding)}`}
      action="Change role"
      kind="primary"
      refusal={isOther ? previewRefusal(preview) : "Choose another role first."}
      run={async () => changes.mutate({ binding, role })}
      onClose={onClose}
    >
      <p>
        The role on <bdi>{group?.name}</bdi> is now <code>{before?.name}</code>.
      </p>
      <RolePicker label="New role" group={parentOf(uid)} value={role} onChange={setRole} />
      {isOther && <AccessPreview query={preview} />}
    </ConfirmDialog>
  );
}

/** Takes the role away from the identity. */
export function RemoveAccessDialog({ binding, changes, onClose }: DialogProps) {
  const client = useClient();
  const { uid, group, role, pending } = binding;
  const preview = useAccessPreview(["roleBindings", uid, "delete"], () =>
    client.roleBindings.delete(uid, { validateOnly: true }),
  );
  return (
    <ConfirmDialog
      title={`Remove the role ${role?.name} from ${nameOf(binding)}`}
      action="Remove access"
      refusal={previewRefusal(preview)}
      run={async () => changes.mutate({ binding, role: undefined })}
      onClose={onClose}
    >
      <p>
        {pending
          ? "The person has not accepted the role yet, and can no longer accept it."
          : "It ends with the next call of the identity."}{" "}
        The role applies to <bdi>{group?.name}</bdi> and to everything below it.
      </p>
      <AccessPreview query={preview} />
    </ConfirmDialog>
  );
}

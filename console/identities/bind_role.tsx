/** The dialog that gives an identity a role on a group. */
import { useState } from "preact/hooks";
import type { Choice } from "../data/choices.ts";
import { useGroupPath } from "../data/names.ts";
import { useClient } from "../data/platform.tsx";
import { previewRefusal, useAccessPreview } from "../data/preview.ts";
import { accessQueries, useRefresh } from "../data/refresh.ts";
import { parentOf } from "../data/uids.ts";
import { AccessPreview } from "../elements/access_changes.tsx";
import { ConfirmDialog } from "../elements/dialog.tsx";
import { GroupPicker, RolePicker } from "../elements/pickers.tsx";

/** A role on a group, as far as it is chosen. */
export interface RoleDraft {
  role: Choice | undefined;
  group: Choice | undefined;
}

/** The fields for a role and its group. `reach` is the group of the identity, which has no access outside it. */
export function RoleFields({
  reach,
  draft,
  onChange,
}: {
  reach: string;
  draft: RoleDraft;
  onChange: (draft: RoleDraft) => void;
}) {
  const { role, group } = draft;
  return (
    <>
      <GroupPicker
        label="On the group"
        hint="The role applies to this group and to everything below it."
        group={reach}
        value={group}
        onChange={(next) => onChange({ ...draft, group: next })}
      />
      <RolePicker
        label="Role"
        group={group?.uid ?? reach}
        value={role}
        onChange={(next) => onChange({ ...draft, role: next })}
      />
    </>
  );
}

interface BindRoleProps {
  uid: string;
  name: string;
  onClose: () => void;
}

/** Creates a role binding. The dialog shows what the identity gains before that. */
export function BindRoleDialog({ uid, name, onClose }: BindRoleProps) {
  const client = useClient();
  const { refresh, notify } = useRefresh(["roleBindings"], ...accessQueries);
  const on = parentOf(uid);
  const groupName = useGroupPath(on).at(-1) ?? "";
  const [draft, setDraft] = useState<RoleDraft>({
    role: undefined,
    group: { uid: on, name: groupName },
  });
  const [roleUid = "", group = ""] = [draft.role?.uid, draft.group?.uid];
  const isChosen = roleUid !== "" && group !== "";
  const binding = { identityUid: uid, roleUid };
  const preview = useAccessPreview(
    ["bind", uid, roleUid, group],
    isChosen ? () => client.roleBindings.create(group, binding, { validateOnly: true }) : undefined,
  );
  return (
    <ConfirmDialog
      title={`Bind a role to ${name}`}
      action="Bind the role"
      kind="primary"
      refusal={isChosen ? previewRefusal(preview) : "Choose a group and a role first."}
      onClose={onClose}
      run={async () => {
        const made = await client.roleBindings.create(group, binding);
        await refresh();
        notify({
          text: `Bound ${draft.role?.name} to ${name}.`,
          undo: () => client.roleBindings.delete(made.uid).finally(refresh),
        });
      }}
    >
      <RoleFields reach={on} draft={draft} onChange={setDraft} />
      {isChosen && <AccessPreview query={preview} />}
    </ConfirmDialog>
  );
}

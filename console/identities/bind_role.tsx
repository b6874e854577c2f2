/** The dialog that gives an identity a role on a group. */
import { useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import type { Choice } from "../data/choices.ts";
import { useGroupPath } from "../data/group_names.ts";
import { useClient } from "../data/platform.tsx";
import { useAccessPreview } from "../data/preview.ts";
import { parentOf } from "../data/uids.ts";
import { AccessPreview } from "../elements/access_changes.tsx";
import { ConfirmDialog } from "../elements/dialog.tsx";
import { useNotify } from "../elements/notices.tsx";
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
  /** A role that is chosen already, such as the one that a question needs. */
  role?: Choice | undefined;
  /** The uid of the group that is chosen already. The default is the group of the identity. */
  on?: string | undefined;
  onClose: () => void;
}

/** Creates a role binding. The dialog shows what the identity gains before that. */
export function BindRoleDialog({ uid, name, role, on = parentOf(uid), onClose }: BindRoleProps) {
  const client = useClient();
  const queries = useQueryClient();
  const notify = useNotify();
  const groupName = useGroupPath(on).at(-1) ?? "";
  const [draft, setDraft] = useState<RoleDraft>({ role, group: { uid: on, name: groupName } });
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
      refusal={refusalOf(isChosen, preview.error)}
      onClose={onClose}
      run={async () => {
        await client.roleBindings.create(group, binding);
        await queries.invalidateQueries({ queryKey: ["role-bindings"] });
        await queries.invalidateQueries({ queryKey: ["question", uid] });
        notify({ text: `Bound ${draft.role?.name} to ${name}.` });
      }}
    >
      <RoleFields reach={parentOf(uid)} draft={draft} onChange={setDraft} />
      {isChosen && <AccessPreview query={preview} />}
    </ConfirmDialog>
  );
}

const refusalOf = (isChosen: boolean, error: Error | null): string | undefined => {
  if (!isChosen) return "Choose a group and a role first.";
  return error ? "The platform refuses this role binding." : undefined;
};

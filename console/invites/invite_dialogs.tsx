/** The dialogs that create, change and delete an invite. */
import { useState } from "preact/hooks";
import type { Group, GroupInvite } from "../../client/index.ts";
import { useChange } from "../data/change.ts";
import type { Choice } from "../data/choices.ts";
import { useClient } from "../data/platform.tsx";
import { useRefresh } from "../data/refresh.ts";
import { parentOf, rootOf } from "../data/uids.ts";
import { useUnchanged } from "../data/unchanged.ts";
import { ConfirmDialog, Dialog } from "../elements/dialog.tsx";
import { FormDialog } from "../elements/form_dialog.tsx";
import { GroupPicker } from "../elements/pickers.tsx";
import { SecretOnce } from "../elements/secret.tsx";
import { exactTime } from "../elements/time.tsx";
import { inviteLink } from "../session/invite.ts";
import { InviteFields, type InviteForm, inputOf, invitePaths, ttlOf } from "./invite_fields.tsx";

interface DialogProps {
  onClose: () => void;
}

/** Creates an invite to the group or one below it, and then shows its code once. */
export function NewInviteDialog({ group, onClose }: DialogProps & { group: Group }) {
  const client = useClient();
  const [target, setTarget] = useState<Choice | undefined>(group);
  const [form, setForm] = useState<InviteForm>({
    role: undefined,
    email: "",
    lifetime: "7",
    days: "14",
    isSingleUse: true,
  });
  const [invite, setInvite] = useState<GroupInvite>();
  const creation = useChange<InviteForm>({
    key: ["groupInvites"],
    call: async (input) =>
      setInvite(await client.groupInvites.create(target?.uid ?? "", inputOf(input))),
  });
  if (invite) return <NewCode invite={invite} name={target?.name ?? ""} onClose={onClose} />;
  const missing = target ? form.role : target;
  return (
    <FormDialog
      title="New invite"
      action="Create"
      change={creation}
      fields={invitePaths}
      refusal={missing ? undefined : "Choose a group and a role first."}
      onSubmit={() => creation.mutate(form)}
      onClose={onClose}
    >
      <GroupPicker group={group.uid} label="Group" value={target} onChange={setTarget} />
      <InviteFields
        group={target?.uid ?? group.uid}
        form={form}
        onChange={(changes) => setForm({ ...form, ...changes })}
        error={creation.error}
      />
    </FormDialog>
  );
}

function NewCode({ invite, name, onClose }: DialogProps & { invite: GroupInvite; name: string }) {
  const { uid, code = "", expirationTime = "", email, singleUse } = invite;
  const whom = email ? `The person with the address ${email}` : "Anyone with the link";
  return (
    <Dialog title={`Invite to ${name}`} onClose={onClose}>
      <SecretOnce
        warning="Copy the link or the code now. The platform does not show them again."
        texts={[
          // It contains the organization too, so that the person does not have to know its name.
          { label: "Link", text: inviteLink({ code, organization: rootOf(uid) }), what: "link" },
          { label: "Code", text: code, what: "code" },
        ]}
        onDone={onClose}
      >
        <p class="hint">
          Send it over a channel that only the person can read. {whom} gets the role until{" "}
          {exactTime(expirationTime)}
          {singleUse ? ", and only once" : ""}. The link leads to the sign-in. Someone who is signed
          in can also enter the code under Accept an invite.
        </p>
      </SecretOnce>
    </Dialog>
  );
}

/** Changes an invite. Its code stays the same. */
export function EditInviteDialog({ invite, onClose }: DialogProps & { invite: GroupInvite }) {
  const client = useClient();
  const { uid, roleUid, role, email = "", singleUse } = invite;
  const write = useUnchanged(invite, (of) => client.groupInvites.get(of));
  const [form, setForm] = useState<InviteForm>({
    role: role ? { uid: roleUid, name: role.name ?? "" } : undefined,
    email,
    lifetime: "",
    days: "14",
    isSingleUse: singleUse,
  });
  const update = useChange<InviteForm>({
    key: ["groupInvites"],
    call: async (input) => {
      const ttl = ttlOf(input);
      const { singleUse: isSingle, email: address } = inputOf(input);
      const changes = { roleUid: input.role?.uid, singleUse: isSingle, email: address ?? "", ttl };
      const updateMask = ["roleUid", "singleUse", "email", ...(ttl === undefined ? [] : ["ttl"])];
      await write((options) =>
        client.groupInvites.update(uid, changes, { updateMask, ...options }),
      );
      onClose();
    },
    done: () => "Saved the invite. Its code is the same as before.",
  });
  return (
    <FormDialog
      title="Edit the invite"
      action="Save"
      change={update}
      fields={invitePaths}
      refusal={form.role ? undefined : "Choose a role first."}
      onSubmit={() => update.mutate(form)}
      onClose={onClose}
    >
      <InviteFields
        group={parentOf(uid)}
        form={form}
        onChange={(changes) => setForm({ ...form, ...changes })}
        error={update.error}
        isOld
      />
    </FormDialog>
  );
}

export function DeleteInviteDialog({ invite, onClose }: DialogProps & { invite: GroupInvite }) {
  const client = useClient();
  const { refresh, notify } = useRefresh(["groupInvites"]);
  return (
    <ConfirmDialog
      title="Delete the invite"
      action="Delete"
      run={async () => {
        await client.groupInvites.delete(invite.uid);
        await refresh();
        notify({ text: "Deleted the invite." });
      }}
      onClose={onClose}
    >
      <p class="invites-text">
        The code <code>{invite.keyId}</code> no longer works. People who have accepted the invite
        keep their role.
      </p>
    </ConfirmDialog>
  );
}

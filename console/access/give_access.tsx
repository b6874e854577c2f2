/** The dialog that gives an identity a role on a group or on a repository. */
import { useMutation } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import type { Choice } from "../data/choices.ts";
import { useClient } from "../data/platform.tsx";
import { previewRefusal, useAccessPreview } from "../data/preview.ts";
import { accessQueries, useRefresh } from "../data/refresh.ts";
import { shortUid } from "../data/uids.ts";
import { AccessPreview } from "../elements/access_changes.tsx";
import { Button } from "../elements/button.tsx";
import { ConfirmDialog } from "../elements/dialog.tsx";
import { TextField, violationOf } from "../elements/fields.tsx";
import { FormError } from "../elements/form_error.tsx";
import { IdentityPicker, RolePicker } from "../elements/pickers.tsx";
import type { AccessPlace } from "./place.ts";

interface GiveAccessProps {
  group: AccessPlace;
  /** The identity and the role that the form begins with. */
  start?: { identity?: Choice; role?: Choice };
  onClose: () => void;
}

/** Chooses who gets which role, shows who would gain what, and creates the role binding. */
export function GiveAccessDialog({ group, start = {}, onClose }: GiveAccessProps) {
  const client = useClient();
  const [identity, setIdentity] = useState(start.identity);
  const [role, setRole] = useState(start.role);
  const give = useGive(group);
  const input = identity && role && { identityUid: identity.uid, roleUid: role.uid };
  const preview = useAccessPreview(
    ["roleBindings", group.uid, identity?.uid, role?.uid],
    input && (() => client.roleBindings.create(group.uid, input, { validateOnly: true })),
  );
  const missing = "Choose who gets access, and the role.";
  return (
    <ConfirmDialog
      title={`Give access on ${group.name}`}
      action="Give access"
      kind="primary"
      refusal={input ? previewRefusal(preview) : missing}
      run={async () => input && give(input, identity, role)}
      onClose={onClose}
    >
      <IdentityPicker
        label="Who"
        hint={
          group.kind === "group"
            ? "A person with a role in the organization, or a workload of this group or of a group above it."
            : "A person with a role in the organization, or a workload of a group above this repository."
        }
        group={group.uid}
        value={identity}
        onChange={setIdentity}
        error={violationOf(preview.error, "identity_uid")}
      />
      {!identity && <PersonForm onFound={setIdentity} />}
      <RolePicker
        label="Role"
        hint={
          group.kind === "group"
            ? "It applies to this group and to everything below it."
            : "It applies to this repository and its images, and to no other repository."
        }
        group={group.uid}
        value={role}
        onChange={setRole}
        error={violationOf(preview.error, "role_uid")}
      />
      {input && preview.data?.pending && (
        <p class="access-note">
          The person comes from outside the organization. The role gives nothing until they accept
          it, by an invite link or at their next sign-in through an identity provider of this
          organization.
        </p>
      )}
      {input && <AccessPreview query={preview} />}
    </ConfirmDialog>
  );
}

interface BindingInput {
  identityUid: string;
  roleUid: string;
}

/** Creates the role binding. To undo that, it is deleted. */
function useGive(group: { uid: string; name: string }) {
  const client = useClient();
  const { refresh, notify } = useRefresh(["roleBindings"], ...accessQueries);
  return async (input: BindingInput, identity: Choice, role: Choice) => {
    const { uid } = await client.roleBindings.create(group.uid, input);
    await refresh();
    notify({
      text: `${identity.name} now has the role ${role.name} on ${group.name}.`,
      undo: () => client.roleBindings.delete(uid).finally(refresh),
    });
  };
}

/** Finds the uid of a person who may never have signed in, by their issuer and subject. */
function PersonForm({ onFound }: { onFound: (person: Choice) => void }) {
  const client = useClient();
  const [issuer, setIssuer] = useState("");
  const [subject, setSubject] = useState("");
  const lookup = useMutation({
    mutationFn: async (input: { issuer: string; subject: string }) => {
      const { uid = "" } = await client.identities.lookupIdentity(input);
      onFound({ uid, name: `${input.subject} (${shortUid(uid)})` });
    },
  });
  return (
    <details class="access-person">
      <summary>Someone who is not in the list</summary>
      <p class="hint">
        A person can get a role before their first sign-in. Their tokens contain the issuer and the
        subject.
      </p>
      <TextField
        label="Issuer"
        type="url"
        placeholder="https://accounts.example.com"
        value={issuer}
        onInput={setIssuer}
        error={violationOf(lookup.error, "issuer")}
      />
      <TextField
        label="Subject"
        value={subject}
        onInput={setSubject}
        error={violationOf(lookup.error, "subject")}
      />
      <FormError error={lookup.error} fields={["issuer", "subject"]} />
      <Button
        busy={lookup.isPending}
        refusal={issuer && subject ? undefined : "Enter the issuer and the subject first."}
        onClick={() => lookup.mutate({ issuer: issuer.trim(), subject: subject.trim() })}
      >
        Find this person
      </Button>
    </details>
  );
}

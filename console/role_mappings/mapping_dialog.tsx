/** The dialog that creates or changes a role mapping. It shows who gains and loses access before the change. */
import { useState } from "preact/hooks";
import type {
  ExternalGroupRoleMapping,
  ExternalGroupRoleMappingInput,
  IdentityProvider,
  UpdateOptions,
  ValidateOptions,
} from "../../client/index.ts";
import { useChange } from "../data/change.ts";
import type { Choice } from "../data/choices.ts";
import { useName } from "../data/names.ts";
import { useClient } from "../data/platform.tsx";
import { useAccessPreview } from "../data/preview.ts";
import { accessQueries } from "../data/refresh.ts";
import { useSettled } from "../data/settled.ts";
import { rootOf } from "../data/uids.ts";
import { useUnchanged } from "../data/unchanged.ts";
import { AccessPreview } from "../elements/access_changes.tsx";
import { SelectField, TextField, violationOf } from "../elements/fields.tsx";
import { FormDialog } from "../elements/form_dialog.tsx";
import { Name } from "../elements/name.tsx";
import { RolePicker } from "../elements/pickers.tsx";

interface DialogProps {
  providers: readonly IdentityProvider[];
  /** The uid of the provider that the page shows. */
  provider?: string;
  /** The role mapping to change. */
  mapping?: ExternalGroupRoleMapping;
  onClose: () => void;
}

export function MappingDialog({ providers, provider = "", mapping, onClose }: DialogProps) {
  const [picked, setProvider] = useState(mapping?.identityProviderUid || provider);
  // The list of providers can arrive after the dialog has opened.
  const chosen = picked || providers[0]?.uid || "";
  const [externalGroup, setExternalGroup] = useState(mapping?.externalGroupId ?? "");
  const oldRole = useName("roles", mapping?.roleUid ?? "");
  const [newRole, setRole] = useState<Choice | null | undefined>(null);
  const role =
    newRole === null ? mapping && { uid: mapping.roleUid ?? "", name: oldRole } : newRole;
  const { write, check } = useWrite(chosen, mapping);
  const settled = useSettled(externalGroup.trim());
  const input = (group: string): ExternalGroupRoleMappingInput => ({
    externalGroupId: group,
    roleUid: role?.uid,
    scope: rootOf(chosen),
  });
  const isComplete = chosen !== "" && settled !== "" && role !== undefined;
  const preview = useAccessPreview(
    ["role-mappings", mapping?.uid ?? chosen, settled, role?.uid],
    isComplete ? () => check(input(settled)) : undefined,
  );
  const change = useChange<ExternalGroupRoleMappingInput>({
    key: ["externalGroupRoleMappings"],
    affects: accessQueries,
    call: async (input) => {
      await write(input);
      onClose();
    },
    done: ({ externalGroupId }) => `Mapped ${externalGroupId} to ${role?.name ?? "the role"}.`,
  });
  const error = change.error ?? preview.error;
  const [groupError, roleError] = [
    violationOf(error, "external_group_id"),
    violationOf(error, "role_uid"),
  ];
  return (
    <FormDialog
      title={mapping ? "Edit the role mapping" : "New role mapping"}
      action={mapping ? "Save" : "Create"}
      change={change}
      fields={["external_group_id", "role_uid"]}
      refusal={isComplete ? undefined : "Name an external group and a role first."}
      onSubmit={() => change.mutate(input(externalGroup.trim()))}
      onClose={onClose}
    >
      {!mapping && (
        <SelectField
          label="Identity provider"
          value={chosen}
          options={providers.map(({ uid, name }) => [uid, name] as const)}
          onChange={setProvider}
        />
      )}
      <TextField
        label="External group"
        hint="Exactly as the provider writes it in the groups claim."
        value={externalGroup}
        onInput={setExternalGroup}
        error={groupError}
        required
      />
      <RolePicker
        group={rootOf(chosen)}
        label="Role"
        value={role}
        onChange={setRole}
        error={roleError}
      />
      <p class="hint">
        The members get the role on <Name kind="groups" uid={rootOf(chosen)} /> and everything below
        it. A role mapping always applies to the whole organization.
      </p>
      {isComplete && !groupError && !roleError && !change.error && (
        <AccessPreview query={preview} />
      )}
    </FormDialog>
  );
}

const noMapping: ExternalGroupRoleMapping = { uid: "", createTime: "", updateTime: "" };

/** The calls that create or change the role mapping, and that only check it. */
function useWrite(provider: string, mapping: ExternalGroupRoleMapping | undefined) {
  const { externalGroupRoleMappings } = useClient();
  const unchanged = useUnchanged<ExternalGroupRoleMapping>(mapping ?? noMapping, (uid) =>
    externalGroupRoleMappings.get(uid),
  );
  const send = (input: ExternalGroupRoleMappingInput, options: UpdateOptions & ValidateOptions) =>
    mapping
      ? externalGroupRoleMappings.update(mapping.uid, input, options)
      : externalGroupRoleMappings.create(provider, input, options);
  return {
    write: (input: ExternalGroupRoleMappingInput) =>
      mapping ? unchanged((options) => send(input, options)) : send(input, {}),
    check: (input: ExternalGroupRoleMappingInput) => send(input, { validateOnly: true }),
  };
}

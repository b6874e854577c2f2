/** The dialog that deletes role mappings of one identity provider. It shows who loses access first. */
import type { ExternalGroupRoleMapping } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import { previewRefusal, useAccessPreview } from "../data/preview.ts";
import { accessQueries, useRefresh } from "../data/refresh.ts";
import { AccessPreview } from "../elements/access_changes.tsx";
import { ConfirmDialog } from "../elements/dialog.tsx";
import { Name } from "../elements/name.tsx";

interface DialogProps {
  mappings: readonly ExternalGroupRoleMapping[];
  onDeleted: () => void;
  onClose: () => void;
}

export function DeleteMappingsDialog({ mappings, onDeleted, onClose }: DialogProps) {
  const client = useClient();
  const { refresh, notify } = useRefresh(["externalGroupRoleMappings"], ...accessQueries);
  const names = mappings.map(({ uid }) => uid);
  const parent = mappings[0]?.identityProviderUid ?? "";
  const preview = useAccessPreview(["externalGroupRoleMappings", "delete", ...names], () =>
    client.externalGroupRoleMappings.batchDeleteExternalGroupRoleMappings({
      parent,
      names,
      validateOnly: true,
    }),
  );
  const isOne = mappings.length === 1;
  const restore = async () => {
    try {
      for (const { externalGroupId, roleUid, scope } of mappings)
        await client.externalGroupRoleMappings.create(parent, { externalGroupId, roleUid, scope });
    } catch (error) {
      notify({ text: "Not all role mappings are back.", error: error as Error });
    }
    await refresh();
  };
  return (
    <ConfirmDialog
      title={isOne ? "Delete the role mapping" : `Delete ${mappings.length} role mappings`}
      action="Delete"
      refusal={previewRefusal(preview)}
      run={async () => {
        await client.externalGroupRoleMappings.batchDeleteExternalGroupRoleMappings({
          parent,
          names,
        });
        onDeleted();
        await refresh();
        notify({
          text: isOne ? "Deleted the role mapping." : `Deleted ${mappings.length} role mappings.`,
          undo: restore,
        });
      }}
      onClose={onClose}
    >
      <ul class="role-mappings-names">
        {mappings.map(({ uid, externalGroupId, roleUid = "" }) => (
          <li key={uid}>
            <bdi>{externalGroupId}</bdi> as <Name kind="roles" uid={roleUid} />
          </li>
        ))}
      </ul>
      <p class="hint">The members lose the role with their next call.</p>
      <AccessPreview query={preview} />
    </ConfirmDialog>
  );
}

/** The editor of a role. Before it saves, it shows who would gain and lose access. */
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { Capability, Role } from "../../client/index.ts";
import { useChange } from "../data/change.ts";
import { useMay } from "../data/may.ts";
import { useClient } from "../data/platform.tsx";
import { previewRefusal, useAccessPreview } from "../data/preview.ts";
import { accessQueries } from "../data/refresh.ts";
import { refusalOf } from "../data/refusals.ts";
import { parentOf } from "../data/uids.ts";
import { useUnchanged } from "../data/unchanged.ts";
import { AccessPreview } from "../elements/access_changes.tsx";
import { Button } from "../elements/button.tsx";
import { ConfirmDialog } from "../elements/dialog.tsx";
import { trimmed } from "../elements/naming_fields.tsx";
import { Empty } from "../elements/states.tsx";
import { RoleFields, type RoleValues, valuesOf } from "./role_form.tsx";

/** `done` is the address that shows the role. */
export function EditRole({ role, done }: { role: Role; done: string }) {
  const client = useClient();
  const write = useUnchanged(role, (uid) => client.roles.get(uid));
  const [values, setValues] = useState(() => valuesOf(role));
  const [saved, save] = useState<RoleValues>();
  const [, navigate] = useLocation();
  const home = parentOf(role.uid);
  const permissions = useMay(home);
  if (home === "")
    return <Empty title="No one can change a built-in role. Copy it to begin one of your own." />;
  const refusal =
    refusalOf(permissions, "its group", "CAP_IAM_ROLES_UPDATE") ?? reasonAgainst(role, values);
  const had = new Set<string>(role.capabilities);
  const whyNot = (capability: Capability) =>
    !had.has(capability) && permissions.may(capability) === false
      ? "You cannot add it, because you do not have it on the group."
      : undefined;
  return (
    <form
      class="form roles-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!refusal) save({ ...values, ...trimmed(values) });
      }}
    >
      <RoleFields values={values} onChange={setValues} error={null} whyNot={whyNot} />
      <div class="roles-buttons">
        <Button type="submit" kind="primary" refusal={refusal}>
          Review the change
        </Button>
        <Button onClick={() => navigate(done)}>Cancel</Button>
      </div>
      {saved && (
        <SaveDialog
          role={role}
          values={saved}
          write={write}
          done={done}
          onClose={() => save(undefined)}
        />
      )}
    </form>
  );
}

/** Why the values cannot be saved. Undefined if they can. */
function reasonAgainst(role: Role, values: RoleValues): string | undefined {
  const [before, after] = [valuesOf(role), values].map((state) =>
    JSON.stringify({ ...state, capabilities: state.capabilities.toSorted() }),
  );
  if (values.capabilities.length === 0) return "A role needs at least one capability.";
  return before === after ? "Nothing has changed yet." : undefined;
}

interface SaveDialogProps {
  role: Role;
  write: ReturnType<typeof useUnchanged<Role>>;
  values: RoleValues;
  done: string;
  onClose: () => void;
}

function SaveDialog({ role, values, write, done, onClose }: SaveDialogProps) {
  const client = useClient();
  const [, navigate] = useLocation();
  const preview = useAccessPreview(["roles", role.uid, values], () =>
    client.roles.update(role.uid, values, { validateOnly: true }),
  );
  const change = useChange<RoleValues, Role>({
    key: ["roles", role.uid],
    affects: accessQueries,
    call: (input) => write((options) => client.roles.update(role.uid, input, options)),
    expect: (shown, input) => ({ ...shown, ...input, capabilities: [...input.capabilities] }),
    done: ({ name }) => `Saved the role ${name}.`,
    reverse: (before) => before && valuesOf(before),
  });
  return (
    <ConfirmDialog
      title={`Save ${values.name}`}
      action="Save"
      kind="primary"
      refusal={previewRefusal(preview)}
      run={async () => {
        await change.mutateAsync(values);
        navigate(done);
      }}
      onClose={onClose}
    >
      <p>The change takes effect at once for everyone who has the role.</p>
      <AccessPreview query={preview} />
    </ConfirmDialog>
  );
}

/** The dialog that creates a key, and shows it once. */
import { useState } from "preact/hooks";
import type { Key } from "../../client/index.ts";
import { useChange } from "../data/change.ts";
import { useClient } from "../data/platform.tsx";
import { Dialog } from "../elements/dialog.tsx";
import { SelectField, TextField, violationOf } from "../elements/fields.tsx";
import { FormDialog } from "../elements/form_dialog.tsx";
import { SecretOnce } from "../elements/secret.tsx";
import { exactTime } from "../elements/time.tsx";

const lifetimes = [
  ["7", "7 days"],
  ["30", "30 days"],
  ["90", "90 days"],
] as const;

const actionsOf = {
  pull: ["pull"],
  push: ["pull", "push"],
  delete: ["pull", "push", "delete"],
};

const access = [
  ["pull", "Pull"],
  ["push", "Pull and push"],
  ["delete", "Pull, push and delete"],
] as const;

/** The words of a text, such as networks that are separated by spaces or commas. */
const wordsOf = (text: string) => text.split(/[\s,]+/).filter((word) => word !== "");

export function NewKeyDialog({ identity, onClose }: { identity: string; onClose: () => void }) {
  const client = useClient();
  const [name, setName] = useState("");
  const [allowed, setAllowed] = useState<keyof typeof actionsOf>("pull");
  const [scopes, setScopes] = useState("");
  const [networks, setNetworks] = useState("");
  const [days, setDays] = useState<(typeof lifetimes)[number][0]>("30");
  const [made, setMade] = useState<Key>();
  const change = useChange<void>({
    key: ["keys", identity],
    call: async () => {
      // A minute less, because clocks differ.
      const expireTime = new Date(Date.now() + Number(days) * 86_400_000 - 60_000).toISOString();
      const limits = { scopes: wordsOf(scopes), networks: wordsOf(networks) };
      const actions = actionsOf[allowed];
      setMade(await client.keys.create(identity, { name, actions, expireTime, ...limits }));
    },
  });
  if (made) return <MadeKey of={made} onClose={onClose} />;
  return (
    <FormDialog
      title="Create a key"
      action="Create"
      change={change}
      fields={["name", "scopes", "networks", "expire_time"]}
      onSubmit={() => change.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="The system that stores the key, in lowercase letters."
        value={name}
        onInput={setName}
        error={violationOf(change.error, "name")}
      />
      <SelectField label="It can" value={allowed} options={access} onChange={setAllowed} />
      <TextField
        label="Repositories"
        hint="Uids of repositories or groups. Leave it empty for all that the identity reaches."
        value={scopes}
        onInput={setScopes}
        error={violationOf(change.error, "scopes")}
      />
      <TextField
        label="Networks"
        hint="Blocks of addresses such as 192.0.2.0/24. Leave it empty for any."
        value={networks}
        onInput={setNetworks}
        error={violationOf(change.error, "networks")}
      />
      <SelectField
        label="It works for"
        value={days}
        options={lifetimes}
        onChange={setDays}
        error={violationOf(change.error, "expire_time")}
      />
    </FormDialog>
  );
}

function MadeKey({
  of: { secret = "", expireTime = "" },
  onClose,
}: {
  of: Key;
  onClose: () => void;
}) {
  return (
    <Dialog title="The key" onClose={onClose}>
      <SecretOnce
        warning="Copy the key now. The platform does not show it again."
        texts={[
          { label: "User name", text: "key", what: "user name" },
          { label: "Password", text: secret, what: "key" },
        ]}
        onDone={onClose}
      >
        <p class="hint">The key works until {exactTime(expireTime)}, only at the registry.</p>
      </SecretOnce>
    </Dialog>
  );
}

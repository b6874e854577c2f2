/** The keys of an identity: what each is limited to, when it was used, and how it ends. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import type { Identity, Key } from "../../client/index.ts";
import { useMay } from "../data/may.ts";
import { useClient } from "../data/platform.tsx";
import { useRefresh } from "../data/refresh.ts";
import { refusalOf } from "../data/refusals.ts";
import { Button } from "../elements/button.tsx";
import { ConfirmDialog } from "../elements/dialog.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { Icon } from "../elements/icon.tsx";
import { Section } from "../elements/page.tsx";
import { Empty, Loading } from "../elements/states.tsx";
import { rowsOf, Table } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { NewKeyDialog } from "./new_key.tsx";

export function Keys({ identity: { uid } }: { identity: Identity }) {
  const client = useClient();
  const permissions = useMay(uid);
  const [isCreating, setCreating] = useState(false);
  const [deleted, setDeleted] = useState<Key>();
  const keys = useQuery({
    queryKey: ["keys", uid],
    queryFn: () => client.keys.list({ childrenOf: uid }).all(),
  });
  const mayDelete = refusalOf(permissions, "its group", "CAP_IAM_KEY_DELETE");
  return (
    <Section
      title="Keys"
      actions={
        <Button
          refusal={refusalOf(permissions, "its group", "CAP_IAM_KEY_CREATE")}
          onClick={() => setCreating(true)}
        >
          Create a key
        </Button>
      }
    >
      <p class="identities-verdict warn">
        <Icon name="warning" /> A key is a password that can leak. If the system has a token of its
        own, let the identity accept that token instead.
      </p>
      {keys.error && <ErrorNotice error={keys.error} />}
      {keys.isPending ? (
        <Loading lines={3} />
      ) : (
        <Table
          label="Keys"
          rows={rowsOf(keys.data ?? [])}
          keyOf={(key) => key.uid}
          columns={columns(mayDelete, setDeleted)}
          empty={
            <Empty title="No keys">
              <p>
                Nothing logs in to the registry as this identity with a password. Create a key only
                for a tool that has no other way.
              </p>
            </Empty>
          }
        />
      )}
      {isCreating && <NewKeyDialog identity={uid} onClose={() => setCreating(false)} />}
      {deleted && <DeleteKeyDialog of={deleted} onClose={() => setDeleted(undefined)} />}
    </Section>
  );
}

const columns = (refusal: string | undefined, onDelete: (key: Key) => void) => [
  { title: "Name", cell: ({ name }: Key) => <bdi>{name}</bdi> },
  {
    title: "Actions",
    cell: ({ actions = [] }: Key) => actions.join(", "),
    from: "medium" as const,
  },
  {
    title: "Networks",
    cell: ({ networks = [] }: Key) => networks.join(", ") || "any",
    from: "wide" as const,
  },
  {
    title: "Last used",
    cell: ({ lastUsedTime }: Key) => (lastUsedTime ? <Time time={lastUsedTime} /> : "never"),
    from: "medium" as const,
  },
  { title: "Expires", cell: ({ expireTime }: Key) => <Time time={expireTime} /> },
  {
    title: "Delete",
    width: "5rem",
    isTitleHidden: true,
    align: "end" as const,
    cell: (key: Key) => (
      <Button refusal={refusal} onClick={() => onDelete(key)}>
        Delete
      </Button>
    ),
  },
];

function DeleteKeyDialog({ of: { uid, name }, onClose }: { of: Key; onClose: () => void }) {
  const client = useClient();
  const { refresh, notify } = useRefresh(["keys"]);
  return (
    <ConfirmDialog
      title={`Delete the key ${name}`}
      action="Delete"
      onClose={onClose}
      run={async () => {
        await client.keys.delete(uid);
        await refresh();
        notify({ text: `Deleted the key ${name}.` });
      }}
    >
      <p>
        The key, and the registry tokens that came from it, fail with the next request. You cannot
        undo this.
      </p>
    </ConfirmDialog>
  );
}

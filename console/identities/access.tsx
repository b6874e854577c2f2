/** What an identity may do: its roles, and the answer to a question about one capability. */
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { RoleBinding } from "../../client/index.ts";
import { useMay } from "../data/may.ts";
import { useClient } from "../data/platform.tsx";
import { useCountedRows } from "../data/rows.ts";
import { parentOf } from "../data/uids.ts";
import { Badge } from "../elements/badge.tsx";
import { Button } from "../elements/button.tsx";
import { GroupPath } from "../elements/group_path.tsx";
import { Section } from "../elements/page.tsx";
import { Empty } from "../elements/states.tsx";
import { type Column, Table } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { BindRoleDialog } from "./bind_role.tsx";
import { isPerson } from "./kinds.ts";
import { Question } from "./question.tsx";

const columns: Column<RoleBinding>[] = [
  {
    title: "Role",
    width: "minmax(8rem, 1fr)",
    cell: ({ role, pending }) => (
      <>
        <bdi title={role?.description}>{role?.name}</bdi>{" "}
        {pending && <Badge tone="warn">pending</Badge>}
      </>
    ),
  },
  {
    title: "On group",
    width: "minmax(10rem, 2fr)",
    cell: ({ uid }) => (
      <Link href={addresses.access(parentOf(uid))}>
        <GroupPath uid={parentOf(uid)} />
      </Link>
    ),
  },
  {
    title: "Since",
    width: "8rem",
    from: "wide",
    cell: ({ updateTime }) => <Time time={updateTime} />,
  },
  {
    title: "Last used",
    width: "8rem",
    from: "medium",
    cell: ({ lastUsedTime }) => <Time time={lastUsedTime} />,
  },
];

/** The roles of an identity. */
export function RoleBindings({ uid }: { uid: string }) {
  const client = useClient();
  const rows = useCountedRows<RoleBinding>({
    key: ["role-bindings", { identity: uid }],
    list: (position) => client.roleBindings.list({ identity: uid, ...position }),
  });
  return (
    <Table
      label="Roles"
      columns={columns}
      rows={rows}
      keyOf={(binding) => binding.uid}
      empty={
        <Empty title="It has no role that you can see">
          <p>An identity without a role can do nothing.</p>
        </Empty>
      }
    />
  );
}

/** The view of a workload's access. */
export function IdentityAccess({ uid, name }: { uid: string; name: string }) {
  return (
    <>
      <Section title="Roles" actions={isPerson(uid) ? null : <BindRole uid={uid} name={name} />}>
        <RoleBindings uid={uid} />
      </Section>
      <Question uid={uid} name={name} />
    </>
  );
}

function BindRole({ uid, name }: { uid: string; name: string }) {
  const { may } = useMay(parentOf(uid));
  const [isOpen, setOpen] = useState(false);
  const isRefused = may("CAP_IAM_ROLE_BINDINGS_CREATE") === false;
  return (
    <>
      <Button
        refusal={
          isRefused ? "You need the role_bindings.create capability on its group." : undefined
        }
        onClick={() => setOpen(true)}
      >
        Bind a role
      </Button>
      {isOpen && <BindRoleDialog uid={uid} name={name} onClose={() => setOpen(false)} />}
    </>
  );
}

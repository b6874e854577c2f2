/** The access of an identity: its roles, and the answer to a question about one capability. */
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { RoleBinding } from "../../client/index.ts";
import {
  ChangeRoleDialog,
  RemoveAccessDialog,
  useBindingChanges,
} from "../access/binding_dialogs.tsx";
import { useMay } from "../data/may.ts";
import { useClient } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { useCountedRows } from "../data/rows.ts";
import { parentOf } from "../data/uids.ts";
import { Badge } from "../elements/badge.tsx";
import { Button } from "../elements/button.tsx";
import { GroupPath } from "../elements/group_path.tsx";
import { Icon } from "../elements/icon.tsx";
import { Menu } from "../elements/menu.tsx";
import { Section } from "../elements/page.tsx";
import { Empty } from "../elements/states.tsx";
import { type Column, Table } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { BindRoleDialog } from "./bind_role.tsx";
import { Question } from "./question.tsx";

/** A role binding, and what someone wants to do with it. */
interface Opened {
  kind: "change" | "remove";
  binding: RoleBinding;
}

const columnsOf = (open: (opened: Opened) => void): Column<RoleBinding>[] => [
  {
    title: "Role",
    width: "minmax(6rem, 1fr)",
    cell: ({ role, pending }) => (
      <>
        <Link href={addresses.role(role?.uid ?? "")} title={role?.description}>
          <bdi>{role?.name}</bdi>
        </Link>{" "}
        {pending && <Badge tone="warn">Pending</Badge>}
      </>
    ),
  },
  {
    title: "On",
    width: "minmax(7rem, 2fr)",
    cell: ({ uid, group }) =>
      group?.repo ? (
        <Link href={addresses.repository(parentOf(uid), "access")}>
          <bdi>{group.name}</bdi>
        </Link>
      ) : (
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
  {
    title: "Actions",
    isTitleHidden: true,
    width: "2rem",
    align: "end",
    cell: (binding) => <Actions binding={binding} open={open} />,
  },
];

function Actions({ binding, open }: { binding: RoleBinding; open: (opened: Opened) => void }) {
  const permissions = useMay(parentOf(binding.uid));
  return (
    <Menu
      quiet
      label={`Actions for the role ${binding.role?.name}`}
      actions={[
        {
          text: "Change role",
          refusal: refusalOf(permissions, "this group", "CAP_IAM_ROLE_BINDINGS_UPDATE"),
          run: () => open({ kind: "change", binding }),
        },
        {
          text: "Remove access",
          danger: true,
          refusal: refusalOf(permissions, "this group", "CAP_IAM_ROLE_BINDINGS_DELETE"),
          run: () => open({ kind: "remove", binding }),
        },
      ]}
    >
      <Icon name="more" />
    </Menu>
  );
}

/** The roles of an identity, with the dialogs that change and remove them. */
export function RoleBindings({ uid }: { uid: string }) {
  const client = useClient();
  const changes = useBindingChanges();
  const [opened, setOpened] = useState<Opened>();
  const rows = useCountedRows<RoleBinding>({
    key: ["roleBindings", { identity: uid }],
    list: (position) => client.roleBindings.list({ identity: uid, ...position }),
  });
  const dialog = { changes, onClose: () => setOpened(undefined) };
  return (
    <>
      <Table
        label="Roles"
        columns={columnsOf(setOpened)}
        rows={rows}
        keyOf={(binding) => binding.uid}
        empty={
          <Empty title="It has no role that you can see">
            <p>An identity without a role can do nothing. Give it one to let it work.</p>
          </Empty>
        }
      />
      {opened?.kind === "change" && <ChangeRoleDialog binding={opened.binding} {...dialog} />}
      {opened?.kind === "remove" && <RemoveAccessDialog binding={opened.binding} {...dialog} />}
    </>
  );
}

/** The view of a workload's access. */
export function IdentityAccess({ uid, name }: { uid: string; name: string }) {
  return (
    <>
      <Section title="Roles" actions={<BindRole uid={uid} name={name} />}>
        <RoleBindings uid={uid} />
      </Section>
      <Question uid={uid} />
    </>
  );
}

function BindRole({ uid, name }: { uid: string; name: string }) {
  const permissions = useMay(parentOf(uid));
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        refusal={refusalOf(permissions, "its group", "CAP_IAM_ROLE_BINDINGS_CREATE")}
        onClick={() => setOpen(true)}
      >
        Bind a role
      </Button>
      {isOpen && <BindRoleDialog uid={uid} name={name} onClose={() => setOpen(false)} />}
    </>
  );
}

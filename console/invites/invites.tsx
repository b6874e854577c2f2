/** The invites to a group and to the groups below it. */
import { useState } from "preact/hooks";
import type { GroupInvite } from "../../client/index.ts";
import { useCurrentGroup } from "../data/group.ts";
import { type Permissions, useMay } from "../data/may.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { useCountedRows } from "../data/rows.ts";
import { parentOf } from "../data/uids.ts";
import { Badge } from "../elements/badge.tsx";
import { Button } from "../elements/button.tsx";
import { Icon } from "../elements/icon.tsx";
import { Menu } from "../elements/menu.tsx";
import { Name } from "../elements/name.tsx";
import { Page } from "../elements/page.tsx";
import { Empty } from "../elements/states.tsx";
import { type Column, RowCount, Table } from "../elements/table.tsx";
import { exactTime, Time } from "../elements/time.tsx";
import AcceptInvite from "./accept_invite.tsx";
import { DeleteInviteDialog, EditInviteDialog, NewInviteDialog } from "./invite_dialogs.tsx";

type Opened = { kind: "accept" } | { kind: "edit" | "delete"; invite: GroupInvite };

const capabilities = {
  create: ["CAP_IAM_GROUP_INVITES_CREATE", "CAP_IAM_ROLE_BINDINGS_CREATE"],
  delete: ["CAP_IAM_GROUP_INVITES_DELETE"],
} as const;

const isExpired = ({ expirationTime = "" }: GroupInvite) =>
  Date.parse(expirationTime) <= Date.now();

const columns = (
  open: (opened: Opened) => void,
  permissions: Permissions,
  groupName: string,
): Column<GroupInvite>[] => [
  {
    title: "Role",
    width: "minmax(7rem, 1fr)",
    cell: ({ role }) =>
      role ? <bdi title={role.description}>{role.name}</bdi> : <Badge tone="bad">Deleted</Badge>,
  },
  {
    title: "Group",
    from: "medium",
    width: "minmax(8rem, 1.5fr)",
    cell: ({ uid }) => <Name kind="groups" uid={parentOf(uid)} />,
  },
  {
    title: "For",
    from: "medium",
    width: "minmax(9rem, 1.5fr)",
    cell: ({ email, singleUse }) => (
      <>
        {email ? <bdi title={email}>{email}</bdi> : "anyone"}
        {singleUse && <span class="pale">, once</span>}
      </>
    ),
  },
  {
    title: "Code begins with",
    from: "wide",
    width: "8.5rem",
    cell: ({ keyId }) => <code title={keyId}>{keyId}</code>,
  },
  {
    title: "Expires",
    sort: "expiration_time",
    width: "minmax(6rem, 8rem)",
    cell: (invite) =>
      isExpired(invite) ? (
        <span title={exactTime(invite.expirationTime ?? "")}>
          <Badge tone="warn">Expired</Badge>
        </span>
      ) : (
        <Time time={invite.expirationTime} />
      ),
  },
  {
    title: "Created",
    sort: "create_time",
    from: "wide",
    width: "8rem",
    cell: ({ createTime }) => <Time time={createTime} />,
  },
  {
    title: "Actions",
    isTitleHidden: true,
    align: "end",
    width: "2rem",
    cell: (invite) => (
      <Menu
        quiet
        label={`Actions for the invite ${invite.keyId}`}
        actions={[
          {
            text: "Edit",
            refusal: refusalOf(permissions, groupName, ...capabilities.create),
            run: () => open({ kind: "edit", invite }),
          },
          {
            text: "Delete",
            danger: true,
            refusal: refusalOf(permissions, groupName, ...capabilities.delete),
            run: () => open({ kind: "delete", invite }),
          },
        ]}
      >
        <Icon name="more" />
      </Menu>
    ),
  },
];

export default function Invites() {
  const client = useClient();
  const { uid, group } = useCurrentGroup();
  const { get, isOn, set } = useParameters();
  const [opened, open] = useState<Opened>();
  const permissions = useMay(uid);
  const groupName = group?.name ?? "";
  const refusal = refusalOf(permissions, groupName, ...capabilities.create);
  const isKnown = permissions.may("CAP_IAM_GROUP_INVITES_CREATE") !== undefined;
  const isNew = isOn("new") && isKnown && refusal === undefined;
  const orderBy = get("order") || "create_time desc";
  const rows = useCountedRows<GroupInvite>({
    key: ["groupInvites", { uid, orderBy }],
    list: (position) => client.groupInvites.list({ descendantsOf: uid, orderBy, ...position }),
    enabled: uid !== "",
  });
  const close = () => open(undefined);
  return (
    <Page
      title="Invites"
      lead="An invite is a code that gives a role on a group to the person who accepts it."
      actions={
        <>
          <Button onClick={() => open({ kind: "accept" })}>Accept an invite</Button>
          <Button kind="primary" refusal={refusal} onClick={() => set({ new: "1" })}>
            New invite
          </Button>
        </>
      }
    >
      <div class="toolbar">
        <RowCount rows={rows} noun={["invite", "invites"]} />
      </div>
      <Table
        label="Invites"
        columns={columns(open, permissions, groupName)}
        rows={rows}
        keyOf={(invite) => invite.uid}
        sorting={{ orderBy, onSort: (order) => set({ order }) }}
        empty={
          <Empty title="There are no invites here">
            <p>
              Create one to give a role to a person who is not here yet.{" "}
              <a href="/docs/invites">The guide</a> shows two other ways.
            </p>
          </Empty>
        }
      />
      {isNew && group && <NewInviteDialog group={group} onClose={() => set({ new: "" })} />}
      {opened?.kind === "accept" && <AcceptInvite code="" onClose={close} />}
      {opened?.kind === "edit" && <EditInviteDialog invite={opened.invite} onClose={close} />}
      {opened?.kind === "delete" && <DeleteInviteDialog invite={opened.invite} onClose={close} />}
    </Page>
  );
}

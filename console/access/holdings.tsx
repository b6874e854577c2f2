/** The view of a group or a repository that shows who has which role there, and through which group. */
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { RoleBinding } from "../../client/index.ts";
import { type Permissions, useMay } from "../data/may.ts";
import { useNames } from "../data/names.ts";
import { useParameters } from "../data/parameters.ts";

import { identityName } from "../data/people.ts";
import { refusalOf } from "../data/refusals.ts";
import { shownName } from "../data/shown_name.ts";
import { parentOf } from "../data/uids.ts";

import { Badge } from "../elements/badge.tsx";
import { Button } from "../elements/button.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { Icon } from "../elements/icon.tsx";
import { Menu } from "../elements/menu.tsx";
import { Empty } from "../elements/states.tsx";
import { type Column, RowCount, Table } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { AccessRequests } from "./access_requests.tsx";
import { ChangeRoleDialog, RemoveAccessDialog, useBindingChanges } from "./binding_dialogs.tsx";
import { GiveAccessDialog } from "./give_access.tsx";
import { StateLegend } from "./holders.tsx";
import { HoldingFilters } from "./holding_filters.tsx";
import { type Holding, useHiddenGroups, useHoldings } from "./holding_rows.ts";
import type { AccessPlace } from "./place.ts";
import { stateText } from "./states.ts";

type Opened = { kind: "change" | "remove"; binding: RoleBinding };

export function Holdings({ place: group }: { place: AccessPlace }) {
  const { get, set } = useParameters();
  const [opened, open] = useState<Opened>();
  const filter = { identity: get("identity"), role: get("role") };
  const rows = useHoldings(group.uid, filter);
  const permissions = useMay(group.uid);
  const changes = useBindingChanges();
  const isFiltered = filter.identity !== "" || filter.role !== "";
  const close = () => open(undefined);
  const mayGive = permissions.may("CAP_IAM_ROLE_BINDINGS_CREATE");
  const refusal = refusalOf(permissions, group.name, "CAP_IAM_ROLE_BINDINGS_CREATE");
  return (
    <>
      {parentOf(group.uid) === "" && <AccessRequests group={group} refusal={refusal} />}
      <div class="toolbar">
        <HoldingFilters group={group.uid} />
        <RowCount rows={rows} noun={["entry", "entries"]} />
        <span class="access-end">
          <Button kind="primary" refusal={refusal} onClick={() => set({ new: "access" })}>
            Give access
          </Button>
        </span>
      </div>
      {changes.error && <ErrorNotice error={changes.error} />}
      <Table
        label={`Roles on ${group.name}`}
        columns={columnsOf(group, permissions, open)}
        rows={rows}
        keyOf={(row) => ("binding" in row ? row.binding.uid : row.mapping.uid)}
        empty={
          isFiltered ? (
            <Empty title="No one has access in this way">
              <Button onClick={() => set({ identity: undefined, role: undefined })}>
                Show everyone
              </Button>
            </Empty>
          ) : (
            <Empty title="No one that you can see has a role here" />
          )
        }
      />
      <HiddenNote group={group.uid} />
      <StateLegend />
      {get("new") === "access" && mayGive === true && (
        <GiveAccessDialog group={group} onClose={() => set({ new: "" })} />
      )}
      {opened?.kind === "change" && (
        <ChangeRoleDialog binding={opened.binding} changes={changes} onClose={close} />
      )}
      {opened?.kind === "remove" && (
        <RemoveAccessDialog binding={opened.binding} changes={changes} onClose={close} />
      )}
    </>
  );
}

function columnsOf(
  group: AccessPlace,
  permissions: Permissions,
  open: (opened: Opened) => void,
): Column<Holding>[] {
  return [
    { title: "Who", width: "minmax(8rem, 2fr)", cell: (row) => <Holder row={row} /> },
    { title: "Role", width: "minmax(5rem, 1.3fr)", cell: (row) => <Role row={row} /> },
    {
      title: "On",
      width: "minmax(6rem, 1.3fr)",
      from: "medium",
      cell: (row) => <Through row={row} place={group} />,
    },
    {
      title: "Last used",
      width: "8rem",
      from: "wide",
      cell: (row) =>
        "binding" in row && !row.binding.pending && <Time time={row.binding.lastUsedTime} />,
    },
    {
      title: "Actions",
      isTitleHidden: true,
      width: "2.75rem",
      align: "end",
      cell: (row) => <Actions row={row} group={group} permissions={permissions} open={open} />,
    },
  ];
}

function Holder({ row }: { row: Holding }) {
  if ("mapping" in row) {
    const { externalGroupId, providerName } = row.mapping;
    return (
      <span title={externalGroupId}>
        <bdi>{externalGroupId}</bdi> <span class="pale">at {providerName || "its provider"}</span>
      </span>
    );
  }
  const { identity = {}, pending } = row.binding;
  const { uid = "", name, email } = identity;
  return (
    <>
      <Link href={addresses.identity(uid)} title={email || uid}>
        <bdi>{identityName(identity)}</bdi>
      </Link>{" "}
      {pending && (
        <span title={stateText.ACCESS_STATE_PENDING.text}>
          <Badge tone="warn">{stateText.ACCESS_STATE_PENDING.name}</Badge>
        </span>
      )}
      {name && email && <bdi class="pale">{email}</bdi>}
    </>
  );
}

function Role({ row }: { row: Holding }) {
  const [uid = "", name] =
    "binding" in row
      ? [row.binding.role?.uid, row.binding.role?.name]
      : [row.mapping.roleUid, row.mapping.roleName];
  return (
    <Link href={addresses.role(uid)} title={name}>
      {shownName(name, uid)}
    </Link>
  );
}

function Through({ row, place }: { row: Holding; place: AccessPlace }) {
  if ("mapping" in row) return <span class="pale">role mapping</span>;
  const { uid = "", name } = row.binding.group ?? {};
  if (uid === place.uid) return <span class="pale">this {place.kind}</span>;
  return (
    <>
      <span class="pale" aria-hidden="true">
        ↑{" "}
      </span>
      <span class="out-of-sight">inherited from </span>
      <Link href={addresses.access(uid)} title={`Inherited from ${name}`}>
        {shownName(name, uid)}
      </Link>
    </>
  );
}

interface ActionsProps {
  row: Holding;
  group: AccessPlace;
  permissions: Permissions;
  open: (opened: Opened) => void;
}

function Actions({ row, group, permissions, open }: ActionsProps) {
  if ("mapping" in row)
    return (
      <Link href={addresses.roleMappings(parentOf(row.mapping.identityProviderUid ?? ""))}>
        Open
      </Link>
    );
  const { binding } = row;
  const home = binding.group ?? {};
  if (home.uid !== group.uid) return <Link href={addresses.access(home.uid)}>Open</Link>;
  return (
    <Menu
      quiet
      label={`Actions for ${identityName(binding.identity ?? {})}`}
      actions={[
        {
          text: "Change role",
          refusal: refusalOf(permissions, group.name, "CAP_IAM_ROLE_BINDINGS_UPDATE"),
          run: () => open({ kind: "change", binding }),
        },
        {
          text: "Remove access",
          danger: true,
          refusal: refusalOf(permissions, group.name, "CAP_IAM_ROLE_BINDINGS_DELETE"),
          run: () => open({ kind: "remove", binding }),
        },
      ]}
    >
      <Icon name="more" />
    </Menu>
  );
}

function HiddenNote({ group }: { group: string }) {
  const hidden = useHiddenGroups(group);
  const nameOf = useNames(hidden);
  if (hidden.length === 0) return null;
  return (
    <p class="pale">
      You cannot see who has roles on {hidden.map(nameOf).join(", ")}. For that, you need the{" "}
      <code>role_bindings.list</code> capability there.
    </p>
  );
}

/** The roles of an organization, and the built-in ones. */
import { Link, useLocation } from "wouter-preact";
import type { Role } from "../../client/index.ts";
import { useCurrentGroup, useGroup } from "../data/group.ts";
import { useMay } from "../data/may.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { joinRows, type RowWindow, useCountedRows, useUncountedRows } from "../data/rows.ts";
import { shownName } from "../data/shown_name.ts";
import { parentOf, rootOf, shortUid } from "../data/uids.ts";
import { Badge } from "../elements/badge.tsx";
import { Button } from "../elements/button.tsx";
import { SelectField } from "../elements/fields.tsx";
import { Page } from "../elements/page.tsx";
import { SearchField } from "../elements/search_field.tsx";
import { Empty } from "../elements/states.tsx";
import { type Column, RowCount, Table } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";

const kinds: readonly (readonly [string, string])[] = [
  ["", "All roles"],
  ["own", "Own roles"],
  ["built-in", "Built-in roles"],
];

export default function Roles() {
  const { uid: group, group: shown } = useCurrentGroup();
  const { get, set } = useParameters();
  const [, navigate] = useLocation();
  const permissions = useMay(group);
  const orderBy = get("order") || "name";
  const filter = { kind: get("kind"), find: get("find") };
  const rows = useRoles(rootOf(group), { ...filter, orderBy });
  return (
    <Page
      title="Roles"
      lead="A role is a named set of capabilities. Give one to someone on a group, and it applies to everything below."
      actions={
        <Button
          kind="primary"
          refusal={refusalOf(permissions, shown?.name ?? "", "CAP_IAM_ROLES_CREATE")}
          onClick={() => navigate(addresses.newRole(group))}
        >
          New role
        </Button>
      }
    >
      <div class="toolbar">
        <SearchField label="Find a role" value={filter.find} onSearch={(find) => set({ find })} />
        <SelectField
          label="Show"
          value={filter.kind}
          options={kinds}
          onChange={(kind) => set({ kind })}
        />
        <RowCount rows={rows} noun={["role", "roles"]} />
      </div>
      <Table
        label="Roles"
        columns={columns}
        rows={rows}
        keyOf={({ uid }) => uid}
        {...(filter.find === ""
          ? { sorting: { orderBy, onSort: (order: string) => set({ order }) } }
          : {})}
        empty={
          filter.find === "" ? (
            <Empty title="This organization has no roles of its own yet">
              <p>The built-in roles are often enough. Create one if they give too much.</p>
            </Empty>
          ) : (
            <Empty title="No role begins with this text" />
          )
        }
      />
    </Page>
  );
}

interface Filter {
  kind: string;
  find: string;
  orderBy: string;
}

/** Own roles come first. A search reads the lists by the beginning of the name, which have no total. */
function useRoles(organization: string, filter: Filter): RowWindow<Role> {
  const isReady = organization !== "";
  const own = useRolesOf(
    { descendantsOf: organization },
    filter,
    isReady && filter.kind !== "built-in",
  );
  const builtIn = useRolesOf({ inRoot: true }, filter, isReady && filter.kind !== "own");
  return joinRows([own, builtIn]);
}

function useRolesOf(
  scope: { descendantsOf: string } | { inRoot: boolean },
  { find, orderBy }: Filter,
  isShown: boolean,
): RowWindow<Role> {
  const client = useClient();
  const isSearch = find !== "";
  const counted = useCountedRows<Role>({
    key: ["roles", scope, orderBy],
    list: (position) => client.roles.list({ ...scope, orderBy, ...position }),
    enabled: isShown && !isSearch,
  });
  const matches = useUncountedRows<Role>({
    key: ["roles", scope, { find }],
    list: (position) => client.roles.list({ ...scope, namePrefix: find, ...position }),
    enabled: isShown && isSearch,
  });
  const rows = isSearch ? matches : counted;
  return isShown ? rows : { ...rows, count: 0, isComplete: true };
}

const columns: Column<Role>[] = [
  {
    title: "Name",
    sort: "name",
    width: "minmax(9rem, 2fr)",
    cell: ({ uid, name }) => (
      <Link href={addresses.role(uid)} title={name}>
        {shownName(name, uid)}
      </Link>
    ),
  },
  {
    title: "Group",
    width: "minmax(6rem, 1fr)",
    cell: ({ uid }) => <Home group={parentOf(uid)} />,
  },
  {
    title: "Description",
    from: "medium",
    width: "minmax(10rem, 3fr)",
    cell: ({ description }) =>
      description ? <bdi title={description}>{description}</bdi> : <span class="pale">none</span>,
  },
  {
    title: "Capabilities",
    from: "medium",
    width: "7rem",
    align: "end",
    cell: ({ capabilities = [] }) => capabilities.length,
  },
  {
    title: "Changed",
    sort: "update_time",
    from: "wide",
    width: "9rem",
    cell: ({ uid, updateTime }) => parentOf(uid) !== "" && <Time time={updateTime} />,
  },
];

/** The group of a role, or a mark for a built-in role. */
export function Home({ group }: { group: string }) {
  const { data } = useGroup(group);
  if (group === "") return <Badge>Built-in</Badge>;
  return <Link href={addresses.access(group)}>{data?.name ?? shortUid(group)}</Link>;
}

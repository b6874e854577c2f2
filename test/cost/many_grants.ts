/** A caller with bindings at fifty groups, the rows in these groups, and the lists of all of them. */
import { OWNER_ROLE } from "../../schema/tables/iam/roles.ts";
import { below, hex } from "../world/uids.ts";
import { type CostCase, pageSize } from "./case.ts";
import { type CostOrganization, digestOf, type Row, rowTimes } from "./rows.ts";

export const grantCount = 50;

export const scatteredGroups = ({ root }: CostOrganization): string[] =>
  Array.from({ length: grantCount }, (_, at) => below(root, `scattered-${at}`));

/** The rows of a kind in each group. Their times are those of no other rows, and they alternate between the groups. */
const rowsPerGroup = 3;

const inEach = (groups: string[], kind: string, rest: (at: number, group: string) => Row): Row[] =>
  groups.flatMap((group, place) =>
    Array.from({ length: rowsPerGroup }, (_, row) => {
      const at = 1000 + row * groups.length + place;
      return { uid: below(group, `${kind}-${row}`), ...rowTimes(at), ...rest(at, group) };
    }),
  );

/** The rows of an organization. */
export function scatteredRows(of: CostOrganization): Record<string, Row[]> {
  const groups = scatteredGroups(of);
  const repos = inEach(groups, "repo", (at) => ({ name: `scattered-${at}` }));
  return {
    groups: groups.map((uid, at) => ({
      uid,
      ...{ name: `scattered-${at}`, verified: 0 },
      ...rowTimes(1000 + at),
    })),
    group_invites: inEach(groups, "invite", (at) => ({
      role_uid: OWNER_ROLE,
      expiration_time: Date.UTC(2100, 0, 1),
      key_id: hex(`scattered key ${at}`, 32),
      code_digest: hex(`scattered code ${at}`, 64),
      inviter_uid: "",
    })),
    repos,
    tags: inEach(
      repos.filter((_, at) => at % rowsPerGroup === 0).map(({ uid }) => String(uid)),
      "tag",
      (at) => ({ name: `${at}.0`, digest: digestOf(`tag ${at}`), line: "" }),
    ),
  };
}

type Query = Record<string, string>;

const lists: {
  path: string;
  queries: Record<string, Query>;
  rowsOfGrant?: number;
}[] = [
  {
    path: "/registry/v2/repos",
    queries: {
      "by uid": {},
      "by name desc": { order_by: "name desc" },
      "with name_prefix": { name_prefix: "SCATTERED-" },
      "with name": { name: "scattered-1007" },
    },
  },
  {
    path: "/registry/v2/tags",
    queries: {
      "by create_time": { order_by: "create_time" },
      "with name_prefix": { name_prefix: "1" },
    },
    // Each walk finds out whether a repository is being deleted.
    rowsOfGrant: 5,
  },
  {
    path: "/iam/v2/groups",
    queries: { "by uid desc": { order_by: "uid desc" }, "by name": { order_by: "name" } },
    // The total includes the group itself.
    rowsOfGrant: 5,
  },
  { path: "/iam/v2/roles", queries: { "by create_time": { order_by: "create_time" } } },
  { path: "/iam/v2/groupInvites", queries: { "by create_time": {} } },
  {
    path: "/iam/v2/roleBindings",
    queries: { "by create_time": { order_by: "create_time" } },
  },
];

const rpcOf = (path: string) => {
  const [name = ""] = path.split("/").slice(-1);
  return `List${name[0]?.toUpperCase()}${name.slice(1)}`;
};

/** A grant costs its role binding and its role, the first row of its walk, and its number of rows. */
export const manyGrantLists: CostCase[] = lists.flatMap(({ path, queries, rowsOfGrant = 4 }) =>
  Object.entries(queries).flatMap(([name, query]) =>
    [false, true].flatMap((second): CostCase[] => {
      if (second && (name === "with name" || path.endsWith("roles"))) return [];
      const parameters = new URLSearchParams({ page_size: String(pageSize), ...query });
      return [
        {
          name: `${rpcOf(path)} of everything ${name}${second ? ", second page" : ""}, ${grantCount} grants`,
          kind: "List",
          who: "scattered",
          path: `${path}?${parameters}`,
          rowsOfGrants: grantCount * rowsOfGrant,
          second,
        },
      ];
    }),
  ),
);

/** Everyone who has a role on a group or a repository: by role bindings on it and above it, and by role mappings. */
import { useQuery } from "@tanstack/preact-query";
import {
  type Client,
  type ExternalGroupRoleMapping,
  PermissionDenied,
  type RoleBinding,
} from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import { joinRows, mapRows, type RowWindow, useCountedRows } from "../data/rows.ts";
import { pathOf, rootOf } from "../data/uids.ts";
import { rowsOf } from "../elements/table.tsx";
import { maxLevels } from "./tree.tsx";

/** A role mapping with the names of its role and its identity provider. */
export interface NamedMapping extends ExternalGroupRoleMapping {
  roleName: string;
  providerName: string;
}

/** A row of the table: a role binding or a role mapping. */
export type Holding = { binding: RoleBinding } | { mapping: NamedMapping };

/** The filters of the table. Empty texts filter nothing. */
export interface HoldingFilter {
  identity: string;
  role: string;
}

/** Role mappings that the table shows at most. */
const maxMappings = 200;

/** The role bindings of the nearest place come first, and the role mappings come last. */
export function useHoldings(group: string, filter: HoldingFilter): RowWindow<Holding> {
  const { identity, role } = filter;
  const path = pathOf(group).toReversed();
  const bindings = Array.from({ length: maxLevels + 1 }, (_, index) =>
    useBindings(path[index] ?? "", filter),
  );
  const mappings = useMappings(rootOf(group));
  const shown = (mappings.data ?? []).filter((mapping) => role === "" || mapping.roleUid === role);
  return joinRows<Holding>([
    ...bindings.map((rows) => mapRows(rows, (binding): Holding => ({ binding }))),
    {
      ...rowsOf((identity === "" ? shown : []).map((mapping): Holding => ({ mapping }))),
      // Someone who may not see role mappings sees the rest.
      error: mappings.error instanceof PermissionDenied ? null : mappings.error,
      retry: () => void mappings.refetch(),
    },
  ]);
}

const orNothing = (text: string) => (text === "" ? undefined : text);

function useBindings(group: string, { identity, role }: HoldingFilter) {
  const client = useClient();
  return useCountedRows<RoleBinding>({
    key: ["roleBindings", { group, identity, role }],
    list: (position) =>
      client.roleBindings.list({
        group,
        ...position,
        orderBy: "create_time desc",
        identity: orNothing(identity),
        role: orNothing(role),
      }),
    enabled: group !== "",
  });
}

function useMappings(organization: string) {
  const client = useClient();
  return useQuery({
    queryKey: ["externalGroupRoleMappings", "named", organization],
    queryFn: () => readMappings(client, organization),
  });
}

async function readMappings(client: Client, organization: string): Promise<NamedMapping[]> {
  const mappings = await client.externalGroupRoleMappings
    .list({ descendantsOf: organization, pageSize: maxMappings })
    .all(maxMappings);
  if (mappings.length === 0) return [];
  const unique = (uids: (string | undefined)[]) => [...new Set(uids.map((uid) => uid ?? ""))];
  const [roles, providers] = await Promise.all([
    client.roles.list({ ids: unique(mappings.map(({ roleUid }) => roleUid)).slice(0, 100) }).all(),
    client.identityProviders
      .list({ ids: unique(mappings.map((mapping) => mapping.identityProviderUid)).slice(0, 100) })
      .all(),
  ]);
  const names = new Map([...roles, ...providers].map(({ uid, name }) => [uid, name]));
  return mappings.map((mapping) => ({
    ...mapping,
    roleName: names.get(mapping.roleUid ?? "") ?? "",
    providerName: names.get(mapping.identityProviderUid ?? "") ?? "",
  }));
}

/** The groups at or above this one whose role bindings the person cannot list. Lists leave them out. */
export function useHiddenGroups(group: string): readonly string[] {
  const client = useClient();
  const { data = [] } = useQuery({
    queryKey: ["may", "role bindings above", group],
    queryFn: async () => {
      const { permissions = [] } = await client.access.testPermissions({
        resourceUids: pathOf(group),
        capabilities: ["CAP_IAM_ROLE_BINDINGS_LIST"],
      });
      return permissions.flatMap(({ resourceUid = "", capabilities = [] }) =>
        capabilities.length === 0 ? [resourceUid] : [],
      );
    },
    staleTime: 60_000,
  });
  return data;
}

/** The people of an organization. They belong to no group, so no list of identities contains them. */
import { useQuery } from "@tanstack/preact-query";
import { type Client, PermissionDenied, type RoleBindingIdentity } from "../../client/index.ts";
import { useClient } from "./platform.tsx";
import { isPerson, shortUid } from "./uids.ts";

/** Role bindings that are read to find them. */
const maxBindings = 1_000;

/** The name of an identity, otherwise its email address or the beginning of its uid. */
export const identityName = ({ uid = "", name, email }: RoleBindingIdentity): string =>
  name?.trim() ? name : email || shortUid(uid);

/** The people with a role somewhere in the organization. None for someone who cannot list role bindings. */
export async function readPeople(
  client: Client,
  organization: string,
): Promise<RoleBindingIdentity[]> {
  const bindings = await client.roleBindings
    .list({ descendantsOf: organization, pageSize: 200 })
    .all(maxBindings)
    .catch((error: Error) => {
      if (error instanceof PermissionDenied) return [];
      throw error;
    });
  const people = new Map<string, RoleBindingIdentity>();
  for (const { identity } of bindings)
    if (identity?.uid && isPerson(identity.uid)) people.set(identity.uid, identity);
  return [...people.values()];
}

/** The people of an organization. An empty uid asks nothing. */
export function usePeople(organization: string, enabled = true) {
  const client = useClient();
  return useQuery({
    queryKey: ["choices", "people", organization],
    queryFn: () => readPeople(client, organization),
    enabled: enabled && organization !== "",
    staleTime: 300_000,
  });
}

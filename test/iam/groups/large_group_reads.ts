/** Reads everything of a group, to compare it with what is shown after its deletion. */
import type { Registry } from "../../registry/repos/large_repository.ts";
import { callAs, type LargeGroup } from "./large_group.ts";

/** Every call that reads something of a group. */
const readsOf = ({ organization }: Registry, group: LargeGroup): Record<string, string> => {
  const below = `uidp.descendants_of=${organization}`;
  const { uid, provider, member, highRole } = group;
  const capability = "CAP_IAM_ROLE_BINDINGS_LIST";
  return {
    "the group": `/iam/v2/groups/${uid}`,
    groups: `/iam/v2/groups?${below}&name=${group.name}`,
    "everything that the caller sees": "/iam/v2/groups",
    "a role binding": `/iam/v2/roleBindings/${group.binding}`,
    "role bindings": `/iam/v2/roleBindings?${below}&page_size=2&order_by=create_time%20desc`,
    "role bindings without a scope": "/iam/v2/roleBindings?page_size=2&order_by=update_time",
    "role bindings of the group": `/iam/v2/roleBindings?group=${uid}&page_size=2`,
    "role bindings of a person": `/iam/v2/roleBindings?${below}&identity=${member}`,
    "role bindings of a role": `/iam/v2/roleBindings?${below}&role=${highRole}&page_size=2`,
    "unused role bindings": `/iam/v2/roleBindings?group=${uid}&unused_since=2030-01-01T00:00:00Z&page_size=2`,
    "role bindings of version 1": `/iam/v1/rolebindings?uidp.children_of=${uid}`,
    identities: `/iam/v2/identities?uidp.children_of=${uid}`,
    "an identity": `/iam/v2/identities/${group.bot}`,
    roles: `/iam/v2/roles?uidp.children_of=${uid}`,
    "a role": `/iam/v2/roles/${group.ownRole}`,
    "an identity provider": `/iam/v2/identityProviders/${provider}`,
    "identity providers": `/iam/v2/identityProviders?${below}`,
    "a role mapping": `/iam/v2/externalGroupRoleMappings/${group.mapping}`,
    "role mappings": `/iam/v2/externalGroupRoleMappings?${below}&page_size=2`,
    "role mappings of a provider": `/iam/v2/externalGroupRoleMappings?identity_provider_uid=${provider}&page_size=2`,
    "who has access to the group": `/iam/v2/access?resource_uid=${uid}&capability=${capability}&page_size=2`,
    "who has access to the organization": `/iam/v2/access?resource_uid=${organization}&capability=${capability}&page_size=9`,
    "why a person has access": `/iam/v2/access:explain?identity_uid=${member}&resource_uid=${uid}&capability=${capability}`,
    "why a person has none above": `/iam/v2/access:explain?identity_uid=${member}&resource_uid=${organization}&capability=${capability}`,
    "why a login has access": `/iam/v2/access:explain?identity_uid=${group.login}&resource_uid=${uid}&capability=${capability}&identity_provider_uid=${provider}&external_group_ids=g7`,
    events: `/events/v2/events?uidp.descendants_of=${uid}`,
  };
};

/** Without what differs in each call. */
const plain = (body: unknown) =>
  JSON.parse(
    JSON.stringify(body ?? null, (key, value) => (key === "decision_id" ? undefined : value)),
  );

/** The status and the body of each of these calls. */
export async function readAll(registry: Registry, group: LargeGroup, token: string) {
  const found: Record<string, { status: number; body: unknown }> = {};
  for (const [name, path] of Object.entries(readsOf(registry, group))) {
    const { status, body } = await callAs(registry, token, path);
    found[name] = { status, body: plain(body) };
  }
  return found;
}

/** The same for each caller, by their names. */
export async function readAsEach(registry: Registry, group: LargeGroup) {
  const found: Record<string, Awaited<ReturnType<typeof readAll>>> = {};
  for (const [name, token] of Object.entries(group.tokens))
    found[name] = await readAll(registry, group, token);
  return found;
}

/**
 * The rules of access as the documents give them, in plain loops over all rows. Nothing here uses the code of
 * the platform. Sources: docs/guides/concepts.md (groups and roles), docs/guides/people.md (logins and
 * provisioning), docs/guides/tokens.md (limits of a token).
 */
import type { Provider, World } from "./random_world.ts";

/** A token: whose it is, its limits, its login, and the people it was exchanged from. */
export interface Token {
  identity: string;
  scopes?: string[];
  capabilities?: number[];
  login?: { provider: string; groups: string[] };
  exchangedFrom?: string[];
}

/** The group of an identity. Empty for a person. */
const homeOf = (uid: string) => (uid.length > 40 ? uid.slice(0, -17) : "");
const covers = (group: string, uid: string) => uid === group || uid.startsWith(`${group}/`);

/** The part of the tree that two places share: the lower one. Undefined if they are on different paths. */
function shared(one: string, other: string): string | undefined {
  if (covers(one, other)) return other;
  return covers(other, one) ? one : undefined;
}

/** Whether a provider that provisions its users knows the person from a login, and not as an active user. */
const blocks = ({ provisions, seen, active }: Provider, person: string) =>
  provisions && seen.includes(person) && !active.includes(person);

/** Whether the token is still valid: its person may log in through its provider. */
export function isValid({ providers }: World, { identity, login }: Token): boolean {
  if (!login) return true;
  const provider = providers.find(({ uid }) => uid === login.provider);
  return provider !== undefined && (!provider.provisions || provider.active.includes(identity));
}

/** Whether people who came in without a login may use a role on a group. */
function isOpen({ providers, people }: World, token: Token, group: string): boolean {
  const { identity, login, exchangedFrom = [] } = token;
  const own = !login && identity.length === 40 ? [identity] : [];
  // The operator can create a person without an issuer, whom no provider blocks.
  const bearer = people.find(({ uid }) => uid === identity);
  if (bearer && !bearer.hasIssuer) return true;
  return ![...own, ...exchangedFrom].some((person) =>
    providers.some((provider) => blocks(provider, person) && covers(provider.group, group)),
  );
}

/** Whether one role on one group gives the capability on the resource to the token. */
function gives(
  token: Token,
  { group, capabilities }: { group: string; capabilities: number[] },
  capability: number,
  resource: string,
): boolean {
  if (!capabilities.includes(capability)) return false;
  if (token.capabilities && !token.capabilities.includes(capability)) return false;
  const home = homeOf(token.identity);
  const reach = home === "" ? group : shared(group, home);
  if (reach === undefined) return false;
  const places = token.scopes ? token.scopes.map((scope) => shared(reach, scope)) : [reach];
  return places.some((place) => place !== undefined && covers(place, resource));
}

/** Whether the token has the capability on the resource. */
export function hasAccess(
  world: World,
  token: Token,
  capability: number,
  resource: string,
): boolean {
  for (const { identity, accepted, group, role } of world.bindings) {
    if (identity !== token.identity || !accepted || !isOpen(world, token, group)) continue;
    if (gives(token, { group, capabilities: role.capabilities }, capability, resource)) return true;
  }
  for (const { provider, externalGroup, scope, role } of world.mappings) {
    if (token.login?.provider !== provider || !token.login.groups.includes(externalGroup)) continue;
    if (gives(token, { group: scope, capabilities: role.capabilities }, capability, resource))
      return true;
  }
  return false;
}

/** Everyone with a role that has the capability on the path of the resource, and the state of each. */
export function whoHas(world: World, capability: number, resource: string): string[] {
  const rows: string[] = [];
  for (const { uid, identity, accepted, group, role } of world.bindings) {
    if (!covers(group, resource) || !role.capabilities.includes(capability)) continue;
    const isReached = homeOf(identity) === "" || covers(homeOf(identity), resource);
    const state = !isReached
      ? "OUT_OF_REACH"
      : !accepted
        ? "PENDING"
        : isOpen(world, { identity }, group)
          ? "EFFECTIVE"
          : "BLOCKED";
    rows.push(`${uid} ${state}`);
  }
  for (const { uid, scope, role } of world.mappings) {
    if (!covers(scope, resource) || !role.capabilities.includes(capability)) continue;
    rows.push(`${uid} ${covers(homeOf(homeOf(uid)), resource) ? "EFFECTIVE" : "OUT_OF_REACH"}`);
  }
  return rows.sort();
}

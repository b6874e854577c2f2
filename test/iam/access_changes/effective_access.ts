/** Computes who may do what from the rows alone, in the simplest way: every holder, every group, every capability. */
import type { Rows } from "./small_world.ts";

const isWithin = (upper: string, uid: string) =>
  upper === "" || uid === upper || uid.startsWith(`${upper}/`);
const above = (uid: string) => uid.slice(0, Math.max(0, uid.lastIndexOf("/")));

/** `holder group capability` for everything that a holder may do. */
export type Access = Set<string>;

/** The access of identities, of external groups, and of the tokens that identities accept. */
export function accessOf({ groups, identities, roles, bindings, mappings }: Rows): Access {
  const capabilitiesOf = (role: string) =>
    roles.find(({ uid }) => uid === role)?.capabilities ?? [];
  const entries = (holder: string, role: string, uppers: string[]) =>
    groups
      .filter((group) => uppers.every((upper) => isWithin(upper, group)))
      .flatMap((group) => capabilitiesOf(role).map((one) => `${holder} ${group} ${one}`));
  const ofBindings = bindings.flatMap(({ parent, identity, role, accepted }) => {
    if (!accepted) return [];
    const tokens = tokensOf(identities.find(({ uid }) => uid === identity)?.relationship ?? null);
    const holders = [identity, ...(tokens ? [`tokens:${identity}:${tokens}`] : [])];
    return holders.flatMap((holder) => entries(holder, role, [parent, above(identity)]));
  });
  const ofMappings = mappings.flatMap(({ parent, external, role, scope }) =>
    entries(`external:${parent}:${external}`, role, [scope, above(parent)]),
  );
  return new Set([...ofBindings, ...ofMappings]);
}

function tokensOf(relationship: string | null): string | undefined {
  if (relationship === null) return undefined;
  const { value } = JSON.parse(relationship) as { value: { issuer: string; subject: string } };
  return `${value.issuer}:${value.subject}`;
}

/** The entries that one set has and the other lacks, in order. */
export const moreIn = (one: Access, other: Access): string[] =>
  [...one].filter((entry) => !other.has(entry)).sort();

/**
 * Remembers which callers have access in which organizations, as their calls have shown. Anyone can name an
 * organization in a call, so only calls of these callers count for the organization that they name. Otherwise a stranger
 * could use up the limit of another organization.
 */

/** The most pairs of a caller and an organization. The one that was used least recently is dropped first. */
const most = 2_000;

const members = new Set<string>();

const pairOf = (caller: string, organization: string) => `${caller} ${organization}`;

/** Whether a call of the caller in the organization has succeeded in this isolate. */
export function isMember(caller: string, organization: string): boolean {
  const pair = pairOf(caller, organization);
  if (!members.delete(pair)) return false;
  members.add(pair);
  return true;
}

/** Remembers that a call of the caller, which needs access in the organization, has succeeded. */
export function rememberMember(caller: string, organization: string): void {
  const pair = pairOf(caller, organization);
  members.delete(pair);
  const [oldest] = members;
  if (members.size >= most && oldest !== undefined) members.delete(oldest);
  members.add(pair);
}

/** Credentials that stop working soon: static keys of identities, SCIM tokens and invites. */
import { type Client, PermissionDenied } from "../../client/index.ts";
import { addresses } from "../frame/addresses.ts";

const day = 86_400_000;

/** Something that stops working. */
export interface Expiring {
  what: string;
  name: string;
  /** Below `/console`. */
  address: string;
  /** In RFC 3339. It can be past, by a week at most. */
  time: string;
}

/** The credentials that stop working, the earliest first, and the capabilities that the person lacks to see the rest. */
export interface ExpiringSoon {
  items: Expiring[];
  missing: string[];
}

/** The page asks for the SCIM tokens of so many identity providers, each in a request. */
const maxProviders = 5;

/** Throws the refusal if the person may see none of the three, and any other error at once. */
export async function findExpiring(client: Client, group: string): Promise<ExpiringSoon> {
  const now = Date.now();
  const range = { since: now - 7 * day, until: now + 30 * day };
  const sources = [
    ["identity.list", expiringKeys(client, group, range)],
    ["identity_providers.list", expiringTokens(client, group)],
    ["group_invites.list", expiringInvites(client, group)],
  ] as const;
  const results = await Promise.allSettled(sources.map(([, source]) => source));
  const refusals: unknown[] = [];
  const missing: string[] = [];
  const items = results.flatMap((result, index) => {
    if (result.status === "fulfilled") return result.value;
    if (!(result.reason instanceof PermissionDenied)) throw result.reason;
    refusals.push(result.reason);
    missing.push(sources[index]?.[0] ?? "");
    return [];
  });
  if (refusals.length === sources.length) throw refusals[0];
  const isSoon = ({ time }: Expiring) =>
    Date.parse(time) >= range.since && Date.parse(time) < range.until;
  return {
    items: items.filter(isSoon).sort((a, b) => Date.parse(a.time) - Date.parse(b.time)),
    missing,
  };
}

async function expiringKeys(
  client: Client,
  group: string,
  { since, until }: { since: number; until: number },
): Promise<Expiring[]> {
  const { rows } = await client.identities
    .list({
      descendantsOf: group,
      pageSize: 50,
      expiresAfter: new Date(since).toISOString(),
      expiresBefore: new Date(until).toISOString(),
    })
    .page();
  return rows.map(({ uid, name, staticKeys }) => ({
    what: "Keys of",
    name,
    address: addresses.identity(uid),
    time: staticKeys?.expirationTime ?? "",
  }));
}

/** Only the response for one identity provider says when its token expires. */
async function expiringTokens(client: Client, group: string): Promise<Expiring[]> {
  const { rows } = await client.identityProviders
    .list({ descendantsOf: group, pageSize: 50 })
    .page();
  const withScim = rows.filter(({ scim }) => scim?.enabled).slice(0, maxProviders);
  const providers = await Promise.all(withScim.map(({ uid }) => client.identityProviders.get(uid)));
  return providers.flatMap(({ uid, name, scim }) =>
    scim?.tokenExpireTime === undefined
      ? []
      : [
          {
            what: "SCIM token of",
            name,
            time: scim.tokenExpireTime,
            address: addresses.identityProvider(uid),
          },
        ],
  );
}

async function expiringInvites(client: Client, group: string): Promise<Expiring[]> {
  const { rows } = await client.groupInvites.list({ descendantsOf: group, pageSize: 200 }).page();
  return rows.map(({ email, keyId = "", expirationTime = "" }) => ({
    what: "Invite",
    name: email ?? keyId,
    time: expirationTime,
    address: addresses.invites(group),
  }));
}

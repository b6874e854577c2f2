/** The login of a system that has only a key (src/iam/keys): Basic credentials of the user `key`. */
import { eq, sql } from "drizzle-orm";
import { groups } from "../../schema/tables/iam/groups.ts";
import { keys } from "../../schema/tables/iam/keys.ts";
import { sha256 } from "../aip/sha256.ts";
import { parentOf, rootOf } from "../aip/uid_path.ts";
import { isServed, isSpread, rowsOfEach } from "../auth/databases.ts";
import { isWholeKey } from "../auth/key_secret.ts";
import { credentialOf } from "../auth/token.ts";
import { dayOf } from "../auth/use.ts";
import { isInBlocks } from "../limits/blocks.ts";
import { clientAddress } from "../limits/network.ts";
import type { RegistryContext } from "./context.ts";
import { denied, unauthorized } from "./errors.ts";

/** The user name of Basic credentials with a key as their password. */
export const keyUser = "key";

/**
 * Verifies a key, and counts the request. A text with a wrong checksum costs no read of the database, and a key that does
 * not exist counts as one that proves nothing. Throws UNAUTHORIZED for a key that is unknown or expired, DENIED for one
 * that does not work here, and TOOMANYREQUESTS above a rate limit.
 */
export async function verifyKey(context: RegistryContext, text: string) {
  const { config, databases, now, limit } = context;
  await limit.unverified();
  if (!isWholeKey(config, text)) {
    throw unauthorized("the key is not complete: its checksum is wrong; copy it again");
  }
  const row = await findKey(context, await sha256(text));
  if (!row) throw unauthorized("there is no such key; it may have been deleted");
  if (row.expireTime <= now) {
    const time = new Date(row.expireTime).toISOString();
    throw unauthorized(`the key expired at ${time}; create another one`);
  }
  const identity = parentOf(row.uid);
  const claims = {
    iss: config.issuerUrl,
    sub: identity,
    aud: config.registryAudience,
    exp: Math.floor(row.expireTime / 1000),
    act: { key: row.uid },
    chain: [{ sub: identity, key: row.uid }],
    ...(row.scopes.length > 0 ? { scopes: row.scopes } : {}),
    ...(row.networks.length > 0 ? { networks: row.networks } : {}),
  };
  const credential = credentialOf(claims);
  await limit.caller(credential, "");
  databases.trace?.note({ caller: identity, organization: rootOf(identity) });
  if (row.disabled) throw denied("the organization of the key forbids keys");
  requireNetwork(context, claims);
  noteUse(context, row);
  return {
    claims,
    credential,
    access: undefined,
    actions: row.actions,
    expires: claims.exp * 1000,
  };
}

/** Throws DENIED unless the request comes from a network that the token or key names. One without networks names all. */
export function requireNetwork(
  { request }: Pick<RegistryContext, "request">,
  { networks }: { networks?: string[] },
): void {
  if (networks === undefined) return;
  const address = clientAddress(request.headers);
  if (address !== undefined && isInBlocks(address, networks)) return;
  throw denied(`the key does not work from the address ${address ?? "of this client"}`);
}

/** The key with a digest. It does not say in which database it is. */
async function findKey({ databases }: RegistryContext, digest: string) {
  const isHere = isSpread(databases) ? isServed(sql`${keys.uid}`) : undefined;
  const [row] = await rowsOfEach(databases, (db) =>
    db
      .select({
        uid: keys.uid,
        scopes: keys.scopes,
        actions: keys.actions,
        networks: keys.networks,
        expireTime: keys.expireTime,
        lastUsedTime: keys.lastUsedTime,
        disabled: groups.keysDisabled,
      })
      .from(keys)
      .innerJoin(groups, eq(groups.uid, sql`substr(${keys.uid}, 1, 40)`))
      .where(sql`${keys.digest} = ${digest}${isHere && sql` and ${isHere}`}`),
  );
  return row;
}

/** Records the use of a key, at most once a day. */
function noteUse(
  { databases, now, after }: RegistryContext,
  { uid, lastUsedTime }: { uid: string; lastUsedTime: number },
): void {
  if (lastUsedTime >= dayOf(now)) return;
  after(() =>
    databases.databaseOf(uid).update(keys).set({ lastUsedTime: now }).where(eq(keys.uid, uid)),
  );
}

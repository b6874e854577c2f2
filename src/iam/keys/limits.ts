/** The limits of a new key: its scopes, networks and expiry, the number of keys, and the rule of the organization. */
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { eq, sql } from "drizzle-orm";
import type { Key } from "../../../schema/gen/platform/iam/v2/keys_pb.js";
import { DAY_MS } from "../../../schema/tables/columns.ts";
import { groups } from "../../../schema/tables/iam/groups.ts";
import { keys } from "../../../schema/tables/iam/keys.ts";
import { failedPrecondition, invalidArgument, resourceExhausted } from "../../aip/errors.ts";
import { quoted } from "../../aip/quoted.ts";
import { isAtOrAbove, parentOf, rootOf } from "../../aip/uid_path.ts";
import type { Call, Database } from "../../auth/call.ts";
import { canonicalBlock } from "../../limits/blocks.ts";
import { onlyIf } from "../../outbox/commit.ts";
import { isBelow } from "../../paging/scope.ts";

/** The longest lifetime of a key, which is also the default. */
const maxDays = 90;

/** Two are needed to replace one. The others are for several systems that act as one identity. */
const maxKeys = 5;

/**
 * Checks the limits of a new key, and writes its defaults and the usual notation of its networks into the message.
 * Returns when the key expires, in milliseconds since 1970. Throws INVALID_ARGUMENT.
 */
export function completeKey({ now }: Pick<Call, "now">, identity: string, message: Key): number {
  const group = parentOf(identity);
  for (const [index, scope] of message.scopes.entries()) {
    if (isAtOrAbove(group, scope)) continue;
    const field = `scopes[${index}]`;
    throw invalidArgument(field, `${field} must be in the group of the identity`);
  }
  message.networks = message.networks.map((text, index) => {
    const block = canonicalBlock(text);
    if (block !== undefined) return block;
    const field = `networks[${index}]`;
    const rule =
      "must be a block of IP addresses such as 192.0.2.0/24, without bits after its length";
    throw invalidArgument(field, `${field} ${rule}; you sent ${quoted(text)}`);
  });
  if (message.actions.length === 0) message.actions = ["pull"];
  const { expireTime } = message;
  if (!expireTime) return now + maxDays * DAY_MS;
  const expires = timestampMs(expireTime);
  if (expires <= now) throw invalidArgument("expire_time", "expire_time must be in the future");
  if (expires > now + maxDays * DAY_MS) {
    throw invalidArgument("expire_time", `expire_time must be at most ${maxDays} days from now`);
  }
  return expires;
}

const countKeys = (db: Database, identity: string) =>
  db
    .select({ number: sql<number>`count(*)`.as("number") })
    .from(keys)
    .where(isBelow(keys.uid, identity));

/** The statement that reads the number of the identity's keys, and whether the organization forbids keys. */
export const selectRoom = ({ db }: Pick<Call, "db">, identity: string) =>
  db
    .select({
      number: sql<number>`(${countKeys(db, identity)})`.as("number"),
      disabled: groups.keysDisabled,
    })
    .from(groups)
    .where(eq(groups.uid, rootOf(identity)));

/** Throws FAILED_PRECONDITION if the organization forbids keys, and RESOURCE_EXHAUSTED if the identity has 5. */
export function requireRoom(
  identity: string,
  [room]: Awaited<ReturnType<typeof selectRoom>>,
): void {
  if (room?.disabled) {
    const text = "the organization forbids keys; let the identity accept tokens instead";
    throw failedPrecondition("KEYS_DISABLED", text, rootOf(identity));
  }
  if ((room?.number ?? 0) >= maxKeys) {
    throw resourceExhausted(
      `the identity has ${maxKeys} keys, and expired ones count too; delete one first`,
    );
  }
}

/** The statement that undoes its batch, after the key was written, unless there was room for it. */
export const hasRoom = ({ db }: Pick<Call, "db">, identity: string) =>
  onlyIf(
    db,
    sql`(${countKeys(db, identity)}) <= ${maxKeys} and exists (select 1 from ${groups} as "organization"
      where "organization"."uid" = ${rootOf(identity)} and "organization"."keys_disabled" = 0)`,
  );

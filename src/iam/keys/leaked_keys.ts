/**
 * `POST /leaked-keys`: anyone who finds a key revokes it by sending it. The response and the number of round trips are the
 * same whether or not the key existed.
 */
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { eq, sql } from "drizzle-orm";
import { LeakedKeySchema } from "../../../schema/gen/platform/events/v2/occurrences_pb.js";
import { keys } from "../../../schema/tables/iam/keys.ts";
import { readRequestBytes } from "../../aip/bounded_body.ts";
import { invalidArgument } from "../../aip/errors.ts";
import { sha256 } from "../../aip/sha256.ts";
import { parentOf } from "../../aip/uid_path.ts";
import type { Database, WriteContext } from "../../auth/call.ts";
import { inEach, isServed } from "../../auth/databases.ts";
import { isWholeKey } from "../../auth/key_secret.ts";
import { type Config, configOf, type Env } from "../../config.ts";
import { limitOf } from "../../limits/rate_limit.ts";
import type { Statement } from "../../outbox/commit.ts";
import { insertCompleteEventIfChanged } from "../../outbox/outbox.ts";
import { openDatabase, serverTiming } from "../../rpc/database.ts";
import type { Execution } from "../../rpc/runtime.ts";
import { completeError, methodNotAllowed, toStatus, toStatusResponse } from "../../rpc/status.ts";

/** The path at the API host. */
export const leakedKeysPath = "/leaked-keys";

/** The domain of errors. */
const domain = "iam";

const maxKeys = 10;
const maxBytes = 4096;

/** Revokes the keys in `{"keys": ["…"]}`, and returns `{}`. Throws INVALID_ARGUMENT, and RATE_LIMITED per network. */
export async function revokeLeakedKeys(
  request: Request,
  env: Env,
  execution: Execution,
): Promise<Response> {
  const { headers } = request;
  execution.trace?.note({ operation: "leaked keys", class: "write" });
  const config = configOf(env);
  const { databases, meter } = openDatabase(env, execution);
  const now = Date.now();
  const after = (work: () => Promise<unknown>) => execution.waitUntil(work());
  const limit = limitOf({ env, config, databases, rateClass: "write", headers, now, after });
  const revoke = async () => {
    if (request.method !== "POST")
      return methodNotAllowed(request, leakedKeysPath, "POST", domain, config);
    await limit.unverified();
    const digests = await Promise.all((await readKeys(request, config)).map(sha256));
    await inEach(databases, (db) => revokeIn({ db, config, now, headers }, digests));
    return Response.json({}, { headers: { "cache-control": "no-store" } });
  };
  const response = await revoke().catch((thrown) =>
    toStatusResponse(
      completeError(toStatus(thrown, headers), domain, config, headers),
      new Headers(),
    ),
  );
  if (config.meter) response.headers.set("server-timing", serverTiming(meter));
  return response;
}

async function readKeys(request: Request, config: Config): Promise<string[]> {
  const bytes = await readRequestBytes(request, maxBytes, () =>
    invalidArgument("keys", `the body must have at most ${maxBytes} bytes`),
  );
  const found = keysIn(new TextDecoder().decode(bytes));
  if (!found || found.length === 0 || found.length > maxKeys) {
    throw invalidArgument("keys", `the body must be {"keys": […]} with 1 to ${maxKeys} keys`);
  }
  const wrong = found.findIndex((text) => !isWholeKey(config, text));
  if (wrong >= 0) {
    const field = `keys[${wrong}]`;
    throw invalidArgument(
      field,
      `${field} is not a key of this platform, or its checksum is wrong`,
    );
  }
  return [...new Set(found)];
}

/** The texts in the member `keys` of a JSON object. Undefined for anything else. */
function keysIn(text: string): string[] | undefined {
  try {
    const { keys: found } = JSON.parse(text) as { keys?: unknown };
    const isList = Array.isArray(found) && found.every((one) => typeof one === "string");
    return isList ? (found as string[]) : undefined;
  } catch {
    return undefined;
  }
}

/** The second batch is sent in any case. A key that is deleted at the same time has no event. */
async function revokeIn(context: WriteContext, digests: string[]): Promise<void> {
  const { db } = context;
  const rows = await selectLeaked(db, digests);
  const nothing = db.delete(keys).where(eq(keys.digest, ""));
  await db.batch([nothing, ...rows.flatMap((row) => revocation(context, row))]);
}

type Leaked = Awaited<ReturnType<typeof selectLeaked>>[number];

const selectLeaked = (db: Database, digests: string[]) =>
  db
    .select({
      uid: keys.uid,
      name: keys.name,
      expireTime: keys.expireTime,
      lastUsedTime: keys.lastUsedTime,
    })
    .from(keys)
    .where(
      sql`${keys.digest} in (select value from json_each(${JSON.stringify(digests)}))
        and ${isServed(sql`${keys.uid}`)}`,
    );

function revocation(context: WriteContext, { uid, name, ...times }: Leaked): Statement[] {
  const identityUid = parentOf(uid);
  const event = insertCompleteEventIfChanged(context, {
    type: "api.iam.key.leaked.v1",
    path: leakedKeysPath,
    audience: "customer",
    subject: uid,
    group: parentOf(identityUid),
    // Anyone can report a key.
    actor: { identity: "", act: {} },
    body: {
      desc: LeakedKeySchema,
      message: {
        uid,
        name,
        identityUid,
        expireTime: timestampFromMs(times.expireTime),
        ...(times.lastUsedTime === 0 ? {} : { lastUsedTime: timestampFromMs(times.lastUsedTime) }),
      },
    },
  });
  return [context.db.delete(keys).where(eq(keys.uid, uid)), event];
}

/** The upstream of a mirror: what is checked and stored when someone sets it. */
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { eq, sql } from "drizzle-orm";
import type {
  Repo,
  Upstream,
  UpstreamStatus,
} from "../../../schema/gen/platform/registry/v2/repos_pb.js";
import { UpstreamStatusSchema } from "../../../schema/gen/platform/registry/v2/repos_pb.js";
import { upstreamStates } from "../../../schema/tables/registry/mirrors.ts";
import { repos, upstreamSource } from "../../../schema/tables/registry/repos.ts";
import { invalidArgument } from "../../aip/errors.ts";
import { wholeMessage } from "../../aip/whole_message.ts";
import type { Call, Database } from "../../auth/call.ts";
import { destinationRefusal, endpointRules } from "../../auth/outgoing/destination.ts";
import { seal, unseal } from "../../auth/secrets.ts";
import type { Config } from "../../config.ts";
import { originOfHost, readAddress, textOfAddress } from "./upstream_address.ts";

const purposeOf = (repo: string) => `upstream_password ${repo}`;

/** Decrypts the password in a row. Undefined without one, and if no key opens it. */
export const openUpstreamPassword = async (config: Config, repo: string, sealed: string) =>
  sealed === "" ? undefined : unseal(config, purposeOf(repo), sealed);

/** The columns of an upstream that the message does not show. */
interface SecretColumns {
  upstreamPassword: string;
}

/**
 * Checks the upstream of a repository that is written, completes its address, and returns the password to store. Removes
 * the password from the message. Throws INVALID_ARGUMENT, and UNAVAILABLE if the host cannot be looked up now.
 */
export async function applyUpstream(
  call: Call,
  before: { uid: string; repo?: Repo; upstreamPassword: string },
  after: Repo,
): Promise<SecretColumns> {
  const { upstream } = after;
  if (!upstream) {
    if (after.upstreamSchedule) throw refused("upstream_schedule", "needs an upstream");
    return { upstreamPassword: "" };
  }
  if (after.syncConfig)
    throw refused("upstream", "and sync_config cannot be set on the same repository");
  const { upstream: earlier } = before.repo ?? {};
  const { password } = upstream;
  upstream.password = "";
  const address = readAddress(upstream.address, upstream.prefix);
  if (!address) {
    const form = upstream.prefix
      ? "a host, or a host and a path"
      : "an image such as docker.io/library/nginx";
    throw refused("upstream.address", `must be ${form}; you sent ${upstream.address}`);
  }
  upstream.address = textOfAddress(address);
  if (upstream.address !== earlier?.address) {
    upstream.sourceUid = "";
    await checkHost(call.config, address.host);
  }
  if (upstream.images.length > 0 && !upstream.prefix)
    throw refused("upstream.images", "can be set only with upstream.prefix");
  const isSameUser = isSameAccount(earlier, upstream);
  const kept = isSameUser && before.upstreamPassword !== "";
  requireBoth(upstream, password !== "" || kept);
  if (password !== "")
    return { upstreamPassword: await seal(call.config, purposeOf(before.uid), password) };
  return { upstreamPassword: kept ? before.upstreamPassword : "" };
}

const refused = (field: string, predicate: string) =>
  invalidArgument(field, `${field} ${predicate}`);

async function checkHost(config: Config, host: string): Promise<void> {
  const refusal = await destinationRefusal(config, `${originOfHost(config, host)}/`, endpointRules);
  if (refusal !== undefined) throw refused("upstream.address", `is at a host that ${refusal}`);
}

function requireBoth({ username }: Upstream, hasPassword: boolean): void {
  if (username !== "" && !hasPassword) {
    const text = "must be sent with upstream.username, also after a change of the host or the user";
    throw refused("upstream.password", text);
  }
  if (username === "" && hasPassword)
    throw refused("upstream.username", "must be set if there is a password");
}

/** Whether the password of one upstream may be sent to another. */
const isSameAccount = (one: Upstream | undefined, other: Upstream): boolean =>
  one !== undefined && one.username === other.username && hostOf(one) === hostOf(other);

const hostOf = ({ address, prefix }: Upstream) => readAddress(address, prefix)?.host;

/** The statement that reads what is known of the upstream of a repository, or of the one whose upstream it uses. */
export const selectUpstreamState = (db: Database, uid: string) =>
  db
    .select()
    .from(upstreamStates)
    .where(
      eq(
        upstreamStates.repo,
        sql`(select coalesce(nullif(${upstreamSource}, ''), ${repos.uid}) from ${repos}
          where ${repos.uid} = ${uid} and "upstream" is not null)`,
      ),
    );

type State = typeof upstreamStates.$inferSelect;

const timeOf = (time: number | null) => (time ? timestampFromMs(time) : undefined);

/** The message of such a row. Undefined without one. */
export function toUpstreamStatus(row: State | undefined, now: number): UpstreamStatus | undefined {
  if (!row) return undefined;
  return wholeMessage(UpstreamStatusSchema, {
    checkTime: timeOf(row.checkTime),
    error: row.error,
    errorTime: timeOf(row.errorTime),
    retryTime: row.retryTime > now ? timestampFromMs(row.retryTime) : undefined,
    pullLimit: row.pullLimit ?? undefined,
    pullsRemaining: row.pullsRemaining ?? undefined,
  });
}

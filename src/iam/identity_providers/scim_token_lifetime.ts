/** The lifetime of a SCIM token: its creation, its end, and the end of the previous token. */
import {
  type Duration,
  type Timestamp,
  timestampFromMs,
  timestampMs,
} from "@bufbuild/protobuf/wkt";
import { IdentityProvider_SCIM_CredentialState as CredentialState } from "../../../schema/gen/platform/iam/v2/identity_providers_pb.js";
import { invalidArgument } from "../../aip/errors.ts";
import { sha256, toHex } from "../../aip/sha256.ts";
import type { Call } from "../../auth/call.ts";
import type { Config } from "../../config.ts";
import { nextNoticeTime } from "../expiry/notice_times.ts";
import { scimCredentialState, scimEndpoint, scimEtag } from "./message.ts";
import type { ProviderRow } from "./rules.ts";

/** A new token: two letters of the vendor's name, `scim_` and 256 random bits in hexadecimal. */
const newToken = (config: Config) =>
  `${config.vendor.slice(0, 2)}scim_${toHex(crypto.getRandomValues(new Uint8Array(32)))}`;

/** Adds calendar years to a time. Both times are in milliseconds since 1970 in UTC. */
function yearsAfter(time: number, years: number): number {
  const date = new Date(time);
  return date.setUTCFullYear(date.getUTCFullYear() + years);
}

/** The time when a new token expires: as requested, after a year by default, and null for never. */
export function tokenExpiry(
  call: Call,
  { expireTime, neverExpires }: { expireTime?: Timestamp | undefined; neverExpires: boolean },
): number | null {
  const refuse = (text: string) => invalidArgument("expire_time", `expire_time ${text}`);
  if (!expireTime) return neverExpires ? null : yearsAfter(call.now, 1);
  if (neverExpires) throw refuse("must be empty if never_expires is set");
  const time = timestampMs(expireTime);
  if (time <= call.now) throw refuse("must be in the future");
  if (time > yearsAfter(call.now, 2)) throw refuse("must be at most 2 years from now");
  return time;
}

/** A duration in milliseconds. */
export const toMilliseconds = ({ seconds, nanos }: Duration) =>
  Number(seconds) * 1000 + Math.floor(nanos / 1e6);

/** The columns of a new token, and the response about it. */
export async function issueToken(call: Call, row: ProviderRow, expires: number | null) {
  const token = newToken(call.config);
  const columns = {
    scimTokenDigest: await sha256(token),
    scimTokenExpireTime: expires,
    scimTokenRevokeTime: null,
    scimTokenNoticeTime: nextNoticeTime(expires, call.now),
  };
  const response = {
    endpointUrl: scimEndpoint(call.config, row.uid),
    identityProviderUid: row.uid,
    etag: scimEtag(row.scimVersion + 1),
    ...(expires === null ? {} : { expireTime: timestampFromMs(expires) }),
  };
  return { token, columns, response };
}

/** Whether the provider has a valid token. */
export function hasLiveToken(row: ProviderRow, now: number): boolean {
  const state = scimCredentialState(row, now);
  return state === CredentialState.LIVE || state === CredentialState.ROTATING;
}

/**
 * The state of the previous token. `until` is the time when it expires. Undefined means that it was already
 * invalid.
 */
export function retireToken(call: Call, row: ProviderRow, overlap: number, expires: number | null) {
  const ends = [call.now + overlap, row.scimTokenExpireTime, expires];
  const until = hasLiveToken(row, call.now)
    ? Math.min(...ends.filter((end) => end !== null))
    : undefined;
  const works = until !== undefined && until > call.now;
  const columns = {
    scimPreviousTokenDigest: works ? row.scimTokenDigest : "",
    scimPreviousTokenExpireTime: works ? until : null,
  };
  return { until, columns };
}

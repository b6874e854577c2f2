/**
 * The codes of the device flow (RFC 8628). A program has a long one, which the issuer encrypts and which names a row.
 * The person types a short one, which is in that row. The row is in the first database, because no one knows the
 * organization before the person logs in.
 */
import { and, eq, gt, lte, sql } from "drizzle-orm";
import { base64url } from "jose";
import { deviceCodes, deviceNetworks } from "../../../schema/tables/issuer/device_codes.ts";
import { randomText } from "../../aip/random_text.ts";
import type { Database } from "../../auth/call.ts";
import { seal, unseal } from "../../auth/secrets.ts";
import type { Config } from "../../config.ts";
import { networkOf } from "../../limits/network.ts";
import type { LoginContext } from "../login/context.ts";
import { countNetwork, maxGuesses, maxStarts } from "./device_networks.ts";
import { OAuthError } from "./errors.ts";

/** The lifetime of a code, in milliseconds. */
export const deviceCodeLifetime = 10 * 60_000;
/** The seconds between two questions of a program. */
export const firstInterval = 5;
/** The seconds that a program must wait longer after it has asked too early (RFC 8628 section 3.5). */
const slowDownBy = 5;
/** How much earlier than its interval a question may arrive, in milliseconds. */
const jitter = 1_000;
/** The time that a program has to fetch its token after the last moment for an approval, in milliseconds. */
const fetchTime = 30_000;
/** How often a code can be typed. */
const maxEntries = 5;

/** Letters that form no words (RFC 8628 section 6.1). Eight of them are one of 20^8 codes. */
const letters = "BCDFGHJKLMNPQRSTVWXZ";
const codeLength = 8;
const slotLength = 3;
/** How often another code is made if the place of the first one in the table is taken. */
const maxAttempts = 4;

const codePurpose = "device_code";
const grantPurpose = "device_grant";

/** The request of a program, as the person sees it. */
export interface DeviceRequest {
  userCode: string;
  /** The random part of the code of the program. */
  device: string;
  /** The name that the program gave itself. Empty if it gave none. */
  clientName: string;
  scope: string;
  /** The organization that the program named. Empty if it named none. */
  idp: string;
  /** Where the request came from, in words. */
  place: string;
}

/** The content of the code of a program. `client` is the SHA-256 of the id of the client. */
export interface DeviceCodeContent extends Pick<DeviceRequest, "userCode" | "device" | "scope"> {
  client: string;
  /** Milliseconds since 1970 in UTC. */
  until: number;
}

/** Returns the letters of a text that a person typed. Undefined if it is not a code. */
export function readUserCode(text: string): string | undefined {
  const code = text.toUpperCase().replace(/[\s-]+/g, "");
  const isCode = code.length === codeLength && [...code].every((one) => letters.includes(one));
  return isCode ? code : undefined;
}

/** The code as people see it: `BCDF-GHJK`. */
export const shownCode = (code: string) => `${code.slice(0, 4)}-${code.slice(4)}`;

const slotOf = (userCode: string) => userCode.slice(0, slotLength);
const isRow = ({ userCode, device }: Pick<DeviceRequest, "userCode" | "device">) =>
  and(
    eq(deviceCodes.slot, slotOf(userCode)),
    eq(deviceCodes.userCode, userCode),
    eq(deviceCodes.device, device),
  );

/**
 * Stores a request, and returns its two codes. Throws OAuthError if the network has requested too many, or if the table
 * is full.
 */
export async function newDeviceCode(
  context: LoginContext,
  client: string,
  request: Omit<DeviceRequest, "userCode" | "device">,
): Promise<{ deviceCode: string; userCode: string }> {
  const { config, databases, now, headers } = context;
  const { first } = databases;
  const { starts } = await countNetwork(first, networkOf(headers), now, "starts");
  if (starts > maxStarts) throw busy("your network has requested too many codes");
  const device = base64url.encode(crypto.getRandomValues(new Uint8Array(32)));
  const until = now + deviceCodeLifetime;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const userCode = randomText(letters, codeLength);
    const row = { ...request, ...emptyRow, slot: slotOf(userCode), userCode, device };
    const [stored] = await insertIfFree(first, { ...row, expireTime: until }, now);
    if (!stored) continue;
    const content: DeviceCodeContent = { client, scope: request.scope, userCode, device, until };
    return { userCode, deviceCode: await seal(config, codePurpose, JSON.stringify(content)) };
  }
  throw busy("too many programs wait for a login");
}

const busy = (reason: string) =>
  new OAuthError("temporarily_unavailable", `${reason}; try again in ten minutes`);

const emptyRow = {
  state: "pending" as const,
  loginGrant: "",
  entries: 0,
  pollInterval: firstInterval,
  pollTime: 0,
};

const insertIfFree = (db: Database, row: typeof deviceCodes.$inferInsert, now: number) =>
  db
    .insert(deviceCodes)
    .values(row)
    .onConflictDoUpdate({
      target: deviceCodes.slot,
      set: row,
      setWhere: lte(deviceCodes.expireTime, now),
    })
    .returning({ slot: deviceCodes.slot });

/** Why a typed code leads nowhere. */
export type EntryProblem = "unknown" | "tooManyGuesses" | "tooManyEntries";

/**
 * Finds the request of a code that a person typed. The guess is counted before the code is looked up, and taken back if
 * the code is right, so that guesses at the same time count too.
 */
export async function enterUserCode(
  { databases: { first }, now, headers }: LoginContext,
  userCode: string,
): Promise<DeviceRequest | EntryProblem> {
  const network = networkOf(headers);
  const { guesses } = await countNetwork(first, network, now, "guesses");
  if (guesses > maxGuesses) return "tooManyGuesses";
  const isCode = and(
    eq(deviceCodes.slot, slotOf(userCode)),
    eq(deviceCodes.userCode, userCode),
    isOpen(now),
  );
  const [[row]] = await first.batch([
    first
      .update(deviceCodes)
      .set({ entries: sql`${deviceCodes.entries} + 1` })
      .where(isCode)
      .returning(),
    first
      .update(deviceNetworks)
      .set({ guesses: sql`max(${deviceNetworks.guesses} - 1, 0)` })
      .where(
        and(
          eq(deviceNetworks.network, network),
          sql`exists (select 1 from ${deviceCodes} where ${isCode})`,
        ),
      ),
  ]);
  if (!row) return "unknown";
  if (row.entries > maxEntries) return "tooManyEntries";
  const { device, clientName, scope, idp, place } = row;
  return { userCode, device, clientName, scope, idp, place };
}

/** Whether a person can still decide about a request. */
const isOpen = (now: number) =>
  and(eq(deviceCodes.state, "pending"), gt(deviceCodes.expireTime, now + fetchTime));

/**
 * Stores the decision of a person: the refresh token of their login, or undefined for a refusal. Returns whether it
 * counts. Only the first decision counts, and only in time.
 */
export async function decide(
  { config, databases: { first }, now }: LoginContext,
  request: DeviceRequest,
  token: string | undefined,
): Promise<boolean> {
  const decision =
    token === undefined
      ? { state: "refused" as const }
      : { state: "approved" as const, loginGrant: await seal(config, grantPurpose, token) };
  const decided = await first
    .update(deviceCodes)
    .set(decision)
    .where(and(isRow(request), isOpen(now)))
    .returning({ slot: deviceCodes.slot });
  return decided.length > 0;
}

/** Reads the code of a program. Undefined if the issuer did not make it. */
export async function openDeviceCode(
  config: Config,
  code: string,
): Promise<DeviceCodeContent | undefined> {
  const text = await unseal(config, codePurpose, code);
  return text === undefined ? undefined : (JSON.parse(text) as DeviceCodeContent);
}

/**
 * Returns the refresh token that waits for a program, once. Throws OAuthError with the reason if there is none (RFC
 * 8628 section 3.5). A code that has expired costs no statement.
 */
export async function takeGrant(
  { config, databases: { first }, now }: LoginContext,
  content: DeviceCodeContent,
): Promise<string> {
  if (content.until <= now) throw expired();
  const isTooEarly = sql`${deviceCodes.pollTime} + ${deviceCodes.pollInterval} * 1000 - ${jitter} > ${now}`;
  const [[before], , [taken]] = await first.batch([
    first
      .select({ state: deviceCodes.state, isTooEarly: sql<number>`${isTooEarly}` })
      .from(deviceCodes)
      .where(isRow(content)),
    first
      .update(deviceCodes)
      .set({
        pollInterval: sql`${deviceCodes.pollInterval} + case when ${isTooEarly} then ${slowDownBy} else 0 end`,
        pollTime: now,
      })
      .where(and(isRow(content), eq(deviceCodes.state, "pending"))),
    first
      .delete(deviceCodes)
      .where(
        and(isRow(content), eq(deviceCodes.state, "approved"), gt(deviceCodes.expireTime, now)),
      )
      .returning({ loginGrant: deviceCodes.loginGrant }),
  ]);
  if (taken) return (await unseal(config, grantPurpose, taken.loginGrant)) ?? "";
  if (!before) throw new OAuthError("invalid_grant", "the device code was used");
  if (before.state === "refused") throw new OAuthError("access_denied", "the person refused");
  if (before.isTooEarly === 1)
    throw new OAuthError("slow_down", `wait ${slowDownBy} seconds longer between two requests`);
  throw new OAuthError("authorization_pending", "no one has approved the code yet");
}

const expired = () => new OAuthError("expired_token", "the device code has expired; begin again");

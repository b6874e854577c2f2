/**
 * Counts the calls of callers, organizations and networks, and refuses those above a limit. It asks no database: who
 * calls is known from the signature of a token, or from the address.
 */
import {
  type RateClass,
  type RateHolder,
  rateBinding,
  ratePeriod,
} from "../../schema/deployment/rate_limits.ts";
import { rateLimited } from "../aip/errors.ts";
import { rootOf } from "../aip/uid_path.ts";
import type { Credential } from "../auth/call.ts";
import type { Databases } from "../auth/databases.ts";
import { ownCredential } from "../auth/token.ts";
import type { Config, Env } from "../config.ts";
import { factorOf, readFactors, renewFactors } from "./factors.ts";
import { IsolateCounter } from "./isolate_counter.ts";
import { isMember, rememberMember } from "./members.ts";
import { networkOf } from "./network.ts";

/** The part of Cloudflare's binding for rate limits that is used. */
interface RateBinding {
  limit(options: { key: string }): Promise<{ success: boolean }>;
}

/** A call that is counted. `now` is in milliseconds since 1970. */
export interface LimitedCall {
  env: Env;
  config: Config;
  rateClass: RateClass;
  headers: Headers;
  now: number;
  /** Does work when the call is over. */
  after: (work: () => Promise<unknown>) => void;
  databases: Pick<Databases, "all">;
}

/**
 * The limits of one call. Each method counts the call once, however often it runs, and throws RATE_LIMITED if that is
 * one too many.
 */
export interface CallLimit {
  /** Counts a call without a token. */
  network(): Promise<void>;
  /** Counts a call whose token only the database can recognize. A text that proves nothing can name anyone. */
  unverified(): Promise<void>;
  /** Counts a call of a verified caller. `uid` is what the request names, or empty. */
  caller(credential: Credential, uid: string): Promise<void>;
}

/** The limits of a call. */
export function limitOf(call: LimitedCall): CallLimit {
  const counted = new Map<string, Promise<void>>();
  const once = (name: string, count: () => Promise<void>) => {
    const known = counted.get(name) ?? count();
    counted.set(name, known);
    return known;
  };
  const byNetwork = (holder: RateHolder) =>
    once(holder, () => count(call, holder, networkOf(call.headers)));
  return {
    network: () => byNetwork("network"),
    unverified: () => byNetwork("unverified"),
    caller: (credential, uid) => once("caller", () => countCaller(call, callerOf(credential), uid)),
  };
}

/** Counts a call that hands in a token: for its caller if it is our own token, and otherwise for the network. */
export async function countToken(
  limit: CallLimit,
  config: Config,
  token: string,
  now: number,
): Promise<void> {
  const own = config.rateLimits && (await ownCredential(config, token, now));
  return own ? limit.caller(own, "") : limit.unverified();
}

/** The caller is counted first, so that what it is refused uses up nothing of its organization. */
async function countCaller(call: LimitedCall, caller: string, uid: string): Promise<void> {
  if (!call.config.rateLimits) return;
  await count(call, "caller", caller);
  const organization = organizationOf(caller, uid);
  if (organization === undefined) return;
  renewFactors(call.now, call.after, () => readFactors(call.databases));
  await count(call, "organization", organization, factorOf(organization));
}

const callerOf = ({ bearer }: Credential): string => ("uid" in bearer ? bearer.uid : bearer.person);

/** The organization of an identity of a group, or the one that the call names, if the caller has access there. */
function organizationOf(caller: string, uid: string): string | undefined {
  if (caller.includes("/")) return rootOf(caller);
  const named = rootOf(uid);
  return named !== "" && isMember(caller, named) ? named : undefined;
}

/** Remembers that a call has shown access to a uid. From now on, calls of this caller count for its organization. */
export function rememberAccess({ rateLimits }: Config, credential: Credential, uid: string): void {
  const caller = callerOf(credential);
  if (rateLimits && uid !== "" && !caller.includes("/")) rememberMember(caller, rootOf(uid));
}

async function count(
  call: LimitedCall,
  holder: RateHolder,
  key: string,
  factor = 1,
): Promise<void> {
  const { config, rateClass, now } = call;
  if (factor === Number.POSITIVE_INFINITY) return;
  const limit = Math.max(1, Math.floor((config.rateLimits?.[rateClass][holder] ?? 0) * factor));
  if (!config.rateLimits || (await isWithin(call, holder, { key, limit, factor }))) return;
  const retryAfterSeconds = counterOfIsolate().secondsLeft(now);
  throw rateLimited({ rateClass, holder, limit, retryAfterSeconds });
}

async function isWithin(
  { env, rateClass, now }: LimitedCall,
  holder: RateHolder,
  { key, limit, factor }: { key: string; limit: number; factor: number },
): Promise<boolean> {
  const isWithinHere = () =>
    counterOfIsolate().count(`${rateClass} ${holder} ${key}`, now) <= limit;
  // A cast, because the names of these bindings are made from the classes.
  const bindings = env as unknown as Partial<Record<string, RateBinding>>;
  const binding = bindings[rateBinding(rateClass, holder)];
  // A binding cannot count less than its limit.
  if (!binding || factor < 1) return isWithinHere();
  // Each part counts up to the limit of the binding. With fewer parts, the operator's percentage would have no effect.
  const parts = Math.ceil(factor);
  const part = parts === 1 ? key : `${key}#${Math.floor(Math.random() * parts)}`;
  try {
    return (await binding.limit({ key: part })).success;
  } catch {
    // A counter that fails must not stop the platform.
    return isWithinHere();
  }
}

let isolateCounter: IsolateCounter | undefined;

/** The counter of this isolate. It is created with the first call, because a Worker that starts has no random numbers. */
function counterOfIsolate(): IsolateCounter {
  const [seed = 0] = isolateCounter ? [] : crypto.getRandomValues(new Uint32Array(1));
  isolateCounter ??= new IsolateCounter(ratePeriod * 1000, seed);
  return isolateCounter;
}

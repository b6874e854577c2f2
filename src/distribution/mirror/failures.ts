/** Why an upstream did not give what a mirror asked for. A pull without it gets the error. */
import { ConnectError } from "@connectrpc/connect";
import { RegistryError } from "../errors.ts";

/**
 * `unreachable`: it does not answer, or with a failure of its own. `limited`: it takes no more requests now. `refused`: it
 * does not accept the credentials. `wrong`: its answer cannot be used, such as bytes with another digest.
 */
export type FailureReason = "unreachable" | "limited" | "refused" | "wrong";

/** For how long an upstream is not asked again, in milliseconds, if it does not say so itself. */
const pauses: Record<FailureReason, number> = {
  unreachable: 15_000,
  limited: 60_000,
  refused: 60_000,
  wrong: 0,
};

/** The longest time for which a limit of an upstream is believed, in milliseconds. */
const longestPause = 6 * 3_600_000;

const statuses: Record<FailureReason, number> = {
  unreachable: 503,
  limited: 429,
  refused: 502,
  wrong: 502,
};

/** The upstream failed. */
export class UpstreamFailure extends RegistryError {
  readonly reason: FailureReason;
  /** Until when the upstream is not asked, in milliseconds since 1970. 0 if it can be asked. */
  readonly retryTime: number;

  /** `pause` is the time in milliseconds that the upstream asks for. */
  constructor(reason: FailureReason, text: string, now: number, pause = pauses[reason]) {
    const bounded = Math.min(Math.max(pause, 0), longestPause);
    const code = reason === "limited" ? "TOOMANYREQUESTS" : "UNAVAILABLE";
    const headers = { "retry-after": String(Math.max(1, Math.ceil(bounded / 1000))) };
    super(statuses[reason], code, text, bounded > 0 ? headers : {});
    this.reason = reason;
    this.retryTime = bounded > 0 ? now + bounded : 0;
  }
}

/** The predicate of a failure for wrong credentials. */
export const refusesLogin = "refuses the user name and the password";

/** The text of an error that is about an image, an upstream or a limit. Throws any other. */
export function reasonOf(thrown: unknown): string {
  if (thrown instanceof RegistryError) return thrown.message;
  if (thrown instanceof ConnectError) return thrown.rawMessage;
  throw thrown;
}

/** Another request fetches the same, or the organization fetches too much at once. */
export const fetchIsBusy = (text: string): RegistryError =>
  new RegistryError(503, "UNAVAILABLE", text, { "retry-after": "5" });

/** The shortest such time. A clock that is wrong must not make every pull ask. */
const shortestPause = 1_000;

/** The time in a `Retry-After` header, in milliseconds from now (RFC 9110, section 10.2.3). Undefined without one. */
export function retryAfter(header: string | null, now: number): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const seconds = Number(header);
  const time = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - now;
  return Number.isNaN(time) ? undefined : Math.max(time, shortestPause);
}

/** The value of a `Warning` header (RFC 7234, section 5.5). The text gets no quotes and no other characters than ASCII. */
export const warningOf = (code: 110 | 111, text: string): string =>
  `${code} - "${text
    .replace(/["\\]/g, "'")
    .replace(/[^\x20-\x7e]/g, "?")
    .slice(0, 300)}"`;

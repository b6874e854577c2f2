/** The place of a request in a trace, as its headers carry it (W3C Trace Context, https://www.w3.org/TR/trace-context/). */

export const traceparentHeader = "traceparent";
export const tracestateHeader = "tracestate";

/** A span, as the header `traceparent` names it. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  /** Whether whoever began the trace wants to keep it. */
  isSampled: boolean;
}

const traceparentPattern =
  /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.{0,400})?$/;

const isZero = (digits: string) => /^0*$/.test(digits);

/** Reads a `traceparent`. Undefined if it is not valid. A later version may add parts at the end. */
export function readTraceparent(text: string | null | undefined): TraceContext | undefined {
  const [, version, traceId = "", spanId = "", flags = "", rest] =
    traceparentPattern.exec(text ?? "") ?? [];
  if (version === undefined || version === "ff" || (version === "00" && rest !== undefined))
    return undefined;
  if (isZero(traceId) || isZero(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Writes a `traceparent`. */
export const traceparentOf = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;

/** The most characters of a `tracestate` that are passed on. The standard asks for at least as many. */
const maxStateLength = 512;

const maxStateMembers = 32;

/** One member: a key, with or without a tenant, and a value that does not end with a space. */
const memberPattern =
  /^(?:[a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/**
 * Reads a `tracestate`. Empty if any part of it is not valid. Members at the end are left out if it is longer than
 * 512 characters.
 */
export function readTracestate(text: string | null | undefined): string {
  // No valid one is longer: 32 members of 512 characters, their commas, and spaces.
  if (!text || text.length > 32 * 520) return "";
  const members = text
    .split(",")
    .map((member) => member.replace(/^[ \t]+|[ \t]+$/g, ""))
    .filter((member) => member !== "");
  const keys = new Set(members.map((member) => member.split("=")[0]));
  const isValid = members.length <= maxStateMembers && keys.size === members.length;
  if (!isValid || !members.every((member) => memberPattern.test(member))) return "";
  while (members.join(",").length > maxStateLength) members.pop();
  return members.join(",");
}

/** A new id of a trace. */
export const newTraceId = (): string => crypto.randomUUID().replaceAll("-", "");

/** A new id of a span. The digit at its beginning is never 0, because a UUID has its variant there. */
export const newSpanId = (): string => newTraceId().slice(16);

/** The trace that the id of a request names: 32 hexadecimal digits, also in the form of a UUID. */
export function traceIdIn(requestId: string): string | undefined {
  const isUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(requestId);
  const digits = isUuid ? requestId.replaceAll("-", "") : requestId;
  return /^[0-9a-f]{32}$/.test(digits) && !isZero(digits) ? digits : undefined;
}

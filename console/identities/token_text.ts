/** Reads what a person pastes into the doctor: a token, or the claims of one. Nothing here leaves the page. */
import { textOfPart } from "../session/token_part.ts";

/** A pasted text. `why` never quotes the text, which can be secret. */
export type Pasted =
  | { kind: "nothing" }
  | { kind: "token"; token: string; header: Claims; claims: Claims }
  /** A word that is not a readable token. The platform can say more about it. */
  | { kind: "unreadable"; token: string }
  | { kind: "claims"; claims: Claims }
  | { kind: "wrong"; why: string };

/** The members of a JSON object. */
export type Claims = Record<string, unknown>;

/** The most characters that the platform takes. */
const maxLength = 65_536;

/** Decodes the text without checking anything. The platform judges the signature. */
export function readPasted(text: string): Pasted {
  const trimmed = text.trim().replace(/^(?:authorization: *)?bearer +/i, "");
  if (trimmed === "") return { kind: "nothing" };
  if (trimmed.length > maxLength)
    return { kind: "wrong", why: `It has more than ${maxLength} characters.` };
  if (trimmed.startsWith("{")) {
    const claims = parseObject(trimmed);
    return claims
      ? { kind: "claims", claims }
      : { kind: "wrong", why: "It begins like claims, but it is not a valid JSON object." };
  }
  if (/\s/.test(trimmed))
    return {
      kind: "wrong",
      why: "A token is one word without spaces. Claims are a JSON object in braces.",
    };
  const [header, claims] = trimmed.split(".").map(decodePart);
  if (!header || !claims) return { kind: "unreadable", token: trimmed };
  return { kind: "token", token: trimmed, header, claims };
}

function parseObject(text: string): Claims | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Claims) : undefined;
  } catch {
    // The error quotes the text.
    return undefined;
  }
}

/** The object in a part of a token. */
function decodePart(part: string): Claims | undefined {
  try {
    return parseObject(textOfPart(part));
  } catch {
    return undefined;
  }
}

/** Claims with a time, in seconds since 1970 UTC (RFC 7519, OpenID Connect Core). */
const times = ["exp", "nbf", "iat", "auth_time"];

/** The time of a claim in milliseconds, or undefined if the claim is none or cannot be shown. */
export function timeOf(name: string, value: unknown): number | undefined {
  if (!times.includes(name) || typeof value !== "number") return undefined;
  return Number.isNaN(new Date(value * 1000).getTime()) ? undefined : value * 1000;
}

/** A claim as text: texts as they are, and everything else as JSON. */
export const claimText = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");

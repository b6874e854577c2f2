/** The headers of a message: its origin, and the copies of its members. */
import { modernVersion, type Received } from "../../mcp/protocol.ts";
import { isLoopbackHost } from "../auth/outgoing/addresses.ts";
import type { Config } from "../config.ts";

/**
 * Whether a page of this origin may send messages. A page that rebinds its name to this machine would reach a platform
 * that runs here, so such a platform accepts only pages of this machine. Any page may call a public platform: only the
 * token proves who calls, and no browser adds it by itself.
 */
export function isAllowedOrigin(origin: string | null, { baseUrl }: Pick<Config, "baseUrl">) {
  if (origin === null || !isLoopbackHost(new URL(baseUrl))) return true;
  return URL.canParse(origin) && isLoopbackHost(new URL(origin));
}

/**
 * Returns how the headers disagree with a message, or undefined. Clients of earlier revisions do not send the headers,
 * except for the version.
 */
export function headerProblem(
  { id, method, params }: Received,
  version: unknown,
  headers: Headers,
): string | undefined {
  const named = headers.get("mcp-protocol-version");
  const isModern = version !== undefined || named === modernVersion;
  // The revision defines no headers for notifications.
  if (!isModern || id === undefined) return undefined;
  if (named !== version) return mismatch("MCP-Protocol-Version", "the version in _meta");
  if (headers.get("mcp-method") !== method) return mismatch("Mcp-Method", "the method");
  if (method !== "tools/call" || decoded(headers.get("mcp-name")) === params.name) return undefined;
  return mismatch("Mcp-Name", "the name of the tool");
}

const mismatch = (header: string, member: string) =>
  `The header ${header} must be present and must be the same as ${member}.`;

/** The text of a header that can be in Base64 (2026-07-28, "Value Encoding"). Undefined if it cannot be read. */
function decoded(value: string | null): string | undefined {
  const [, encoded] = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(value ?? "") ?? [];
  if (encoded === undefined) return value ?? undefined;
  try {
    const bytes = Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

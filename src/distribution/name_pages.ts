/** Pages of names, in the order of their bytes (OCI distribution, "Listing Tags"). */
import { quoted } from "../aip/quoted.ts";
import type { RegistryContext } from "./context.ts";
import { queryInvalid } from "./errors.ts";

/** The most names in one response. */
const maxNames = 1000;

/** A request for names. */
export interface NamePage {
  /** The most names in the response. */
  count: number;
  /** The names come after this text. */
  last: string;
}

/** Reads `n` and `last`. Any whole number is a page size. Throws QUERY_INVALID. */
export function readNamePage({ url }: RegistryContext): NamePage {
  const text = url.searchParams.get("n") ?? "";
  const last = url.searchParams.get("last") ?? "";
  if (text === "") return { count: maxNames, last };
  if (/^\d+$/.test(text)) return { count: Math.min(Number(text), maxNames), last };
  throw queryInvalid(`n must be a whole number; you sent ${quoted(text)}`);
}

/** A response with a Link header (RFC 8288) to the names after `end`, if there are more. */
export function namesResponse(
  { url }: RegistryContext,
  body: object,
  { count, end }: { count: number; end: string | undefined },
): Response {
  const headers = new Headers();
  if (end !== undefined) {
    const query = new URLSearchParams({ n: String(count), last: end });
    headers.set("link", `<${url.pathname}?${query}>; rel="next"`);
  }
  return Response.json(body, { headers });
}

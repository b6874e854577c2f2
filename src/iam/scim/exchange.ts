/** One SCIM request: the arguments of handlers, and how bodies are read and written. */
import { readRequestBytes } from "../../aip/bounded_body.ts";
import type { Database } from "../../auth/call.ts";
import type { Config } from "../../config.ts";
import { badRequest, contentType, ScimError } from "./errors.ts";
import type { ProviderUsers } from "./filter_sql.ts";
import { scimLimits } from "./limits.ts";
import { checkBody } from "./well_formed.ts";

/** A request for a handler. */
export interface ScimCall extends ProviderUsers {
  request: Request;
  url: URL;
  config: Config;
  db: Database;
  /** Milliseconds since 1970 in UTC. */
  now: number;
  /** SHA-256 of the bearer token, in hexadecimal. */
  digest: string;
  /** Names the identity provider as the caller in the log, once its token is verified. Anyone can name it in a path. */
  noteCaller: () => void;
  /** The URL of the groups of the provider. */
  groups: string;
  /** The last segment of the path, if the route has one. */
  id: string;
}

/** Reads the JSON of the body. Throws 413, 415, 400 invalidSyntax, and 400 invalidValue like `checkBody`. */
export async function readScimBody({ request }: ScimCall): Promise<unknown> {
  const [type = ""] = (request.headers.get("content-type") ?? "").toLowerCase().split(";");
  if (type !== "" && ![contentType, "application/json"].includes(type.trim())) {
    throw new ScimError(415, `the content type must be ${contentType} or application/json`);
  }
  const coding = (request.headers.get("content-encoding") ?? "").trim().toLowerCase();
  if (coding !== "" && coding !== "identity") {
    const text = "the body must not be compressed (content-encoding)";
    throw new ScimError(415, text, undefined, { "accept-encoding": "identity" });
  }
  const bytes = await readRequestBytes(
    request,
    scimLimits.bodyBytes,
    () => new ScimError(413, `the body must have at most ${scimLimits.bodyBytes} bytes`),
  );
  const body = parseJson(bytes);
  checkBody(body);
  return body;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    throw badRequest("invalidSyntax", "the body must be JSON in UTF-8");
  }
}

/** A response in JSON. */
export const scimResponse = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": contentType, ...headers },
  });

/** A complete list (RFC 7644 section 3.4.2). */
export const toListResponse = (
  resources: unknown[],
  totalResults = resources.length,
  startIndex = 1,
) => ({
  schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
  totalResults,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
});

/** Reads responses: JSON, an empty body, or an error. */
import {
  type Code,
  codeOf,
  codeOfHttpStatus,
  type Detail,
  type PlatformError,
  toError,
  Unreachable,
} from "./errors.ts";
import type { JsonObject, Operation } from "./operation.ts";

/** A successful response. */
export interface ClientResponse {
  /** An empty object if the response has no body. */
  json: JsonObject;
  headers: Headers;
}

/** The body or the URL is too long, for example because of a thousand ids. */
const tooLargeStatuses = [413, 414];

/** Statuses that a proxy in front of the platform may also return, with its own text. */
const proxyStatuses = [...tooLargeStatuses, 429, 502, 503, 504];

/**
 * Reads a whole response. Throws the PlatformError that it contains. Throws Unreachable for a response that is not from
 * a platform: a redirect, or a body that is not JSON.
 */
export async function readResponse(
  response: Response,
  mayBeEmpty: boolean,
): Promise<ClientResponse> {
  refuseRedirect(response);
  const text = await response.text();
  const json = parseJson(text);
  if (!response.ok) throw toRefusal(response, json);
  if (json === undefined && (text !== "" || !mayBeEmpty)) throw notAPlatform(response);
  return { json: json ?? {}, headers: response.headers };
}

/** Reads the response to a HEAD, which has no body. Throws the PlatformError of its status. */
export function readHead(response: Response): ClientResponse {
  refuseRedirect(response);
  if (!response.ok) throw toRefusal(response, { errors: [] });
  return { json: {}, headers: response.headers };
}

function refuseRedirect(response: Response): void {
  const { type, status } = response;
  // A browser hides everything about a redirect.
  if (type === "opaqueredirect" || (status >= 300 && status < 400)) throw redirectError(response);
}

function redirectError(response: Response): Unreachable {
  const to = response.headers.get("location");
  const target = to && URL.canParse(to, response.url) ? new URL(to, response.url).origin : "";
  const where = target === "" ? "to another address" : `to ${target}`;
  return new Unreachable(`${originOf(response)} redirects ${where}. Use that address instead.`, {
    status: response.status,
  });
}

function notAPlatform(response: Response): Unreachable {
  const type = response.headers.get("content-type")?.split(";")[0] ?? "nothing";
  const what = `returned ${response.status} with ${type} instead of JSON`;
  return new Unreachable(`${originOf(response)} ${what}, so it is not a platform.`, {
    status: response.status,
  });
}

const originOf = ({ url }: Response) => (URL.canParse(url) ? new URL(url).origin : "The address");

function parseJson(text: string): JsonObject | undefined {
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json === "object" && json !== null && !Array.isArray(json)) {
      return json as JsonObject;
    }
  } catch {
    // The text is not JSON. The caller decides what that means.
  }
  return undefined;
}

function toRefusal(response: Response, json: JsonObject | undefined): Error {
  const { status } = response;
  const isKnown = json !== undefined && ("code" in json || Array.isArray(json.errors));
  if (!isKnown && !proxyStatuses.includes(status)) return notAPlatform(response);
  const init = json && "code" in json ? errorOfStatus(json) : errorOfRegistry(json, status);
  const retryAfter = retryAfterOf(response.headers.get("retry-after"));
  return toError({
    ...init,
    code: init.code ?? codeOfHttpStatus(status),
    message: init.message || responseText(response),
    status,
    ...(retryAfter === undefined ? {} : { retryAfter }),
    requestId: response.headers.get("x-request-id") ?? undefined,
  });
}

/** Returns the error that a stream contains, as a google.rpc.Status in JSON. */
export const errorInStream = (text: string, { status, headers }: Response): PlatformError => {
  const { code = "UNKNOWN", ...rest } = errorOfStatus(parseJson(text) ?? {});
  return toError({ code, ...rest, status, requestId: headers.get("x-request-id") ?? undefined });
};

function responseText(response: Response): string {
  const { status, statusText } = response;
  const words = `${originOf(response)} returned ${status} ${statusText}`.trim();
  return tooLargeStatuses.includes(status) ? `${words}: send less data in one call` : words;
}

/** Reads a google.rpc.Status in JSON, or an error of the Connect protocol. */
function errorOfStatus({ code, message, details }: JsonObject) {
  const detailObjects = Array.isArray(details) ? (details as JsonObject[]) : [];
  const list = detailObjects.map(toDetail);
  return {
    code: codeOf(code),
    message: typeof message === "string" ? message : "",
    details: list,
    retryAfter: retryDelayOf(list),
  };
}

/** Returns the milliseconds of a RetryInfo, for a response whose header a page cannot read or that has none. */
function retryDelayOf(details: Detail[]): number | undefined {
  const info = details.find(
    (detail) => detail["@type"] === "type.googleapis.com/google.rpc.RetryInfo",
  );
  const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(String(info?.retryDelay)) ?? [];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

/** Connect names the type of a detail separately. It contains the value as JSON only in `debug`. */
function toDetail(detail: JsonObject): Detail {
  if (typeof detail["@type"] === "string") return detail as Detail;
  const debug = (detail.debug ?? {}) as JsonObject;
  return { "@type": `type.googleapis.com/${detail.type}`, ...debug };
}

/** Reads `{"errors": [{code, message}]}`, the errors of a registry (OCI distribution specification). */
function errorOfRegistry(json: JsonObject | undefined, status: number) {
  const [error] = (json?.errors ?? []) as { code?: string; message?: string }[];
  // The registry's 400 and 404 responses have their own codes for the error.
  const code: Code = codeOfHttpStatus(status);
  return { code, message: error?.message ?? "", ...(error?.code && { reason: error.code }) };
}

/** Returns the milliseconds of a Retry-After header, which contains seconds or a date (RFC 9110 section 10.2.3). */
function retryAfterOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

/** Returns the response with the member names of the types here, instead of the operator's name on the wire. */
export function withPlainNames(operation: Operation, json: JsonObject, vendor: string): JsonObject {
  const { vendorNamed, rows } = operation;
  if (vendorNamed === undefined) return json;
  const plain = ({ [vendor]: named, ...others }: JsonObject): JsonObject =>
    named === undefined ? others : { ...others, [vendorNamed]: named };
  if (rows === undefined) return plain(json);
  const rowValues = json[rows];
  return Array.isArray(rowValues)
    ? { ...json, [rows]: (rowValues as JsonObject[]).map(plain) }
    : json;
}

/** Answers read: JSON, nothing, or the error that they tell. */
import {
  type Code,
  codeOf,
  codeOfHttpStatus,
  type Detail,
  toError,
  Unreachable,
} from "./errors.ts";
import type { JsonObject, Operation } from "./operation.ts";

/** A successful answer. */
export interface ClientResponse {
  /** Without members where the answer has no body. */
  json: JsonObject;
  headers: Headers;
}

/** Body or URL are too long: a thousand ids can be. */
const tooLargeStatuses = [413, 414];

/** Statuses that a server in front of the platform makes as well, in words of its own. */
const proxyStatuses = [...tooLargeStatuses, 429, 502, 503, 504];

/**
 * Reads an answer to the end. Throws the PlatformError that it tells, or Unreachable for what no
 * platform answers: a redirect, or something that is not JSON.
 */
export async function readResponse(
  response: Response,
  mayBeEmpty: boolean,
): Promise<ClientResponse> {
  // A browser shows nothing of a redirect.
  if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
    throw redirectError(response);
  }
  const text = await response.text();
  const json = parseJson(text);
  if (!response.ok) throw toRefusal(response, json);
  if (json === undefined && (text !== "" || !mayBeEmpty)) throw notAPlatform(response);
  return { json: json ?? {}, headers: response.headers };
}

function redirectError(response: Response): Unreachable {
  const to = response.headers.get("location");
  const target = to && URL.canParse(to, response.url) ? new URL(to, response.url).origin : "";
  const where = target === "" ? "elsewhere" : `to ${target}`;
  return new Unreachable(`${originOf(response)} redirects ${where}: give that address instead.`, {
    status: response.status,
  });
}

function notAPlatform(response: Response): Unreachable {
  const type = response.headers.get("content-type")?.split(";")[0] ?? "nothing";
  const what = `answered ${response.status} with ${type} instead of JSON`;
  return new Unreachable(`${originOf(response)} ${what}: it is no platform.`, {
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
    // Not JSON, which the caller judges.
  }
  return undefined;
}

function toRefusal(response: Response, json: JsonObject | undefined): Error {
  const { status } = response;
  const isKnown = json !== undefined && ("code" in json || Array.isArray(json.errors));
  if (!isKnown && !proxyStatuses.includes(status)) return notAPlatform(response);
  const init = json && "code" in json ? errorOfStatus(json) : errorOfRegistry(json, status);
  return toError({
    ...init,
    code: init.code ?? codeOfHttpStatus(status),
    message: init.message || responseText(response),
    status,
    retryAfter: retryAfterOf(response.headers.get("retry-after")),
  });
}

function responseText(response: Response): string {
  const { status, statusText } = response;
  const words = `${originOf(response)} answered ${status} ${statusText}`.trim();
  return tooLargeStatuses.includes(status) ? `${words}: send less at once` : words;
}

/** A google.rpc.Status in JSON, or an error of the Connect protocol. */
function errorOfStatus({ code, message, details }: JsonObject) {
  const found = Array.isArray(details) ? (details as JsonObject[]) : [];
  return {
    code: codeOf(code),
    message: typeof message === "string" ? message : "",
    details: found.map(toDetail),
  };
}

/** Connect tells a detail's type beside its value, which it has as JSON in `debug` only. */
function toDetail(detail: JsonObject): Detail {
  if (typeof detail["@type"] === "string") return detail as Detail;
  const debug = (detail.debug ?? {}) as JsonObject;
  return { "@type": `type.googleapis.com/${detail.type}`, ...debug };
}

/** `{"errors": [{code, message}]}`, which the registry answers (OCI distribution specification). */
function errorOfRegistry(json: JsonObject | undefined, status: number) {
  const [error] = (json?.errors ?? []) as { code?: string; message?: string }[];
  // Its 400 and 404 name what is wrong by codes of their own.
  const code: Code = codeOfHttpStatus(status);
  return { code, message: error?.message ?? "", ...(error?.code && { reason: error.code }) };
}

/** Milliseconds of a Retry-After header: seconds, or a date (RFC 9110 section 10.2.3). */
function retryAfterOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

/** The answer with the member's name of the types here, in place of the operator's name on the wire. */
export function withPlainNames(operation: Operation, json: JsonObject, vendor: string): JsonObject {
  const { vendorNamed, rows } = operation;
  if (vendorNamed === undefined) return json;
  const plain = ({ [vendor]: named, ...others }: JsonObject): JsonObject =>
    named === undefined ? others : { ...others, [vendorNamed]: named };
  if (rows === undefined) return plain(json);
  const found = json[rows];
  return Array.isArray(found) ? { ...json, [rows]: (found as JsonObject[]).map(plain) } : json;
}

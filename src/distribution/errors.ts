/** Errors in the registry's own form (OCI distribution specification, "Error Codes"). */
import { Code, ConnectError } from "@connectrpc/connect";
import { OPEN_UPLOADS } from "../../schema/tables/distribution/uploads.ts";
import { exceededKind, isRateLimited } from "../aip/errors.ts";
import { requestIdOf } from "../aip/request_id.ts";
import type { Config } from "../config.ts";
import { type Refusal, refusalText } from "../registry/tag_rules/refusals.ts";
import { toStatus } from "../rpc/status.ts";

/** An error for the client: `{"errors": [{code, message, detail: {requestId, decisionId}}]}`. */
export class RegistryError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Record<string, string>;
  /** The id of the decision that refused access (src/auth/access_decision.ts). */
  decisionId: string | undefined;
  /** The error code in the challenge of a 401 (RFC 6750, section 3.1). */
  challengeError: string | undefined;

  constructor(status: number, code: string, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** 401: there is no credential, or it is invalid. */
export const unauthorized = (text: string) => new RegistryError(401, "UNAUTHORIZED", text);

/** 403: a valid credential without access. The text must not reveal what exists. */
export const denied = (text: string) => new RegistryError(403, "DENIED", text);

/** 403: the repository is a mirror, so nothing is pushed to it. */
export const isMirror = ({ full }: { full: string }) =>
  denied(`${full} is a mirror of another registry and takes no pushes; push to another repository`);

/** 404: the repository does not exist. */
export const nameUnknown = (name: string) =>
  new RegistryError(404, "NAME_UNKNOWN", `there is no repository ${name}`);

/** 400: the text cannot be the name of a repository. */
export const nameInvalid = (text: string) => new RegistryError(400, "NAME_INVALID", text);

/** 404: the repository never had a tag with this name that pointed to an image. */
export const historyUnknown = (tag: string) =>
  new RegistryError(
    404,
    "MANIFEST_UNKNOWN",
    `no image in the repository has ever had the tag ${tag}`,
  );

/** 404: the repository has no manifest with this tag or digest. */
export const manifestUnknown = (reference: string) =>
  new RegistryError(404, "MANIFEST_UNKNOWN", `the repository has no manifest ${reference}`);

/** 404: a tag rule holds back every image of the tag. */
export const heldBack = (text: string) => new RegistryError(404, "MANIFEST_UNKNOWN", text);

/** 400: the manifest cannot be stored. */
export const manifestInvalid = (text: string) => new RegistryError(400, "MANIFEST_INVALID", text);

/** 404: the manifest names blobs or manifests that the repository does not have. */
export const manifestBlobUnknown = (digests: string[]) =>
  new RegistryError(
    404,
    "MANIFEST_BLOB_UNKNOWN",
    `the manifest names ${digests.slice(0, 5).join(", ")}${digests.length > 5 ? ` and ${digests.length - 5} more` : ""}, which the repository does not have; push ${digests.length > 1 ? "them" : "it"} first`,
  );

/** 404: the repository has no blob with this digest. The answer is the same if another repository has it. */
export const blobUnknown = (digest: string) =>
  new RegistryError(404, "BLOB_UNKNOWN", `the repository has no blob ${digest}`);

/** 404: the stored bytes of a blob or a manifest are not those of its digest. No one gets them. */
export const contentDamaged = (digest: string, isManifest: boolean, fault: "missing" | "changed") =>
  new RegistryError(
    404,
    isManifest ? "MANIFEST_UNKNOWN" : "BLOB_UNKNOWN",
    fault === "missing"
      ? `the stored bytes of ${digest} are missing; push it again`
      : `the stored bytes of ${digest} have another length or digest; push it again`,
  );

/** 404: there is no upload with this id for the caller in the repository. */
export const uploadUnknown = () =>
  new RegistryError(
    404,
    "BLOB_UPLOAD_UNKNOWN",
    "the repository has no upload with this id that you began; if it has ended or expired, start again",
  );

/** 400: the bytes of a request are not those of the upload. */
export const uploadInvalid = (text: string) => new RegistryError(400, "BLOB_UPLOAD_INVALID", text);

/** 416: the chunk does not begin where the upload ends. The headers say where that is. */
export const chunkOutOfOrder = (headers: Record<string, string>, size: number) =>
  new RegistryError(
    416,
    "BLOB_UPLOAD_INVALID",
    `the next chunk must begin at byte ${size}`,
    headers,
  );

/** 416: the blob has fewer bytes than the request asks for. */
export const rangeNotSatisfiable = (size: number) =>
  new RegistryError(416, "RANGE_INVALID", `the blob has ${size} bytes`, {
    "content-range": `bytes */${size}`,
  });

/** 400: the bytes have another digest, or the text is not a digest. */
export const digestInvalid = (text: string) => new RegistryError(400, "DIGEST_INVALID", text);

/** 400: the number of bytes is wrong. */
export const sizeInvalid = (text: string) => new RegistryError(400, "SIZE_INVALID", text);

/** 413: the body of the request has too many bytes. */
export const tooLarge = (text: string) => new RegistryError(413, "SIZE_INVALID", text);

/** 408: the bytes of a body arrive too slowly. `stall` is in milliseconds. */
export class TooSlow extends RegistryError {
  constructor(bytes: number, stall: number) {
    const text = `each ${bytes} bytes of a body must arrive within ${stall / 1000} seconds; send the request again`;
    super(408, "BLOB_UPLOAD_INVALID", text);
  }
}

/** 403: the organization may store no more. `limit` is in bytes. */
export const storageLimitReached = (limit: number) =>
  new RegistryError(
    403,
    "DENIED",
    `the organization may store ${limit} bytes in the registry, and this would be more; delete images, or ask the operator for more`,
  );

/**
 * 403: a tag rule refuses the change. 409 if a tag can be set only once, because some clients repeat a push that gets 403.
 */
export const refusedByRule = ([first]: [Refusal, ...Refusal[]]) =>
  new RegistryError(
    first.rule.keep?.condition.case === "writeOnce" ? 409 : 403,
    "DENIED",
    refusalText(first),
  );

/**
 * 401: the token is valid, but is for other images or actions. A token for the right scope may help: podman and skopeo
 * get one only if the challenge says so.
 */
export const insufficientScope = (text: string) =>
  Object.assign(unauthorized(text), { challengeError: "insufficient_scope" });

/** 405: a manifest of the repository needs the blob. */
export const blobInUse = (digest: string) =>
  new RegistryError(
    405,
    "UNSUPPORTED",
    `a manifest of the repository needs ${digest}; delete the manifest first`,
    { allow: "GET, HEAD" },
  );

/** 429: other requests keep changing the same tag, or this one may be sent again after some seconds. */
const tooManyRequests = (text: string, seconds = 1) =>
  new RegistryError(429, "TOOMANYREQUESTS", text, { "retry-after": String(seconds) });

/** 429: the pushes that are in progress hold all memory that pushes may hold. */
export const tooBusy = () =>
  tooManyRequests("too many pushes are in progress; send the request again later", 10);

/** 503: R2 failed. */
export const storageUnavailable = () =>
  new RegistryError(
    503,
    "UNAVAILABLE",
    "the storage of the registry failed; send the request again",
  );

/** 400: the text cannot be a tag. */
export const tagInvalid = (text: string) => new RegistryError(400, "TAG_INVALID", text);

/** 400: a query parameter is unreadable. */
export const queryInvalid = (text: string) => new RegistryError(400, "QUERY_INVALID", text);

/** 404: this registry does not serve this path of the API. */
export const unsupported = (text: string) => new RegistryError(404, "UNSUPPORTED", text);

/** 404: the path does not belong to a registry. */
export const pathNotFound = () => unsupported("this host serves only /token and /v2/");

/** 405: the path does not support the method. */
export const methodUnsupported = (method: string, allowed = ["GET", "HEAD"]) =>
  new RegistryError(
    405,
    "UNSUPPORTED",
    `${method} is not supported; use ${new Intl.ListFormat("en", { type: "disjunction" }).format(allowed)}`,
    { allow: allowed.join(", ") },
  );

/**
 * Converts any thrown value to a response. A 401 contains the challenge that says where to get a token (RFC
 * 6750 section 3). Its `scope` is the scope that this request needs, if it is known.
 */
export function toRegistryErrorResponse(
  thrown: unknown,
  config: Config | undefined,
  scope: string,
  requestHeaders: Headers,
): Response {
  const error = thrown instanceof RegistryError ? thrown : toRegistryError(thrown, requestHeaders);
  const headers = new Headers(error.headers);
  headers.set("content-type", "application/json");
  if (error.status === 401 && config) {
    const needed = scope === "" ? "" : `,scope="${scope}"`;
    const reason = error.challengeError ? `,error="${error.challengeError}"` : "";
    const challenge = `realm="${config.registryUrl}/token",service="${config.registryAudience}"`;
    headers.set("www-authenticate", `Bearer ${challenge}${needed}${reason}`);
  }
  const { code, message, status, decisionId } = error;
  const detail = { requestId: requestIdOf(requestHeaders), ...(decisionId && { decisionId }) };
  return new Response(JSON.stringify({ errors: [{ code, message, detail }] }), { status, headers });
}

/** The errors of the rest of the platform. */
function toRegistryError(thrown: unknown, requestHeaders: Headers): RegistryError {
  const error = toStatus(thrown, requestHeaders);
  const text = error.rawMessage.replace(/^[A-Z][a-z ]+: /, "");
  if (isRateLimited(thrown))
    return new RegistryError(429, "TOOMANYREQUESTS", text, Object.fromEntries(thrown.metadata));
  const quota = exceededKind(error);
  // An upload ends soon. Nothing else becomes less by waiting, and clients repeat what gets 429.
  if (quota !== undefined) return quota === OPEN_UPLOADS ? tooManyRequests(text, 60) : denied(text);
  if (error.code === Code.Unauthenticated) return unauthorized(text);
  const isRefused = error.code === Code.PermissionDenied || error.code === Code.FailedPrecondition;
  if (isRefused) return denied(text);
  if (error.code === Code.InvalidArgument) return nameInvalid(text);
  if (error.code === Code.Aborted) return tooManyRequests(text);
  // The registry's code for 429, TOOMANYREQUESTS, would make clients slow down, which does not free storage.
  const isForLater = error.code === Code.Unavailable || error.code === Code.ResourceExhausted;
  if (isForLater) return new RegistryError(503, "UNAVAILABLE", text);
  return new RegistryError(
    500,
    "UNKNOWN",
    thrown instanceof ConnectError ? text : error.rawMessage,
  );
}

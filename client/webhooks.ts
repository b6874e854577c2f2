/** Verifies events that the platform sends to your address, and gives their bodies types. */
import { createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from "jose";
import type { EventBodies } from "./gen/events.ts";
import type { JsonObject } from "./operation.ts";

export type { EventBodies } from "./gen/events.ts";

/** The type of an event of version 2, without the prefix `dev.<vendor>.`. */
export type EventType = keyof EventBodies;

/** An event that was verified. */
export interface WebhookEvent<Body = JsonObject> {
  /** The id. A repeated event has the same one. */
  id: string;
  /** Without the prefix `dev.<vendor>.`, such as `api.platform.registry.tag.created.v1`. */
  type: string;
  source: string;
  /** The uid of the resource that the event is about. Empty if there is none. */
  subject: string;
  /** When the change was made, in RFC 3339. */
  time: string;
  /** The uid of the group. */
  group: string;
  /** The identity that made the change, and the claims that it came with. */
  actor: { subject: string; act?: Record<string, string> };
  /** The resource or the request. Undefined if the event has no body. */
  body: Body | undefined;
  /** The full name of the message in `body`. Empty if there is none. */
  bodyType: string;
  /** All attributes of the CloudEvent by name. */
  attributes: Record<string, string>;
}

/** How to verify a request. At least one of `secret` and `issuer` is required. If both are set, both are
 * verified. */
export interface WebhookOptions {
  /** The secret of the subscription, or several while you replace it. */
  secret?: string | readonly string[];
  /** The address of the platform's issuer. Requires `group`. */
  issuer?: string;
  /** The uid of the group of the subscription. */
  group?: string;
  /** How old a signature can be, and how far in the future. The default is 300 seconds. */
  toleranceSeconds?: number;
  /** The most bytes of a body. The default is 4 MiB. */
  maxBytes?: number;
}

/** Why a request was refused. `status` is the HTTP status for the response. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
  readonly status: number;
  readonly reason: WebhookReason;
  constructor(status: number, reason: WebhookReason, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

export type WebhookReason =
  | "NO_CREDENTIALS"
  | "BAD_TOKEN"
  | "BAD_DIGEST"
  | "BAD_SIGNATURE"
  | "BAD_TIMESTAMP"
  | "BODY_TOO_LARGE"
  | "NO_EVENT";

const encoder = new TextEncoder();

/**
 * Verifies a request and returns its event. Throws WebhookError with status 401 if the credentials are missing, and 403
 * if they are wrong. The status is 413 if the body is too large, and 400 if the request is not an event.
 */
export async function verifyWebhook(
  request: Request,
  options: WebhookOptions,
): Promise<WebhookEvent> {
  const { secret, issuer } = options;
  if (secret === undefined && issuer === undefined) {
    throw new TypeError("verifyWebhook requires a secret or an issuer");
  }
  if (issuer !== undefined && options.group === undefined) {
    throw new TypeError("verifyWebhook requires the group if it has an issuer");
  }
  const { headers } = request;
  requireCredentials(headers, options);
  const body = await readBody(request, options.maxBytes ?? 4 * 1024 * 1024);
  if (issuer !== undefined) await verifyToken(headers, body, issuer, options.group ?? "");
  if (secret !== undefined) await verifySignature(headers, body, options);
  return toEvent(headers, body);
}

/** Handles the events of a type. The response is sent after it has ended. */
type EventHandler<Type extends EventType> = (event: WebhookEvent<EventBodies[Type]>) => unknown;

/** Handlers by the type of the event. `default` handles every other type. */
export type WebhookHandlers = { [Type in EventType]?: EventHandler<Type> } & {
  default?: (event: WebhookEvent) => unknown;
};

/**
 * Returns a function that responds to requests of the platform. It verifies the request and calls the handler of the
 * event's type. An event without a handler is accepted. If a handler throws, the response has status 500, and the
 * platform sends the event again.
 */
export function webhookHandler(options: WebhookOptions, handlers: WebhookHandlers) {
  return async (request: Request): Promise<Response> => {
    if (request.method !== "POST") {
      return new Response("send a POST request", { status: 405, headers: { allow: "POST" } });
    }
    let event: WebhookEvent;
    try {
      event = await verifyWebhook(request, options);
    } catch (error) {
      if (error instanceof WebhookError)
        return new Response(error.message, { status: error.status });
      throw error;
    }
    // The types of the handlers differ in their bodies, and the type of the event selects the right one.
    const handle = (
      Object.hasOwn(handlers, event.type) ? handlers[event.type as EventType] : handlers.default
    ) as ((event: WebhookEvent) => unknown) | undefined;
    try {
      await handle?.(event);
    } catch (error) {
      console.error(error);
      return new Response("the handler failed", { status: 500 });
    }
    return new Response("ok");
  };
}

function requireCredentials(headers: Headers, { secret, issuer }: WebhookOptions): void {
  if (issuer !== undefined && !/^Bearer .+/i.test(headers.get("authorization") ?? "")) {
    throw new WebhookError(401, "NO_CREDENTIALS", "the request has no bearer token");
  }
  if (secret !== undefined && !headers.get("webhook-signature")) {
    throw new WebhookError(401, "NO_CREDENTIALS", "the request has no signature");
  }
}

async function readBody({ body }: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const reader = body?.getReader();
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {};
    if (done || !value) break;
    size += value.byteLength;
    if (size > maxBytes) {
      await reader?.cancel();
      throw new WebhookError(413, "BODY_TOO_LARGE", `the body is larger than ${maxBytes} bytes`);
    }
    chunks.push(value as Uint8Array<ArrayBuffer>);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

const keySets = new Map<string, JWTVerifyGetKey>();

/** The keys of an issuer, from its discovery document. They are read once. */
async function keysOf(issuer: string): Promise<JWTVerifyGetKey> {
  const known = keySets.get(issuer);
  if (known) return known;
  const response = await fetch(`${issuer.replace(/\/+$/, "")}/.well-known/openid-configuration`);
  if (!response.ok) throw new Error(`the issuer responds with ${response.status}`);
  const { jwks_uri: uri } = (await response.json()) as { jwks_uri: string };
  const keys = createRemoteJWKSet(new URL(uri));
  keySets.set(issuer, keys);
  return keys;
}

async function verifyToken(
  headers: Headers,
  body: Uint8Array<ArrayBuffer>,
  issuer: string,
  group: string,
): Promise<void> {
  const token = (headers.get("authorization") ?? "").replace(/^Bearer /i, "");
  const keys = await keysOf(issuer);
  let claims: unknown;
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience: "customer",
      subject: `webhook:${group}`,
      algorithms: ["ES256", "ES384", "ES512", "RS256", "PS256", "EdDSA"],
      requiredClaims: ["exp"],
    });
    claims = payload.webhook;
  } catch (error) {
    if (!(error instanceof errors.JOSEError) || error instanceof errors.JWKSTimeout) throw error;
    throw new WebhookError(403, "BAD_TOKEN", `the token is not valid: ${error.message}`);
  }
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", body));
  const digest = Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
  if ((claims as { digest?: unknown } | undefined)?.digest !== `sha256:${digest}`) {
    throw new WebhookError(403, "BAD_DIGEST", "the token is about another body");
  }
}

/** Standard Webhooks 1.0. One valid signature of one of the secrets is enough. */
async function verifySignature(
  headers: Headers,
  body: Uint8Array<ArrayBuffer>,
  { secret = [], toleranceSeconds = 300 }: WebhookOptions,
): Promise<void> {
  const id = headers.get("webhook-id") ?? "";
  const timestamp = headers.get("webhook-timestamp") ?? "";
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!/^\d+$/.test(timestamp) || age > toleranceSeconds) {
    throw new WebhookError(403, "BAD_TIMESTAMP", "the signature is too old or from the future");
  }
  const content = new Blob([encoder.encode(`${id}.${timestamp}.`), body]);
  const bytes = await content.arrayBuffer();
  const given = (headers.get("webhook-signature") ?? "").split(" ");
  for (const one of typeof secret === "string" ? [secret] : secret) {
    const key = await importSecret(one);
    for (const signature of given) {
      const claimed = base64Bytes(signature.replace(/^v1,/, ""));
      const isV1 = signature.startsWith("v1,") && claimed !== undefined;
      // Its comparison takes the same time for all signatures.
      if (isV1 && (await crypto.subtle.verify("HMAC", key, claimed, bytes))) {
        if (id === (headers.get("ce-id") ?? id)) return;
      }
    }
  }
  throw new WebhookError(403, "BAD_SIGNATURE", "no signature matches a secret");
}

function importSecret(secret: string): Promise<CryptoKey> {
  const bytes = base64Bytes(secret.replace(/^whsec_/, ""));
  if (!bytes) throw new TypeError("a secret must be whsec_ and bytes in base64");
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, [
    "verify",
  ]);
}

function base64Bytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Reads the attributes (CloudEvents HTTP binding, section 3.1.3) and the body. */
function toEvent(headers: Headers, bytes: Uint8Array): WebhookEvent {
  const attributes: Record<string, string> = {};
  for (const [name, value] of headers) {
    if (name.startsWith("ce-")) attributes[name.slice(3)] = percentDecoded(value);
  }
  const { id = "", type = "", source = "", specversion = "" } = attributes;
  if (specversion !== "1.0" || id === "" || type === "" || source === "") {
    throw new WebhookError(400, "NO_EVENT", "the request is not a CloudEvent in binary mode");
  }
  const { actor, body } = parsedBody(bytes);
  return {
    ...{ id, source, attributes },
    type: type.replace(/^dev\.[^.]+\./, ""),
    subject: attributes.subject ?? "",
    time: attributes.time ?? "",
    group: attributes.group ?? "",
    actor: { subject: "", ...(actor as object) },
    body: body as JsonObject | undefined,
    bodyType: attributes.bodytype ?? "",
  };
}

function percentDecoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw new WebhookError(400, "NO_EVENT", "an attribute is not percent-encoded");
  }
}

function parsedBody(bytes: Uint8Array): JsonObject {
  try {
    const data: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (typeof data === "object" && data !== null && !Array.isArray(data))
      return data as JsonObject;
  } catch {
    // Not JSON, or not UTF-8.
  }
  throw new WebhookError(400, "NO_EVENT", "the body is not a JSON object");
}

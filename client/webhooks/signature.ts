/** Verifies the signature of Standard Webhooks (https://www.standardwebhooks.com). */
import { WebhookError } from "./error.ts";
import { base64Bytes, type WebhookRules } from "./options.ts";

/** The headers of a signature, as they are sent. */
export interface SignatureHeaders {
  id: string;
  /** In seconds since 1970 UTC. */
  timestamp: string;
  /** Signatures such as `v1,{base64}`, separated by spaces. */
  signatures: string;
}

/** Returns the headers of the signature. Throws a WebhookError with status 401 if one is missing. */
export function signatureHeaders(headers: Headers): SignatureHeaders {
  const read = (name: string) => {
    const value = headers.get(name);
    if (value) return value;
    throw new WebhookError(401, "SIGNATURE_MISSING", `The request has no header ${name}.`);
  };
  return {
    id: read("webhook-id"),
    timestamp: read("webhook-timestamp"),
    signatures: read("webhook-signature"),
  };
}

/** Throws a WebhookError with status 403 unless one of the secrets made one of the signatures for this body. */
export async function verifySignature(
  { id, timestamp, signatures }: SignatureHeaders,
  body: Uint8Array<ArrayBuffer>,
  secrets: Uint8Array<ArrayBuffer>[],
  { toleranceSeconds }: Pick<WebhookRules, "toleranceSeconds">,
): Promise<void> {
  // The time is signed too, so it can be checked before the signature.
  const age = /^\d{1,12}$/.test(timestamp) ? Date.now() / 1000 - Number(timestamp) : Number.NaN;
  if (!(Math.abs(age) <= toleranceSeconds)) {
    throw new WebhookError(
      403,
      "TIMESTAMP_OUT_OF_RANGE",
      `The time in webhook-timestamp must be within ${toleranceSeconds} seconds of the current time.`,
    );
  }
  const signed = signedBytes(`${id}.${timestamp}.`, body);
  const candidates = signatures.split(" ").flatMap(signatureBytes);
  for (const secret of secrets) {
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["verify"]);
    for (const candidate of candidates) {
      // It compares in constant time.
      if (await crypto.subtle.verify("HMAC", key, candidate, signed)) return;
    }
  }
  throw new WebhookError(
    403,
    "SIGNATURE_INVALID",
    "No signature in webhook-signature is valid for this request and secret.",
  );
}

/** The most signatures that are tried, because each costs the time to hash the whole body. */
const maxSignatures = 8;

/** Returns the bytes of a symmetric signature. Signatures of other versions are for other receivers. */
function signatureBytes(text: string, index: number): Uint8Array<ArrayBuffer>[] {
  const [version, value = "", ...more] = text.split(",");
  const bytes = version === "v1" && more.length === 0 ? base64Bytes(value) : undefined;
  return bytes?.length === 32 && index < maxSignatures ? [bytes] : [];
}

function signedBytes(prefix: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(prefix);
  const all = new Uint8Array(head.length + body.length);
  all.set(head);
  all.set(body, head.length);
  return all;
}

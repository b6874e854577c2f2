/** Verifies a delivery: its signature, its token, or both. */
import { WebhookError } from "./error.ts";
import { readEvent, type WebhookEvent } from "./event.ts";
import { rulesOf, type WebhookOptions } from "./options.ts";
import { headersOf, readBody, type WebhookRequest } from "./request.ts";
import { signatureHeaders, verifySignature } from "./signature.ts";
import { bearerToken, verifyToken } from "./token.ts";

/**
 * Returns the event of a request, once everything that the options configure is verified. A secret verifies the
 * signature of Standard Webhooks, and an issuer with a group verifies the token.
 *
 * Throws a WebhookError, whose `status` is the response to send. A missing credential is 401, and a wrong one is 403. A
 * body that is too large is 413, and a request that is not an event is 400. If the keys of the issuer cannot be fetched,
 * the status is 503. Throws a TypeError if an option is invalid.
 */
export async function verifyWebhook(
  request: WebhookRequest,
  options: WebhookOptions,
): Promise<WebhookEvent> {
  const { secrets, token: tokenRules, toleranceSeconds, maxBodyBytes } = rulesOf(options);
  const headers = headersOf(request);
  const token = tokenRules && bearerToken(headers);
  const signature = secrets && signatureHeaders(headers);
  const body = await readBody(request, headers, maxBodyBytes);
  // The signature comes first, because it needs no request to the issuer.
  if (secrets && signature) {
    await verifySignature(signature, body, secrets, { toleranceSeconds });
  }
  if (tokenRules && token) await verifyToken(token, body, tokenRules);
  const event = readEvent(headers, body);
  if (signature && signature.id !== event.id) {
    throw new WebhookError(403, "ID_MISMATCH", "The headers webhook-id and ce-id differ.");
  }
  return event;
}

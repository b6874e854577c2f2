/** The refusals of a delivery. */

/** The reason why a delivery was refused, for programs. */
export type WebhookErrorReason =
  /** The request is not a POST. Only `webhookHandler` checks that. */
  | "METHOD_NOT_ALLOWED"
  /** There is no `authorization` header. */
  | "TOKEN_MISSING"
  /** A header of the signature is missing: `webhook-id`, `webhook-timestamp` or `webhook-signature`. */
  | "SIGNATURE_MISSING"
  /** The body has more bytes than `maxBodyBytes`. */
  | "BODY_TOO_LARGE"
  /** The token is malformed, has a bad signature, or is of another issuer or for another audience. */
  | "TOKEN_INVALID"
  /** The token is no longer valid. */
  | "TOKEN_EXPIRED"
  /** The token is for the subscription of another group. */
  | "TOKEN_FOR_OTHER_GROUP"
  /** The body is not the one that the token was issued for. */
  | "DIGEST_MISMATCH"
  /** The time of the signature is too far from the current time. */
  | "TIMESTAMP_OUT_OF_RANGE"
  /** No secret made any of the signatures. */
  | "SIGNATURE_INVALID"
  /** The id that is signed is not the id of the event. */
  | "ID_MISMATCH"
  /** The request is authentic, but is not an event in the form that the platform sends. */
  | "NOT_A_CLOUD_EVENT"
  /** The keys of the issuer could not be fetched, so the token could not be verified. */
  | "KEYS_UNAVAILABLE";

/** The HTTP status that a receiver responds with. The platform retries a delivery after any of them. */
export type WebhookErrorStatus = 400 | 401 | 403 | 405 | 413 | 503;

/** A delivery that must not be processed. The message is safe to send to the caller. */
export class WebhookError extends Error {
  override name = "WebhookError";
  /** The HTTP status for the response. */
  readonly status: WebhookErrorStatus;
  readonly reason: WebhookErrorReason;

  constructor(
    status: WebhookErrorStatus,
    reason: WebhookErrorReason,
    message: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.reason = reason;
  }
}

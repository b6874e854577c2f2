/** The receiver's side of a subscription: verifies deliveries and types their events. It only uses web standards. */
export type { EventBodies } from "./gen/events.ts";
export {
  WebhookError,
  type WebhookErrorReason,
  type WebhookErrorStatus,
} from "./webhooks/error.ts";
export type {
  EventActor,
  EventAttributes,
  EventOf,
  EventType,
  WebhookEvent,
} from "./webhooks/event.ts";
export {
  type WebhookHandlerOptions,
  type WebhookHandlers,
  webhookHandler,
} from "./webhooks/handler.ts";
export type { WebhookOptions } from "./webhooks/options.ts";
export type { WebhookRequest } from "./webhooks/request.ts";
export { verifyWebhook } from "./webhooks/verify.ts";

/** Serves deliveries: verifies each and calls the handler of its type. */
import { WebhookError } from "./error.ts";
import type { EventOf, EventType, WebhookEvent } from "./event.ts";
import { rulesOf, type WebhookOptions } from "./options.ts";
import { verifyWebhook } from "./verify.ts";

/**
 * A function for each type of event, such as `"api.platform.registry.tag.created.v1"`. `*` gets the events of all
 * other types. Events without a function are acknowledged and ignored.
 */
export type WebhookHandlers = {
  readonly [Type in EventType]?: (event: EventOf<Type>) => unknown;
} & { readonly "*"?: (event: WebhookEvent) => unknown };

/** The options of a handler. */
export interface WebhookHandlerOptions extends WebhookOptions {
  /** Gets every error: of a refused delivery, and of your functions. By default, errors of functions are logged. */
  onError?: ((error: unknown) => void) | undefined;
}

/**
 * Returns a function that responds to deliveries, for a Worker or any other server with `Request` and `Response`. The
 * response is 200 once the function of the event has finished. If it throws, the response is 500, and the platform
 * delivers the event again. Throws a TypeError if an option is invalid.
 */
export function webhookHandler(
  options: WebhookHandlerOptions,
  handlers: WebhookHandlers,
): (request: Request) => Promise<Response> {
  rulesOf(options);
  const { onError = logUnexpected } = options;
  return async (request) => {
    try {
      if (request.method !== "POST") throw notAPost();
      const event = await verifyWebhook(request, options);
      await handlerOf(handlers, event.type)?.(event);
      return new Response(null, { status: 200 });
    } catch (error) {
      onError(error);
      return errorResponse(error);
    }
  };
}

function handlerOf(
  handlers: WebhookHandlers,
  type: EventType,
): ((event: WebhookEvent) => unknown) | undefined {
  // The sender chooses the type, and every object has members such as `constructor`.
  const name = Object.hasOwn(handlers, type) ? type : "*";
  return handlers[name as "*"];
}

const notAPost = () =>
  new WebhookError(405, "METHOD_NOT_ALLOWED", "The method of a delivery must be POST.");

function errorResponse(error: unknown): Response {
  if (!(error instanceof WebhookError)) {
    return Response.json({ reason: "INTERNAL", message: "The receiver failed." }, { status: 500 });
  }
  const { status, reason, message } = error;
  const headers: Record<string, string> = status === 405 ? { allow: "POST" } : {};
  return Response.json({ reason, message }, { status, headers });
}

function logUnexpected(error: unknown): void {
  if (!(error instanceof WebhookError)) console.error(error);
}

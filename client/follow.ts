/** Follows events as they happen (server-sent events, WHATWG HTML section 9.2). */
import { errorInStream } from "./answer.ts";
import { openStream, unreachable } from "./connection.ts";
import { PlatformError } from "./errors.ts";
import type { Event, ListEventsRequest } from "./gen/messages.ts";
import { operations } from "./gen/operations.ts";
import type { JsonObject } from "./operation.ts";
import { toHttp } from "./request.ts";
import { delay, isTemporary, pauseFor } from "./retry.ts";
import type { Connection } from "./transport.ts";

/** The events to follow. An event must match all filters. */
export type FollowRequest = Omit<ListEventsRequest, "pageSize" | "pageToken" | "orderBy">;

/** The state of the connection. */
export type FollowState =
  | { kind: "connecting" }
  | { kind: "open" }
  /** It connects again at `until`, in milliseconds since 1970 UTC. Without an error, the platform ended the stream. */
  | { kind: "waiting"; until: number; error: PlatformError | undefined };

/** How events are followed. */
export interface FollowOptions {
  /** Ends the connection. The iteration then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Called with each new state of the connection. */
  onState?: ((state: FollowState) => void) | undefined;
}

/** In milliseconds: the pause before the second attempt. It doubles for each further attempt. */
const initialDelayMs = 1_000;
const maxDelayMs = 30_000;

/** A connection that has lasted so long counts as a success. In milliseconds. */
const steadyMs = 10_000;

/** The part of the events that has not arrived yet. */
type Rest = Pick<FollowRequest, "after" | "since">;

/** Returns the events of the stream, over as many connections as it takes. */
export async function* followEvents(
  base: string,
  connection: Connection,
  { after, since, ...filters }: FollowRequest,
  { signal, onState }: FollowOptions,
): AsyncGenerator<Event> {
  const rest: Rest = { after, since };
  for (let failures = 0; ; ) {
    const start = Date.now();
    let failure: PlatformError | undefined;
    onState?.({ kind: "connecting" });
    try {
      const stream = new EventStream(base, connection, signal);
      for await (const event of stream.read(filters, rest, () => onState?.({ kind: "open" }))) {
        rest.after = event.uid;
        failures = 0;
        // The change of the event may not have reached the replica near the caller yet.
        connection.bookmarks.requirePrimary();
        yield event;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof PlatformError && isPassing(error))) throw error;
      failure = error;
    }
    if (Date.now() - start >= steadyMs) failures = 0;
    const longest = Math.min(maxDelayMs, initialDelayMs * 2 ** failures++);
    const asked = failure?.retryAfter;
    const pause = asked === undefined ? longest * (0.5 + Math.random() / 2) : pauseFor(asked);
    onState?.({ kind: "waiting", until: Date.now() + pause, error: failure });
    await delay(pause, signal);
  }
}

const isPassing = (error: PlatformError) => isTemporary(error) || error.code === "INTERNAL";

/** One connection. */
class EventStream {
  readonly #base: string;
  readonly #connection: Connection;
  readonly #end = new AbortController();
  readonly #signal: AbortSignal;
  readonly #caller: AbortSignal | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isSilent = false;

  constructor(base: string, connection: Connection, caller: AbortSignal | undefined) {
    this.#base = base;
    this.#connection = connection;
    this.#caller = caller;
    const own = this.#end.signal;
    this.#signal = caller ? AbortSignal.any([caller, own]) : own;
  }

  /** Ends the connection if nothing arrives in time. The platform sends a comment every 15 seconds. */
  #expectMore(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#isSilent = true;
      this.#end.abort();
    }, this.#connection.timeout);
  }

  /** Reads the events until the platform ends the stream. Sets `rest.since` if it is not known yet. */
  async *read(filters: FollowRequest, rest: Rest, onOpen: () => void): AsyncGenerator<Event> {
    const list = operations["events.list"];
    const { after, since } = rest;
    const query: JsonObject = { ...filters, ...(after ? {} : { since }) };
    const request = toHttp({ ...list, path: `${list.path}:stream` }, query, this.#base);
    if (after) request.headers = { "last-event-id": after };
    this.#expectMore();
    try {
      const response = await openStream(this.#connection, request, this.#signal);
      onOpen();
      // If this connection brings no event, the next one begins where this one began.
      rest.since ??= startOf(response);
      for await (const { name, data } of this.#messages(response)) {
        if (name === "error") {
          const error = errorInStream(data, response);
          // The next connection has a new token.
          if (error.code === "UNAUTHENTICATED") return;
          throw error;
        }
        yield JSON.parse(data) as Event;
      }
    } catch (error) {
      this.#caller?.throwIfAborted();
      if (!this.#isSilent) throw error;
      throw unreachable(request.url, this.#connection.timeout, true, error);
    } finally {
      clearTimeout(this.#timer);
      this.#end.abort();
    }
  }

  /** Reads the messages that have data. Comments only show that the connection works. */
  async *#messages({ body, url }: Response): AsyncGenerator<{ name: string; data: string }> {
    if (!body) return;
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw unreachable(url, undefined, true, error);
      });
      if (done) return;
      this.#expectMore();
      const parts = (text + value).split(/\r\n\r\n|\n\n|\r\r/);
      text = parts.pop() ?? "";
      for (const part of parts) {
        const lines = part.split(/\r\n|\n|\r/);
        const field = (name: string) =>
          lines
            .filter((line) => line.startsWith(`${name}:`))
            .map((line) => line.slice(name.length + 1).trim());
        const data = field("data").join("\n");
        if (data !== "") yield { name: field("event").at(-1) ?? "", data };
      }
    }
  }
}

/** When the stream began, by the clock of the platform if its response says so. In RFC 3339. */
function startOf({ headers }: Response): string {
  const date = Date.parse(headers.get("date") ?? "");
  return new Date(Number.isNaN(date) ? Date.now() : date).toISOString();
}

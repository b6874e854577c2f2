/**
 * Sends events as they happen, for clients that no request can reach (server-sent events, WHATWG HTML section
 * 9.2). The stream asks ListEvents again and again, so each look checks the access of the caller.
 */
import type { Env } from "../../config.ts";
import type { Execution, Worker } from "../../rpc/runtime.ts";

export const streamPath = "/events/v2/events:stream";

/** In milliseconds. */
const pollInterval = 1_000;
const keepAliveInterval = 15_000;

/** After this time the stream ends, and the client connects again. In milliseconds. */
const streamTime = 300_000;

/** Parameters of a page, which the stream sets itself. */
const pageParameters = /^(page_?size|page_?token|order_?by|after)$/i;

interface EventsPage {
  events?: { uid: string; type: string }[];
  nextPageToken?: string;
}

/** The arguments of a Worker's fetch. */
type Arguments = [request: Request, env: Env, execution: Execution];

/**
 * Responds with a stream of the events that match the parameters of ListEvents. It begins after the event in
 * the header `last-event-id`, or at `since`, or now. If the first look fails, its error is the response.
 */
export async function streamEvents(
  list: Worker["fetch"],
  ...[request, env, execution]: Arguments
): Promise<Response> {
  const position = startOf(request);
  const look = (pageToken: string) =>
    list(pageRequest(request, position, pageToken), env, execution);
  const first = await look("");
  if (first.status !== 200) return first;
  const follower = new Follower(look, position);
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => void follower.run(controller, first),
    cancel: () => follower.stop(),
  });
  const headers = new Headers(first.headers);
  headers.set("content-type", "text/event-stream");
  headers.set("cache-control", "no-store");
  headers.delete("content-length");
  headers.delete("server-timing");
  return new Response(body, { headers });
}

/** The times of events differ by less than this from their order. In milliseconds. */
const timeTolerance = 120_000;

/** The place of a stream: the last event that was sent, and a time before which all events were looked at. */
interface Position {
  after: string;
  since: string;
}

function startOf({ url, headers }: Request): Position {
  const after = headers.get("last-event-id") ?? "";
  const since = new URL(url).searchParams.get("since") ?? new Date().toISOString();
  return { after, since: after === "" ? since : "" };
}

function pageRequest(request: Request, { after, since }: Position, pageToken: string): Request {
  const url = new URL(request.url);
  url.pathname = "/events/v2/events";
  for (const name of [...url.searchParams.keys()]) {
    if (pageParameters.test(name)) url.searchParams.delete(name);
  }
  url.searchParams.delete("since");
  if (since !== "") url.searchParams.set("since", since);
  if (after !== "") url.searchParams.set("after", after);
  url.searchParams.set("order_by", "create_time");
  url.searchParams.set("page_size", "200");
  if (pageToken !== "") url.searchParams.set("page_token", pageToken);
  return new Request(url, { headers: request.headers });
}

/** Writes what each look finds. */
class Follower {
  readonly #look: (pageToken: string) => Promise<Response>;
  readonly #position: Position;
  readonly #end = Date.now() + streamTime;
  #isStopped = false;

  constructor(look: (pageToken: string) => Promise<Response>, position: Position) {
    this.#look = look;
    this.#position = position;
  }

  stop(): void {
    this.#isStopped = true;
  }

  async run(controller: ReadableStreamDefaultController<Uint8Array>, first: Response) {
    const encoder = new TextEncoder();
    const write = (text: string) => {
      if (!this.#isStopped) controller.enqueue(encoder.encode(text));
    };
    let lastWrite = Date.now();
    let latest = this.#position.after;
    let lookStart = Date.now();
    // The delay before the client connects again, in milliseconds.
    write(`retry: ${pollInterval}\n\n`);
    try {
      for (let page = first; !this.#isStopped; ) {
        if (page.status !== 200) {
          write(`event: error\ndata: ${JSON.stringify(await page.json())}\n\n`);
          break;
        }
        const { events = [], nextPageToken = "" } = (await page.json()) as EventsPage;
        for (const event of events) write(textOf(event));
        latest = events.at(-1)?.uid ?? latest;
        if (events.length > 0) lastWrite = Date.now();
        if (Date.now() >= this.#end) break;
        if (nextPageToken === "") {
          this.#position.after = latest;
          this.#position.since = later(this.#position.since, lookStart - timeTolerance);
          if (Date.now() - lastWrite >= keepAliveInterval) {
            write(": still here\n\n");
            lastWrite = Date.now();
          }
          await new Promise((resolve) => setTimeout(resolve, pollInterval));
          lookStart = Date.now();
        }
        page = await this.#look(nextPageToken);
      }
      if (!this.#isStopped) controller.close();
    } catch (thrown) {
      if (!this.#isStopped) controller.error(thrown);
    }
  }
}

/** The later of two times: a text, or empty for none, and milliseconds. */
const later = (since: string, time: number) =>
  since !== "" && Date.parse(since) > time ? since : new Date(time).toISOString();

/** One event. JSON has no line breaks outside of its texts, and those are escaped. */
const textOf = (event: { uid: string; type: string }) =>
  `id: ${event.uid}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

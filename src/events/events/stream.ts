/**
 * Sends events as they happen, for clients that no request can reach (server-sent events, WHATWG HTML section
 * 9.2). The stream asks ListEvents again and again, so each look checks the access of the caller.
 */
import { resourceExhausted } from "../../aip/errors.ts";
import type { CallAnywhere } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import { type Env, errorNamesOf } from "../../config.ts";
import type { Execution, Worker } from "../../rpc/runtime.ts";
import { completeError, toStatus, toStatusResponse } from "../../rpc/status.ts";
import { maxStreams, type OpenStream, openStreamOf } from "./open_streams.ts";

export const streamPath = "/events/v2/events:stream";

/** In milliseconds. */
const pollInterval = 1_000;
const keepAliveInterval = 15_000;

/** After this time the stream ends, and the client connects again. In milliseconds. */
const streamTime = 300_000;

/** Marks a look of a stream. A client that sends it itself only gets the lower limits of a stream. */
const lookHeader = "x-event-stream";

/** The identity of the caller, in the response to a look. */
const identityHeader = "x-event-stream-identity";

/** Whether a list is a look of a stream. */
export const isLook = ({ headers }: Pick<CallAnywhere, "headers">) => headers.has(lookHeader);

/** Names the identity in the response, for the stream. */
export const nameIdentity = ({ responseHeaders }: CallAnywhere, { identity }: Caller) =>
  responseHeaders.set(identityHeader, identity);

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
 * the header `last-event-id`, or at `since`, or now. If the first look fails, its error is the response. If the caller
 * has too many streams, the response is RESOURCE_EXHAUSTED.
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
  const stream = openStreamOf(first.headers.get(identityHeader) ?? "");
  if (!stream) return tooManyStreams(request, env);
  const follower = new Follower({ look, position, stream });
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => void follower.run(controller, first),
    cancel: () => follower.stop(),
  });
  const headers = new Headers(first.headers);
  headers.set("content-type", "text/event-stream");
  headers.set("cache-control", "no-store");
  headers.delete("content-length");
  headers.delete("server-timing");
  headers.delete(identityHeader);
  return new Response(body, { headers });
}

function tooManyStreams({ headers }: Request, env: Env): Response {
  const text = `you have ${maxStreams} open streams of events; close one of them first`;
  const status = toStatus(resourceExhausted(text), headers);
  return toStatusResponse(completeError(status, "", errorNamesOf(env), headers), new Headers());
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
  const headers = new Headers(request.headers);
  headers.set(lookHeader, "1");
  return new Request(url, { headers });
}

/** A stream, and how it looks for events. */
interface Following {
  look: (pageToken: string) => Promise<Response>;
  position: Position;
  stream: OpenStream;
}

/** Writes what each look finds. */
class Follower {
  readonly #look: (pageToken: string) => Promise<Response>;
  readonly #position: Position;
  readonly #stream: OpenStream;
  readonly #end = Date.now() + streamTime;
  #isStopped = false;

  constructor({ look, position, stream }: Following) {
    this.#look = look;
    this.#position = position;
    this.#stream = stream;
  }

  stop(): void {
    this.#isStopped = true;
    this.#stream.close();
  }

  #lookInTurn(pageToken: string): Promise<Response | undefined> {
    return this.#stream.look(
      () => this.#look(pageToken),
      () => this.#isStopped,
    );
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
      for (let page: Response | undefined = first; page && !this.#isStopped; ) {
        if (page.status !== 200) {
          write(await errorText(page));
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
          lastWrite = keptAlive(lastWrite, write);
          await new Promise((resolve) => setTimeout(resolve, pollInterval));
          lookStart = Date.now();
        }
        page = await this.#lookInTurn(nextPageToken);
      }
      if (!this.#isStopped) controller.close();
    } catch (thrown) {
      if (!this.#isStopped) controller.error(thrown);
    } finally {
      this.#stream.close();
    }
  }
}

/** The last event of a stream whose caller is refused. */
const errorText = async (page: Response) =>
  `event: error\ndata: ${JSON.stringify(await page.json())}\n\n`;

/** Writes a comment if nothing was written for some time. Returns when the last text was written. */
function keptAlive(lastWrite: number, write: (text: string) => void): number {
  const now = Date.now();
  if (now - lastWrite < keepAliveInterval) return lastWrite;
  write(": still here\n\n");
  return now;
}

/** The later of two times: a text, or empty for none, and milliseconds. */
const later = (since: string, time: number) =>
  since !== "" && Date.parse(since) > time ? since : new Date(time).toISOString();

/** One event. JSON has no line breaks outside of its texts, and those are escaped. */
const textOf = (event: { uid: string; type: string }) =>
  `id: ${event.uid}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

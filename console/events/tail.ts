/** The live tail: the events that happen while the page is open. */
import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import type { Client, Event, FollowState, ListEventsRequest } from "../../client/index.ts";
import { useClient, useSessionState } from "../data/platform.tsx";

/** The tail keeps so many events, the newest. */
export const maxTailEvents = 500;

/** The tail begins with so many events that have already happened. */
const firstEvents = 20;

/** Events that arrive together are shown together. In milliseconds. */
const pause = 100;

/** The state of the connection. `stopped` ends it until the person connects again. */
export type TailState = FollowState | { kind: "stopped"; error: Error };

/** The events of a tail, newest first. */
export interface Tail {
  state: TailState;
  events: readonly Event[];
  /** The number of events that have arrived since the tail was held. */
  heldCount: number;
  isPaused: boolean;
  /** When an event arrived, in milliseconds since 1970 UTC. Undefined for those that the tail began with. */
  arrivalOf(event: Event): number | undefined;
  setPaused(isPaused: boolean): void;
  /** Shows the events that have arrived since the tail was held. */
  release(): void;
  clear(): void;
  connect(): void;
}

/** The events of a tail outside of the state of the component, which changes only when the tail shows something else. */
class TailBuffer {
  shown: readonly Event[] = [];
  held: readonly Event[] = [];
  arrivals = new WeakMap<Event, number>();
  isPaused = false;
  /** The newest event of all, even if it is not shown any more. */
  latest: Event | undefined;
  #arrived: Event[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  begin(events: readonly Event[]): void {
    this.latest = events[0];
    this.#show(events);
  }

  clear(): void {
    this.#show([]);
  }

  #show(events: readonly Event[]): void {
    this.shown = events;
    this.held = [];
    this.#arrived = [];
    this.#onChange();
  }

  add(event: Event): void {
    this.latest = event;
    this.arrivals.set(event, Date.now());
    this.#arrived.push(event);
    this.#timer ??= setTimeout(() => this.#flush(), pause);
  }

  /** The rows stay where they are while the person reads further down. */
  #flush(): void {
    this.#timer = undefined;
    const arrived = this.#arrived.toReversed();
    this.#arrived = [];
    this.held = [...arrived, ...this.held].slice(0, maxTailEvents);
    if (!this.isPaused && window.scrollY < 200) this.release();
    else this.#onChange();
  }

  release(): void {
    this.shown = [...this.held, ...this.shown].slice(0, maxTailEvents);
    this.held = [];
    this.#onChange();
  }
}

/** Follows the events that match the request, as long as the component is there. */
export function useTail(request: ListEventsRequest, enabled: boolean): Tail {
  const client = useClient();
  const session = useSessionState();
  const [, update] = useReducer((count: number) => count + 1, 0);
  const [attempt, connect] = useReducer((count: number) => count + 1, 0);
  const [buffer] = useState(() => new TailBuffer(() => update(undefined)));
  const [state, setState] = useState<TailState>({ kind: "connecting" });
  const key = JSON.stringify(request);
  const followed = useRef("");
  useEffect(() => {
    if (!enabled || session.kind !== "signed-in") return;
    const stop = new AbortController();
    const isResumed = followed.current === key;
    followed.current = key;
    if (!isResumed) buffer.begin([]);
    const onState = (next: FollowState) => {
      if (!stop.signal.aborted) setState(next);
    };
    follow(client, request, buffer, { signal: stop.signal, onState }).catch((error: Error) => {
      if (!stop.signal.aborted) setState({ kind: "stopped", error });
    });
    const onOnline = () => connect(undefined);
    window.addEventListener("online", onOnline);
    return () => {
      stop.abort();
      window.removeEventListener("online", onOnline);
    };
  }, [client, key, enabled, attempt, session.kind]);
  return {
    state,
    events: buffer.shown,
    heldCount: buffer.held.length,
    isPaused: buffer.isPaused,
    arrivalOf: (event) => buffer.arrivals.get(event),
    setPaused(isPaused) {
      buffer.isPaused = isPaused;
      if (isPaused) update(undefined);
      else buffer.release();
    },
    release: () => buffer.release(),
    clear: () => buffer.clear(),
    connect: () => connect(undefined),
  };
}

interface Following {
  signal: AbortSignal;
  onState: (state: FollowState) => void;
}

/** Reads the last events if the buffer is empty, and then those after them. */
async function follow(
  client: Client,
  request: ListEventsRequest,
  buffer: TailBuffer,
  { signal, onState }: Following,
): Promise<void> {
  onState({ kind: "connecting" });
  // An event of this moment is in the list or in the stream, whatever the clock of this machine says.
  const since = new Date(Date.now() - 60_000).toISOString();
  if (!buffer.latest) {
    const { rows } = await client.events
      .list({ ...request, pageSize: firstEvents }, { signal })
      .page();
    buffer.begin(rows);
  }
  const after = buffer.latest?.uid;
  const begin = after === undefined ? { since } : { after };
  for await (const event of client.follow({ ...request, ...begin }, { signal, onState })) {
    signal.throwIfAborted();
    buffer.add(event);
  }
}

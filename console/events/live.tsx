/** The live tail of the event log. */
import { useEffect, useReducer } from "preact/hooks";
import type { Event, ListEventsRequest } from "../../client/index.ts";
import { Badge, type Tone } from "../elements/badge.tsx";
import { Button } from "../elements/button.tsx";
import { formatCount } from "../elements/bytes.ts";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { Empty } from "../elements/states.tsx";
import { rowsOf, Table } from "../elements/table.tsx";
import { eventColumns } from "./event_columns.tsx";
import { maxTailEvents, type Tail, type TailState, useTail } from "./tail.ts";

/** An event is marked as new for so long, in milliseconds. */
const freshTime = 4_000;

/** The events that match the request, as they happen. */
export function LiveEvents({ request, enabled }: { request: ListEventsRequest; enabled: boolean }) {
  const tail = useTail(request, enabled);
  const { events, state } = tail;
  const markOf = (event: Event) => {
    const arrival = tail.arrivalOf(event);
    return arrival !== undefined && Date.now() - arrival < freshTime ? "events-fresh" : "";
  };
  return (
    <>
      <TailBar tail={tail} />
      {state.kind === "stopped" && <ErrorNotice error={state.error} retry={tail.connect} />}
      {state.kind === "waiting" && state.error && (
        <p class="events-lost" role="status">
          {state.error.message} The events of the meantime follow when the connection is back.
        </p>
      )}
      <Table
        label="Live events"
        columns={eventColumns(markOf)}
        rows={rowsOf(events)}
        keyOf={({ uid }) => uid}
        empty={
          <Empty title={state.kind === "open" ? "Waiting for the next event" : "No events yet"}>
            <p>An event appears here about a second after the change.</p>
          </Empty>
        }
      />
      {events.length >= maxTailEvents && (
        <p class="hint">
          The page keeps the newest {formatCount(maxTailEvents)} events. The log has all of them.
        </p>
      )}
    </>
  );
}

function TailBar({ tail }: { tail: Tail }) {
  const { state, events, heldCount, isPaused } = tail;
  return (
    <div class="toolbar">
      <ConnectionBadge state={state} isPaused={isPaused} />
      <Button onClick={() => tail.setPaused(!isPaused)}>{isPaused ? "Resume" : "Pause"}</Button>
      <Button onClick={tail.clear}>Clear</Button>
      {state.kind === "waiting" && <Button onClick={tail.connect}>Connect now</Button>}
      <span class="pale" role="status">
        {formatCount(events.length)} {events.length === 1 ? "event" : "events"}
      </span>
      {heldCount > 0 && (
        <Button
          kind="primary"
          onClick={() => {
            window.scrollTo({ top: 0 });
            tail.release();
          }}
        >
          Show {formatCount(heldCount)} new {heldCount === 1 ? "event" : "events"}
        </Button>
      )}
    </div>
  );
}

function ConnectionBadge({ state, isPaused }: { state: TailState; isPaused: boolean }) {
  const [, tick] = useReducer((count: number) => count + 1, 0);
  const isWaiting = state.kind === "waiting";
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => tick(undefined), 1_000);
    return () => clearInterval(timer);
  }, [isWaiting]);
  const [tone, text] = describeConnection(state, isPaused);
  return (
    <span role="status">
      <Badge tone={tone}>{text}</Badge>
    </span>
  );
}

function describeConnection(state: TailState, isPaused: boolean): [Tone, string] {
  switch (state.kind) {
    case "connecting":
      return ["info", "Connecting…"];
    case "open":
      return isPaused ? ["warn", "Paused"] : ["good", "Live"];
    case "waiting": {
      if (!state.error) return ["info", "Connecting again…"];
      const seconds = Math.max(0, Math.ceil((state.until - Date.now()) / 1000));
      return ["warn", `Connection lost, next attempt in ${seconds} s`];
    }
    case "stopped":
      return ["bad", "Stopped"];
  }
}

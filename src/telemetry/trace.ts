/** A request while it runs: its place in a trace, its spans, its facts and its costs. */
import { type Attributes, maxSpans, type Span, type SpanKind } from "./spans.ts";
import { newSpanId, type TraceContext, traceparentOf } from "./trace_context.ts";

/** The facts about a request for the log and the metrics. */
export interface RequestFacts {
  /** The RPC, or a short name of another route. It is never the path, which has names and uids. */
  operation: string;
  /** The class, by the cost of the request: one of those of the rate limits, or `other`. */
  class: string;
  /** The uid of the caller. Empty if it is not known. */
  caller: string;
  /** The uid of the organization that the request is about. Empty if it is not known. */
  organization: string;
  /** The name of a google.rpc.Code. Empty as long as only the status says it. */
  code: string;
}

/** The calls to D1 of a request. */
export interface DatabaseCosts {
  roundTrips: number;
  rowsRead: number;
  rowsWritten: number;
  /** The size of the largest database that it used, in bytes. */
  databaseBytes: number;
}

/** A request to a server that is not the platform's. */
export interface OutgoingCall {
  host: string;
  isFailed: boolean;
  /** In milliseconds. */
  duration: number;
}

/** The end of a request. */
export interface EndedRequest {
  /** The Worker, such as `registry`. */
  worker: string;
  status: number;
  /** The milliseconds until the response began. */
  duration: number;
}

/** The most of these calls that are counted for one request. */
const maxCalls = 20;

interface Beginning {
  /** The span of the request. */
  context: TraceContext;
  /** The span of the caller. Empty if the caller sent none. */
  parentSpanId: string;
  /** The `tracestate` of the caller. */
  state: string;
  requestId: string;
  /** Whether spans are kept at all, because an endpoint for them is configured. */
  records: boolean;
}

/** A piece of work that becomes a span. */
export interface Work {
  name: string;
  kind: SpanKind;
  /** The attributes, at the end of the work. */
  describe?: () => Attributes;
}

export class Trace {
  readonly context: TraceContext;
  readonly parentSpanId: string;
  readonly state: string;
  readonly requestId: string;
  readonly records: boolean;
  /** In milliseconds since 1970 in UTC. */
  readonly start = Date.now();
  readonly facts: RequestFacts = {
    operation: "other",
    class: "other",
    caller: "",
    organization: "",
    code: "",
  };
  readonly costs: DatabaseCosts = { roundTrips: 0, rowsRead: 0, rowsWritten: 0, databaseBytes: 0 };
  readonly calls: OutgoingCall[] = [];
  readonly spans: Span[] = [];
  /** The spans that were left out, because there were too many. */
  droppedSpans = 0;

  constructor({ context, parentSpanId, state, requestId, records }: Beginning) {
    this.context = context;
    this.parentSpanId = parentSpanId;
    this.state = state;
    this.requestId = requestId;
    this.records = records;
  }

  /** Keeps a span, unless there are too many. */
  keep(span: Span): void {
    if (!this.records) return;
    if (this.spans.length < maxSpans - 1) this.spans.push(span);
    else this.droppedSpans += 1;
  }

  /** Keeps the span of the request itself, for which there is always room. */
  keepOwn(span: Span): void {
    if (this.records) this.spans.unshift(span);
  }

  /** Whether there are spans of other traces, such as those of the requests that caused events. */
  get hasForeignSpans(): boolean {
    return this.spans.some(({ traceId }) => traceId !== this.context.traceId);
  }

  /** Runs work as a span below that of the request. The work gets the `traceparent` of its span. */
  async span<Result>(
    { name, kind, describe = () => ({}) }: Work,
    work: (traceparent: string) => Promise<Result>,
  ): Promise<Result> {
    const spanId = newSpanId();
    const { traceId } = this.context;
    const start = Date.now();
    let isFailed = true;
    try {
      const result = await work(traceparentOf({ ...this.context, spanId }));
      isFailed = false;
      return result;
    } finally {
      const parentSpanId = this.context.spanId;
      this.keep({
        traceId,
        spanId,
        parentSpanId,
        name,
        kind,
        start,
        end: Date.now(),
        isFailed,
        describe,
      });
    }
  }

  /** Adds the cost of a batch of D1, after which the database has this size in bytes. */
  addBatch(cost: {
    isNewTrip: boolean;
    rowsRead: number;
    rowsWritten: number;
    size: number;
  }): void {
    const { costs } = this;
    if (cost.isNewTrip) costs.roundTrips += 1;
    costs.rowsRead += cost.rowsRead;
    costs.rowsWritten += cost.rowsWritten;
    costs.databaseBytes = Math.max(costs.databaseBytes, cost.size);
  }

  countCall(call: OutgoingCall): void {
    if (this.calls.length < maxCalls) this.calls.push(call);
  }

  /** Adds what is known about the request. */
  note(facts: Partial<RequestFacts>): void {
    Object.assign(this.facts, facts);
  }
}

/** Runs work as a span of a trace, if there is one that keeps spans. */
export const inSpan = <Result>(
  trace: Trace | undefined,
  work: Work,
  run: () => Promise<Result>,
): Promise<Result> => (trace?.records ? trace.span(work, run) : run());

/**
 * Sends events to their subscriptions. One run creates the deliveries of new events, leases due ones, makes
 * the attempts and records their outcomes, until nothing is due or its time is over. Any number of runs can
 * work at once. A run that dies loses nothing: its leases expire.
 */

import { rootOf } from "../../aip/uid_path.ts";
import type { Statement } from "../../outbox/commit.ts";
import type { AttemptOutcome } from "./attempt.ts";
import type { SenderContext } from "./context.ts";
import { fanOut } from "./fan_out.ts";
import { selectCollected } from "./grouping.ts";
import { type LeaseRequest, leaseDue, maxOpenOfOrganization, maxOpenSlow } from "./lease.ts";
import { attemptTraced, selectAge, writeAge } from "./observed.ts";
import { type Ended, type Leased, recordOutcome } from "./record.ts";
import type { Receiver, SentEvent } from "./request.ts";
import { type Looked, Rotation } from "./walk.ts";

/** A Worker has at most six open connections, and one of them can be for D1. */
const maxOpen = 5;

/** A run makes no new attempts after this time, in milliseconds. */
const runTime = 30_000;

/** Nor those to slow sinks after this time, so that they have ended when the next run takes over. In milliseconds. */
const slowRunTime = 20_000;

/** How often a run looks for new events while it waits for slow sinks, in milliseconds. */
const lookInterval = 250;

/** A retry that is due later than this waits for the schedule of the Worker. In milliseconds. */
const maxWakeDelay = 60_000;

/**
 * Runs until nothing is due, or for some time. Throws the errors of D1, and ConfigError for missing keys. `collected` is when
 * the first event came that is sent together with others. Undefined if there is none.
 */
export async function sendEvents(context: SenderContext): Promise<{ collected?: number }> {
  return new Run(context).finish();
}

/** An open request. */
interface OpenRequest {
  ended: Promise<void>;
  subscription: string;
  isSlow: boolean;
}

class Run {
  readonly #context: SenderContext;
  readonly #lease = crypto.randomUUID();
  readonly #start = Date.now();
  readonly #open = new Map<string, OpenRequest>();
  readonly #rotation = new Rotation();
  #ended: Ended[] = [];
  #failure: unknown;
  #hasNewEvents = true;
  #hasFoundAll = false;
  /** Whether deliveries are due that have to wait for open requests. */
  #isFull = false;
  /** The organization that had the last turn. The first one is random, because every run begins without one. */
  #last: string = crypto.randomUUID();
  #hasCalledHelp = false;
  #collected: { time: number } | undefined;
  readonly #wakes = new Set<number>();
  /** Whether the next batch also reads how long the oldest event has waited. */
  #measuresAge: boolean;

  constructor(context: SenderContext) {
    this.#context = context;
    this.#measuresAge = context.measuresAge === true && context.metrics?.METRICS !== undefined;
  }

  async finish(): Promise<{ collected?: number }> {
    while (this.#isBusy()) {
      await this.#exchange();
      if (this.#ended.length === 0) await this.#wait();
      if (this.#failure !== undefined) break;
    }
    // Attempts that are still open end before the Worker does, so that none outlives its lease unnoticed.
    await Promise.all(this.#openRequests());
    if (this.#failure !== undefined) throw this.#failure;
    for (const seconds of this.#wakes) await this.#context.wake(seconds);
    if (!this.#hasFoundAll) await this.#context.wake(0);
    return this.#collected ? { collected: this.#collected.time } : {};
  }

  #openRequests(): Promise<void>[] {
    return [...this.#open.values()].map(({ ended }) => ended);
  }

  /** Waits for an attempt to end, if there is nothing else to do. Looks for new events meanwhile. */
  async #wait(): Promise<void> {
    const open = this.#openRequests();
    if (open.length === maxOpen || (open.length > 0 && this.#isLate())) await Promise.race(open);
    else if (open.length > 0 && (this.#hasFoundAll || (this.#isFull && this.#rotation.isAtStart))) {
      const pause = new Promise<void>((resolve) => void setTimeout(resolve, lookInterval));
      await Promise.race([...open, pause]);
      this.#hasNewEvents = true;
      this.#hasFoundAll = false;
    }
  }

  #isLate(): boolean {
    return Date.now() >= this.#start + runTime;
  }

  #isBusy(): boolean {
    if (this.#open.size > 0 || this.#ended.length > 0) return true;
    // Without an open request, only slow sinks can have to wait: for the next run.
    return !this.#isLate() && !this.#isFull && (this.#hasNewEvents || !this.#hasFoundAll);
  }

  /** Records what has ended, and gets what is due, in one round trip. Then begins the new attempts. */
  async #exchange(): Promise<void> {
    const { config, db } = this.#context;
    const now = Date.now();
    const free = this.#isLate() ? 0 : maxOpen - this.#open.size;
    const records = this.#takeRecords(now);
    const events = this.#hasNewEvents && free > 0 ? fanOut(db, config.vendor, now) : [];
    const collected = events.length > 0 ? [selectCollected(db)] : [];
    const leases = free > 0 ? leaseDue(db, this.#leaseRequest(now, free)) : [];
    const ages = this.#measuresAge && leases.length > 0 ? [selectAge(db, now)] : [];
    const [first, ...rest] = [...ages, ...records, ...events, ...collected, ...leases];
    if (!first) return;
    const results = (await db.batch([first, ...rest])) as unknown[][];
    if (ages.length > 0) {
      this.#measuresAge = false;
      writeAge(this.#context, results.shift());
    }
    if (events.length > 0) {
      const last = records.length + events.length;
      this.#hasNewEvents = (results[last - 1] ?? []).length > 0;
      this.#collected = (results[last] as { time: number }[])[0];
      if (this.#hasNewEvents) this.#rotation.disturb();
    }
    if (free === 0) return;
    const [looked, leased, sent, receivers] = results.slice(-leases.length) as [
      Looked[],
      Leased[],
      SentEvent[],
      Receiver[],
    ];
    this.#turn(looked, leased);
    await this.#begin(leased, sent, receivers);
  }

  #takeRecords(now: number): Statement[] {
    const ended = this.#ended;
    this.#ended = [];
    // The end of a delivery can make others due.
    if (ended.length > 0) {
      this.#hasFoundAll = false;
      this.#rotation.disturb();
    }
    return ended.flatMap((attempted) => {
      const { statements, dueTime } = recordOutcome({ ...this.#context, now }, attempted);
      if (dueTime !== undefined && dueTime - now <= maxWakeDelay) {
        this.#wakes.add(Math.ceil((dueTime - now) / 1000));
      }
      return statements;
    });
  }

  #leaseRequest(now: number, count: number): LeaseRequest {
    const open: Record<string, number> = {};
    const openByOrganization: Record<string, number> = {};
    const all = [...this.#open.values()];
    for (const { subscription } of all) {
      const organization = rootOf(subscription);
      open[subscription] = (open[subscription] ?? 0) + 1;
      openByOrganization[organization] = (openByOrganization[organization] ?? 0) + 1;
    }
    const openSlow = all.filter(({ isSlow }) => isSlow).length;
    const slowCount = now >= this.#start + slowRunTime ? 0 : maxOpenSlow - openSlow;
    const { start } = this.#rotation;
    const last = this.#last;
    return { lease: this.#lease, now, count, slowCount, start, open, openByOrganization, last };
  }

  /** Moves on in the rotation. All is found if a whole round has found nothing. */
  #turn(looked: Looked[], leased: Leased[]) {
    const due = looked.reduce((sum, one) => sum + one.due, 0);
    const isOver = this.#rotation.advance(looked, due > 0);
    this.#isFull = due > leased.length;
    this.#hasFoundAll = isOver && !this.#hasNewEvents;
    const served = leased.map(({ parent }) => rootOf(parent)).sort();
    const later = served.filter((organization) => organization > this.#last);
    // Those after the last one had their turns first.
    this.#last = served.findLast((one) => one <= this.#last) ?? later.at(-1) ?? this.#last;
  }

  async #begin(leased: Leased[], sent: SentEvent[], receivers: Receiver[]): Promise<void> {
    const { wake } = this.#context;
    if (leased.length >= maxOpenOfOrganization && !this.#hasCalledHelp) {
      this.#hasCalledHelp = true;
      await wake(0);
    }
    for (const delivery of leased) {
      const event = sent.find(({ seq }) => seq === delivery.event);
      const receiver = receivers.find(({ uid }) => uid === delivery.parent);
      this.#open.set(delivery.uid, {
        ended: this.#attempt(delivery, event, receiver),
        subscription: delivery.parent,
        isSlow: (receiver?.slowEndTime ?? Number.POSITIVE_INFINITY) > Date.now(),
      });
    }
  }

  async #attempt(delivery: Leased, event?: SentEvent, receiver?: Receiver): Promise<void> {
    try {
      let outcome: AttemptOutcome | undefined;
      if (event && receiver) {
        outcome = await attemptTraced(this.#context, event, receiver);
      }
      this.#ended.push({ lease: this.#lease, delivery, outcome });
    } catch (thrown) {
      this.#failure ??= thrown;
    } finally {
      this.#open.delete(delivery.uid);
    }
  }
}

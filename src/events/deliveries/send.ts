/**
 * Sends events to their subscriptions. One run creates the deliveries of new events, leases due ones, makes
 * the attempts and records their outcomes, until nothing is due or its time is over. Any number of runs can
 * work at once. A run that dies loses nothing: its leases expire.
 */
import type { Statement } from "../../outbox/commit.ts";
import type { AttemptOutcome } from "./attempt.ts";
import type { SenderContext } from "./context.ts";
import { fanOut } from "./fan_out.ts";
import { hasMoreSubscriptions, leaseDue } from "./lease.ts";
import { attemptTraced, selectAge, writeAge } from "./observed.ts";
import { type Ended, type Leased, recordOutcome } from "./record.ts";
import type { Receiver, SentEvent } from "./request.ts";

/** A Worker has at most six open connections, and one of them can be for D1. */
const maxOpen = 5;

/** A run makes no new attempts after this time, in milliseconds. */
const runTime = 20_000;

/** How often a run looks for new events while it waits for slow sinks, in milliseconds. */
const lookInterval = 250;

/** A retry that is due later than this waits for the schedule of the Worker. In milliseconds. */
const maxWakeDelay = 60_000;

/** Runs until nothing is due, or for some time. Throws the errors of D1, and ConfigError for missing keys. */
export async function sendEvents(context: SenderContext): Promise<void> {
  await new Run(context).finish();
}

class Run {
  readonly #context: SenderContext;
  readonly #lease = crypto.randomUUID();
  readonly #end = Date.now() + runTime;
  readonly #open = new Map<string, Promise<void>>();
  readonly #openBySubscription: Record<string, number> = {};
  #ended: Ended[] = [];
  #failure: unknown;
  #hasNewEvents = true;
  /** The place in the rotation of subscriptions. */
  #after = "";
  /** Whether nothing was due since the beginning of the rotation. */
  #isRoundEmpty = false;
  #hasFoundAll = false;
  #hasCalledHelp = false;
  readonly #wakes = new Set<number>();
  /** Whether the next batch also reads how long the oldest event has waited. */
  #measuresAge: boolean;

  constructor(context: SenderContext) {
    this.#context = context;
    this.#measuresAge = context.measuresAge === true && context.metrics?.METRICS !== undefined;
  }

  async finish(): Promise<void> {
    while (this.#isBusy()) {
      await this.#exchange();
      if (this.#ended.length === 0) await this.#wait();
      if (this.#failure !== undefined) break;
    }
    // Attempts that are still open end before the Worker does, so that none outlives its lease unnoticed.
    await Promise.all(this.#open.values());
    if (this.#failure !== undefined) throw this.#failure;
    for (const seconds of this.#wakes) await this.#context.wake(seconds);
    if (this.#isLate() && !this.#hasFoundAll) await this.#context.wake(0);
  }

  /** Waits for an attempt to end, if there is nothing else to do. Looks for new events meanwhile. */
  async #wait(): Promise<void> {
    const open = [...this.#open.values()];
    if (open.length === maxOpen || (open.length > 0 && this.#isLate())) await Promise.race(open);
    else if (open.length > 0 && this.#hasFoundAll) {
      const pause = new Promise<void>((resolve) => void setTimeout(resolve, lookInterval));
      await Promise.race([...open, pause]);
      this.#hasNewEvents = true;
      this.#hasFoundAll = false;
    }
  }

  #isLate(): boolean {
    return Date.now() >= this.#end;
  }

  #isBusy(): boolean {
    if (this.#open.size > 0 || this.#ended.length > 0) return true;
    return !this.#isLate() && (this.#hasNewEvents || !this.#hasFoundAll);
  }

  /** Records what has ended, and gets what is due, in one round trip. Then begins the new attempts. */
  async #exchange(): Promise<void> {
    const { config, db } = this.#context;
    const now = Date.now();
    const free = this.#isLate() ? 0 : maxOpen - this.#open.size;
    const records = this.#takeRecords(now);
    const events = this.#hasNewEvents && free > 0 ? fanOut(db, config.vendor, now) : [];
    const leases = free > 0 ? leaseDue(db, this.#leaseRequest(now, free)) : [];
    const ages = this.#measuresAge && leases.length > 0 ? [selectAge(db, now)] : [];
    const [first, ...rest] = [...ages, ...records, ...events, ...leases];
    if (!first) return;
    const results = (await db.batch([first, ...rest])) as unknown[][];
    if (ages.length > 0) {
      this.#measuresAge = false;
      writeAge(this.#context, results.shift());
    }
    if (events.length > 0) {
      this.#hasNewEvents = (results[records.length + events.length - 1] ?? []).length > 0;
    }
    if (free === 0) return;
    const [looked, leased, sent, receivers] = results.slice(-leases.length) as [
      { uid: string | null; looked: number }[],
      Leased[],
      SentEvent[],
      Receiver[],
    ];
    this.#turn(looked[0], leased, free);
    await this.#begin(leased, sent, receivers);
  }

  #takeRecords(now: number): Statement[] {
    const ended = this.#ended;
    this.#ended = [];
    // The end of a delivery can make others due.
    if (ended.length > 0) this.#hasFoundAll = this.#isRoundEmpty = false;
    return ended.flatMap((attempted) => {
      const { statements, dueTime } = recordOutcome({ ...this.#context, now }, attempted);
      if (dueTime !== undefined && dueTime - now <= maxWakeDelay) {
        this.#wakes.add(Math.ceil((dueTime - now) / 1000));
      }
      return statements;
    });
  }

  #leaseRequest(now: number, count: number) {
    const { ...open } = this.#openBySubscription;
    return { lease: this.#lease, now, count, after: this.#after, open };
  }

  /** Moves on in the rotation. All is found if a whole round from its beginning has found nothing. */
  #turn(
    looked: { uid: string | null; looked: number } | undefined,
    leased: Leased[],
    free: number,
  ) {
    this.#isRoundEmpty = leased.length === 0 && (this.#isRoundEmpty || this.#after === "");
    if (leased.length === free) {
      this.#after =
        leased
          .map(({ parent }) => parent)
          .sort()
          .at(-1) ?? "";
    } else {
      this.#after = looked && hasMoreSubscriptions(looked) ? (looked.uid ?? "") : "";
    }
    this.#hasFoundAll = this.#isRoundEmpty && this.#after === "" && !this.#hasNewEvents;
  }

  async #begin(leased: Leased[], sent: SentEvent[], receivers: Receiver[]): Promise<void> {
    const { wake } = this.#context;
    if (leased.length === maxOpen && !this.#hasCalledHelp) {
      this.#hasCalledHelp = true;
      await wake(0);
    }
    for (const delivery of leased) {
      const event = sent.find(({ seq }) => seq === delivery.event);
      const receiver = receivers.find(({ uid }) => uid === delivery.parent);
      const attempt = this.#attempt(delivery, event, receiver);
      this.#open.set(delivery.uid, attempt);
    }
  }

  async #attempt(delivery: Leased, event?: SentEvent, receiver?: Receiver): Promise<void> {
    const { uid, parent } = delivery;
    const open = this.#openBySubscription;
    open[parent] = (open[parent] ?? 0) + 1;
    try {
      let outcome: AttemptOutcome | undefined;
      if (event && receiver) {
        outcome = await attemptTraced(this.#context, event, receiver);
      }
      this.#ended.push({ lease: this.#lease, delivery, outcome });
    } catch (thrown) {
      this.#failure ??= thrown;
    } finally {
      open[parent] = (open[parent] ?? 1) - 1;
      this.#open.delete(uid);
    }
  }
}

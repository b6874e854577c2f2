/**
 * A sender fails or dies at each of its steps between the commit of an event and the end of its delivery. Each
 * step is a call of D1, a request to the sink, or a message to the queue.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { configOf } from "../../../src/config.ts";
import { sendEvents } from "../../../src/events/deliveries/send.ts";
import { openDatabase } from "../../../src/rpc/database.ts";
import { fakeDigest } from "../../world/personas.ts";
import { type Sink, startSink } from "../../world/sink.ts";
import { tiers } from "../../world/tiers.ts";
import { type Sending, startSending } from "./sending.ts";

let platform: Sending;
let sink: Sink;
beforeAll(async () => {
  [platform, sink] = await Promise.all([startSending({}, false), startSink()]);
});
afterAll(() => Promise.all([platform?.close(), sink?.close()]));

/** An error at one step, or the death of the sender, before the step takes effect or after. */
type Fault = "fails before" | "fails after" | "dies before" | "dies after";

/** A sender in the process of the test, with a fault at one of its steps. */
class FaultySender {
  #steps = 0;
  #isDead = false;
  #die = () => {};
  readonly #death = new Promise<void>((resolve) => {
    this.#die = resolve;
  });
  readonly #at: number;
  readonly #fault: Fault;
  hasReachedFault = false;

  constructor(at: number, fault: Fault) {
    this.#at = at;
    this.#fault = fault;
  }

  async step<T>(run: () => Promise<T>): Promise<T> {
    if (this.#isDead) return never();
    this.#steps += 1;
    const isHere = this.#steps === this.#at;
    if (isHere && this.#fault.endsWith("before")) await this.#strike();
    const result = await run();
    if (isHere && this.#fault.endsWith("after")) await this.#strike();
    return this.#isDead ? never() : result;
  }

  #strike(): Promise<void> {
    this.hasReachedFault = true;
    if (this.#fault.startsWith("fails")) throw new Error("a fault of the test");
    this.#isDead = true;
    this.#die();
    return never();
  }

  /** Runs the sender until it ends or dies. */
  async run(): Promise<void> {
    const { db } = openDatabase(this.#env(), { waitUntil: () => {} });
    const wake = () => this.step(async () => {});
    const running = senders.run(this, () =>
      sendEvents({ config: configOf(platform.env), db, wake }),
    );
    await Promise.race([running.catch(() => {}), this.#death]);
  }

  #env() {
    const { env } = platform;
    const withSession = () => {
      const session = env.DB.withSession("first-primary");
      const batch = (statements: Parameters<typeof session.batch>[0]) =>
        this.step(() => session.batch(statements));
      return { prepare: (query: string) => session.prepare(query), batch };
    };
    return { ...env, DB: { withSession } } as unknown as typeof env;
  }
}

const never = <T>() => new Promise<T>(() => {});

/** The sender that makes a request. */
const senders = new AsyncLocalStorage<FaultySender>();
beforeEach(() => {
  const { fetch } = globalThis;
  vi.spyOn(globalThis, "fetch").mockImplementation((...request) => {
    const sender = senders.getStore();
    return sender ? sender.step(() => fetch(...request)) : fetch(...request);
  });
});
afterEach(() => void vi.restoreAllMocks());

interface Delivered {
  id: string;
  subject: string;
  state: string;
}

/** Writes two events about each of two tags. Returns their deliveries, in the order of the events. */
async function newEvents(): Promise<() => Promise<Delivered[]>> {
  const organization = await platform.newOrganization();
  const repo = await platform.newRepo(organization);
  const { uid } = await platform.subscribe(organization, {
    sink: sink.url,
    eventTypes: ["api.platform.registry.tag.*"],
  });
  for (const digest of ["one", "two"].map(fakeDigest)) {
    for (const name of ["first", "second"]) {
      await platform.done(`/registry/v2/tags/${repo}`, { name, digest });
    }
  }
  return async () => {
    const rows = await platform.sql(
      `select events.id, events.subject, deliveries.state from deliveries
       join events on events.seq = deliveries.event_seq where deliveries.parent = ? order by events.seq`,
      uid,
    );
    return rows as unknown as Delivered[];
  };
}

/** As if the time of all leases and pauses was over. */
const passTime = () =>
  platform.sql("update deliveries set due_time = 1 where due_time is not null");

const isDelivered = (sent: Delivered[]) =>
  sent.length > 0 && sent.every(({ state }) => state === "delivered");

/** Lets a sender with the fault send new events, and then others until all is delivered. */
async function sendDespite(at: number, fault: Fault): Promise<boolean> {
  const deliveries = await newEvents();
  sink.received.length = 0;
  const sender = new FaultySender(at, fault);
  await sender.run();
  let sent: Delivered[] = [];
  for (let turn = 0; turn < 5 && !isDelivered(sent); turn += 1) {
    await passTime();
    await new FaultySender(0, fault).run();
    sent = await deliveries();
  }
  expect(sent.map(({ state }) => state)).toEqual(Array.from({ length: 4 }, () => "delivered"));
  const arrived = sink.received.map(({ headers }) => String(headers["webhook-id"]));
  expect(new Set(arrived)).toEqual(new Set(sent.map(({ id }) => id)));
  for (const subject of new Set(sent.map((one) => one.subject))) {
    const order = sent.filter((one) => one.subject === subject).map(({ id }) => id);
    const first = arrived.filter(
      (id, place) => order.includes(id) && arrived.indexOf(id) === place,
    );
    expect(first).toEqual(order);
  }
  return sender.hasReachedFault;
}

const faults: Fault[] = ["fails before", "fails after", "dies before", "dies after"];

for (const [some, tier] of tiers(faults, () => "fault"))
  test.for(some)(
    "a sender that %s each of its steps loses no event, and changes the order of none",
    tier,
    async (fault) => {
      let at = 1;
      while (await sendDespite(at, fault)) at += 1;
      // At least the deliveries, their events, four requests and their outcomes.
      expect(at).toBeGreaterThan(9);
    },
  );

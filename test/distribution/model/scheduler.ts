/**
 * Decides which of several overlapping requests continues. Each waits at a gate before every call to D1 or R2 and before
 * every chunk of its body. One gate opens at a time, and the next one only when nothing runs any more. A seed
 * decides the order, so the same seed gives the same history.
 */
import type { Dice } from "./dice.ts";

/** A request, or a run of the schedule, from its beginning to its last write. */
export interface Task {
  readonly name: string;
  /** Milliseconds that are added to the time while the task runs. */
  readonly shift: number;
  /** The number of the gate that it reaches and never passes, as if its isolate was killed. */
  readonly diesAt: number;
  /** Called when it dies. */
  readonly onDeath: () => void;
  /** How many gates it has reached. */
  gates: number;
  /** Its chance to be the next one, relative to other tasks. */
  weight: number;
  state: "running" | "ended" | "dead";
}

/** The bytes of the body of a request arrive next to what the platform does with it. */
type Kind = "call" | "body";

interface Gate {
  task: Task;
  label: string;
  kind: Kind;
  open: () => void;
  /** False if no one waits for it any more. */
  isNeeded: () => boolean;
}

declare const IdentityTransformStream: new () => TransformStream<Uint8Array, Uint8Array>;

/**
 * Turns of the event loop without a step after which a task that waits before a call does nothing else. A stream or a
 * digest that it began before takes fewer turns.
 */
const quietTurns = 5;

/** Milliseconds after which a task that neither waits at a gate nor ends is stuck. */
const patience = 10_000;

export class Scheduler {
  /** One line for each gate that was passed. */
  readonly history: string[] = [];
  readonly tasks: Task[] = [];
  readonly #dice: Dice;
  #gates: Gate[] = [];
  /** The only task that runs. */
  #current: Task | undefined;
  /** Calls to D1 and R2 that have not returned. */
  #calls = 0;
  /** Counts everything that happens. */
  #steps = 0;
  #onReturn: () => void = () => {};
  readonly #loop = new EventLoop();

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  /** The number of gates that were passed. */
  get time(): number {
    return this.history.length;
  }

  get shift(): number {
    return this.#current?.shift ?? 0;
  }

  note(line: string): void {
    this.history.push(`        ${line}`);
  }

  /** Starts a task, which waits at its first gate. */
  start(
    {
      name,
      begins,
      shift = 0,
      diesAt = 0,
      onDeath = () => {},
    }: Partial<Task> & { name: string; begins: string },
    work: (task: Task) => Promise<void>,
  ): void {
    const weight = this.#newWeight();
    const task: Task = { name, shift, diesAt, onDeath, gates: 0, weight, state: "running" };
    this.tasks.push(task);
    const run = async () => {
      await this.gate(begins, { task });
      await work(task);
      task.state = "ended";
      this.#steps += 1;
    };
    void run();
  }

  /** Waits until the scheduler lets the task pass. A task that is dead waits for ever. */
  gate(
    label: string,
    {
      task = this.#current,
      kind = "call",
      isNeeded = () => true,
    }: Partial<Pick<Gate, "isNeeded" | "kind">> & { task?: Task | undefined } = {},
  ): Promise<void> {
    if (!task) throw new Error(`no task waits for ${label}`);
    this.#steps += 1;
    task.gates += 1;
    if (task.state === "running" && task.gates === task.diesAt) {
      task.state = "dead";
      this.history.push(`${task.name}: dies before ${label}`);
      this.#gates = this.#gates.filter((gate) => gate.task !== task);
      task.onDeath();
    }
    return new Promise((open) => {
      if (task.state !== "dead") this.#gates.push({ task, label, kind, open, isNeeded });
    });
  }

  /** Makes a call to D1 or R2 once it may. */
  async call<T>(label: string, work: () => Promise<T>): Promise<T> {
    await this.gate(label);
    this.#calls += 1;
    try {
      return await work();
    } finally {
      this.#calls -= 1;
      this.#steps += 1;
      this.#onReturn();
    }
  }

  /** Opens gates until no one waits at one. */
  async run(): Promise<void> {
    for (;;) {
      await this.#untilQuiet();
      this.#gates = this.#gates.filter(({ isNeeded }) => isNeeded());
      const gate = this.#pick();
      if (!gate) break;
      this.#gates.splice(this.#gates.indexOf(gate), 1);
      this.history.push(`${gate.task.name}: ${gate.label}`);
      this.#current = gate.task;
      gate.open();
    }
  }

  /** Some tasks are much more likely than others, so that one can overtake another by far. This changes at times. */
  #pick(): Gate | undefined {
    const gate = this.#dice.weighted(this.#gates.map((one) => [one, one.task.weight]));
    if (gate && this.#dice.chance(0.15)) gate.task.weight = this.#newWeight();
    return gate;
  }

  #newWeight(): number {
    return 1000 ** this.#dice.number();
  }

  /**
   * Waits until the current task waits before a call or for bytes of its body, or has ended, and nothing else happens.
   */
  async #untilQuiet(): Promise<void> {
    const end = Date.now() + patience;
    for (let quiet = 0; quiet < quietTurns; quiet += 1) {
      const steps = this.#steps;
      if (this.#calls > 0) await new Promise<void>((done) => (this.#onReturn = done));
      await this.#loop.turn();
      const isLast = quiet === quietTurns - 1;
      // A task that reads its body may also wait for something of the runtime that takes longer.
      if (isLast && this.#standsAt() !== "call") await this.#loop.drain();
      const isBusy = this.#calls > 0 || steps !== this.#steps;
      if (isBusy || (isLast && this.#standsAt() === "nowhere")) quiet = -1;
      if (Date.now() < end) continue;
      this.note(`${this.#current?.name} is stuck`);
      return;
    }
  }

  #standsAt(): Kind | "nowhere" {
    const task = this.#current;
    if (task?.state !== "running") return "call";
    const kinds = this.#gates.flatMap((gate) => (gate.task === task ? [gate.kind] : []));
    return kinds.includes("call") ? "call" : (kinds[0] ?? "nowhere");
  }
}

/** Waits for other work of the runtime, such as streams and digests. */
class EventLoop {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor() {
    const { readable, writable } = new IdentityTransformStream();
    this.#writer = writable.getWriter();
    this.#reader = readable.getReader();
  }

  /** Work that is ready continues by one step. */
  async turn(): Promise<void> {
    await Promise.all([this.#writer.write(new Uint8Array(1)), this.#reader.read()]);
  }

  /** All work that is ready continues until it has to wait. A timer runs only then, but takes a millisecond. */
  drain(): Promise<void> {
    return new Promise((done) => setTimeout(done, 0));
  }
}

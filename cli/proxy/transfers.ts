/** The layers that pass through the proxy, as lines of text: live ones on a terminal, and one for each that has ended. */
import { durationText } from "../history/times.ts";
import { mebibyte } from "../images/chunks.ts";
import { transferLine } from "../images/transfer.ts";
import type { Output } from "../surroundings.ts";
import { failureOf } from "./errors.ts";

/** In milliseconds: the time between two redraws. */
const redrawMs = 200;
/** The most lines of layers that are drawn at once. */
const maxLines = 10;

const mebibytes = (bytes: number) =>
  (bytes / mebibyte).toLocaleString("en", { maximumFractionDigits: 1 });

/** `3f2a1b4c5d6e`: the start of a digest. */
const shortDigest = (digest: string) => digest.split(":").at(-1)?.slice(0, 12) ?? digest;

/**
 * Draws on `out`. Without `isLive`, it writes only the lines of layers that have ended or failed, and with `isQuiet` only
 * those of layers that have failed.
 */
export class Transfers {
  readonly #out: Output;
  readonly #isLive: boolean;
  readonly isQuiet: boolean;
  readonly #running = new Set<Transfer>();
  #timer: NodeJS.Timeout | undefined;
  #drawn = 0;

  constructor(out: Output, { isLive, isQuiet }: { isLive: boolean; isQuiet: boolean }) {
    this.#out = out;
    this.isQuiet = isQuiet;
    this.#isLive = isLive && !isQuiet && out.isTTY === true;
  }

  /** The number of layers that are being transferred. */
  get count(): number {
    return this.#running.size;
  }

  begin(name: string, isPull = false): Transfer {
    return new Transfer(this, name, isPull);
  }

  /** Writes a line above those of the running transfers. */
  note(text: string): void {
    this.#erase();
    this.#out.write(`${text}\n`);
    this.#draw();
  }

  show(transfer: Transfer): void {
    this.#running.add(transfer);
    if (this.#isLive) this.#timer ??= setInterval(() => this.#redraw(), redrawMs);
  }

  hide(transfer: Transfer): void {
    this.#running.delete(transfer);
    if (this.#running.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#erase();
  }

  #redraw(): void {
    this.#erase();
    this.#draw();
  }

  #draw(): void {
    if (!this.#isLive) return;
    const width = (this.#out.columns || 80) - 1;
    for (const transfer of [...this.#running].slice(0, maxLines)) {
      this.#out.write(`${transfer.line().slice(0, width)}\n`);
      this.#drawn++;
    }
  }

  /** The cursor is below the lines. */
  #erase(): void {
    if (this.#drawn > 0) this.#out.write(`\x1b[${this.#drawn}A\r\x1b[J`);
    this.#drawn = 0;
  }
}

/** One layer on its way. */
export class Transfer {
  readonly #all: Transfers;
  readonly #name: string;
  readonly #isPull: boolean;
  #begun: number | undefined;
  #total: number | undefined;
  #arrived = 0;
  #sent = 0;

  constructor(all: Transfers, name: string, isPull: boolean) {
    this.#all = all;
    this.#name = name;
    this.#isPull = isPull;
  }

  /** The transfer has begun, or continues. `total` is its number of bytes, if that is known. */
  expect(total: number | undefined): void {
    this.#begun ??= Date.now();
    this.#total = total;
    this.#all.show(this);
  }

  /** Counts bytes that came from the client. */
  arrive = (bytes: number): void => {
    this.#arrived += bytes;
  };

  /** Counts bytes that the other side has more than before. They can be fewer after an error. */
  send = (bytes: number): void => {
    this.#sent += bytes;
  };

  /** `acme.example/app  [====    ]  50%  512.0 of 1,024.0 MiB`. */
  line(): string {
    const elapsed = Date.now() - (this.#begun ?? Date.now());
    const total = Math.max(this.#total ?? 0, this.#arrived);
    return `${this.#name}  ${transferLine(this.#sent, total, elapsed)}`;
  }

  /** No request uses it at present. */
  pause(): void {
    this.#all.hide(this);
  }

  /** The bytes that the registry does not have are gone. */
  stop(): void {
    this.#arrived = 0;
    this.#sent = 0;
    this.pause();
  }

  /** Writes that the layer has arrived. */
  end(digest: string): void {
    const bytes = this.#isPull ? this.#sent : this.#arrived;
    const time = durationText(Date.now() - (this.#begun ?? Date.now()));
    const [verb, preposition] = this.#isPull ? ["Pulled", "from"] : ["Pushed", "to"];
    this.stop();
    if (this.#all.isQuiet) return;
    this.#all.note(
      `${verb} ${shortDigest(digest)} ${preposition} ${this.#name}: ${mebibytes(bytes)} MiB in ${time}.`,
    );
  }

  /** Writes why the layer did not arrive. */
  fail(thrown: unknown): void {
    this.stop();
    const { message } = failureOf(thrown, "the registry");
    this.#all.note(`${this.#name}: ${message.split("\n", 1)[0]}`);
  }
}

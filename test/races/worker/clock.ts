/** The current time in the Worker, which a test can set. */

const RealDate = Date;

let start: number | undefined;
let realStart: number | undefined;

/** Sets the time. With `runs` it continues from there. */
export function setClock(time: number, runs: boolean): void {
  start = time;
  realStart = runs ? RealDate.now() : undefined;
}

function now(): number {
  if (start === undefined) return RealDate.now();
  return realStart === undefined ? start : start + RealDate.now() - realStart;
}

/** A Date whose current time is that of the clock. */
class SetDate extends RealDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(now());
    else super(...(given as [number]));
  }

  static override now(): number {
    return now();
  }
}

export function patchClock(): void {
  globalThis.Date = SetDate as DateConstructor;
}

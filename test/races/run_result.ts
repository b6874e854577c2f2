/** A completed run and its outcome. */
import { outcomeOf, type RunOutcome, rowOf } from "./outcomes.ts";
import type { RunRecord } from "./protocol.ts";
import type { RaceWorld } from "./world.ts";

/** The milliseconds between the creation of the world and the races. */
export const raceDelayMs = 5000;

/** The outcome of a run: with its times, and without values that differ in every run. */
export class RunResult {
  readonly damage: string[];
  readonly #world: RaceWorld;
  readonly #ran: RunRecord;
  #exact?: RunOutcome;
  #timeless?: RunOutcome;

  constructor(world: RaceWorld, ran: RunRecord) {
    this.#world = world;
    this.#ran = ran;
    this.damage = [...ran.damage, ...backwards(world.columns, ran)];
  }

  get exact(): RunOutcome {
    this.#exact ??= outcomeOf(this.#world.columns, this.#ran);
    return this.#exact;
  }

  get timeless(): RunOutcome {
    const since = this.#world.stage.time + raceDelayMs - 1;
    this.#timeless ??= outcomeOf(this.#world.columns, this.#ran, since);
    return this.#timeless;
  }
}

/** Rows whose update time is earlier than before. */
function backwards(columns: RaceWorld["columns"], { changes }: RunRecord): string[] {
  return Object.entries(changes).flatMap(([table, change]) => {
    if (!columns[table]?.includes("update_time") || !columns[table].includes("uid")) return [];
    const before = new Map(
      change.gone.map((text) => rowOf(columns, table, text)).map((row) => [row.uid, row]),
    );
    const after = change.new.map((text) => rowOf(columns, table, text));
    const late = after.filter(
      (row) => Number(row.update_time) < Number(before.get(row.uid)?.update_time ?? 0),
    );
    return late.map(({ uid }) => `an update time of ${table} went back: ${uid}`);
  });
}

/** Whether a call failed because of simultaneous changes, in the form of REST, Connect, a login or SCIM. */
export const isAborted = ({ status, text }: RunOutcome["answers"][number]) =>
  status === 409 && /^(10 .*|aborted .*|Aborted|SCIM )$/.test(text);

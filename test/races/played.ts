/** A run that was played, and what it came to. */
import { type Outcome, outcomeOf, rowOf } from "./outcomes.ts";
import type { Ran } from "./protocol.ts";
import type { World } from "./world.ts";

/** Milliseconds by which the races come after the world was made. */
export const later = 5000;

/** What a run came to: with its times, and without those that are never twice the same. */
export class Played {
  readonly damage: string[];
  readonly #world: World;
  readonly #ran: Ran;
  #exact?: Outcome;
  #timeless?: Outcome;

  constructor(world: World, ran: Ran) {
    this.#world = world;
    this.#ran = ran;
    this.damage = [...ran.damage, ...backwards(world.columns, ran)];
  }

  get exact(): Outcome {
    this.#exact ??= outcomeOf(this.#world.columns, this.#ran);
    return this.#exact;
  }

  get timeless(): Outcome {
    const since = this.#world.stage.time + later - 1;
    this.#timeless ??= outcomeOf(this.#world.columns, this.#ran, since);
    return this.#timeless;
  }
}

/** Rows whose update time is earlier than it was. */
function backwards(columns: World["columns"], { changes }: Ran): string[] {
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

/** Whether a call was refused because others changed the same: as REST, Connect, a login, SCIM say it. */
export const isAborted = ({ status, text }: Outcome["answers"][number]) =>
  status === 409 && /^(10 .*|aborted .*|Aborted|SCIM )$/.test(text);

/** The records of one tag in columns, newest first, so that 100,000 of them take a few megabytes. */
import type { RecordedTagMove } from "../../client/index.ts";

/** The kinds of records. A record with a warning keeps its kind. */
export const Kind = { created: 1, moved: 2, rolledBack: 3, deleted: 4 } as const;

const kinds: Record<string, number> = {
  TAG_MOVE_KIND_CREATED: Kind.created,
  TAG_MOVE_KIND_MOVED: Kind.moved,
  TAG_MOVE_KIND_ROLLED_BACK: Kind.rolledBack,
  TAG_MOVE_KIND_DELETED: Kind.deleted,
};

/** The warnings as the bits of a column. */
const warningBits = [
  ["TAG_MOVE_WARNING_RELEASE_MOVED", 1],
  ["TAG_MOVE_WARNING_OLDER_DIGEST", 2],
  ["TAG_MOVE_WARNING_MANY_TAGS", 4],
] as const;

/** A rollback has this warning always, so it says nothing more than the kind. */
const olderDigest = 2;

/** The names of the warnings in their order. */
export type Warning = (typeof warningBits)[number][0];

/** The person or program that moved a tag, and the way. `uid` and `name` are empty if the platform does not know. */
export interface Mover {
  uid: string;
  name: string;
  /** The name of a TagMoveMethod. */
  method: string;
}

/** The rule that refused a move which was made all the same, and the reason that someone gave. */
export interface Override {
  rule: string;
  reason: string;
}

/** One record. Times are in milliseconds since 1970 UTC. */
export interface TagRecord {
  /** Its place, counted from the newest record. */
  index: number;
  time: number;
  /** When the next record replaced it. Undefined if the tag points there now. */
  until: number | undefined;
  /** Empty if the tag was deleted. */
  digest: string;
  kind: number;
  warnings: Warning[];
  mover: Mover;
  /** Undefined if no rule refused the move. */
  override: Override | undefined;
}

const firstCapacity = 256;

/** The columns grow as records come. Records never change, so older ones are appended and newer ones are put before. */
export class Records {
  count = 0;
  /** The name that the repository had at the newest record. */
  repo = "";
  #times = new Float64Array(firstCapacity);
  #kinds = new Uint8Array(firstCapacity);
  #warnings = new Uint8Array(firstCapacity);
  #moverOf = new Uint32Array(firstCapacity);
  #digests: string[] = [];
  #movers: Mover[] = [];
  /** By the time of their records. There are few. */
  #overrides = new Map<number, Override>();
  #moverPlaces = new Map<string, number>();

  /** Adds records that are older than all others. They must be in descending order of time. */
  append(moves: readonly RecordedTagMove[]): void {
    this.#grow(this.count + moves.length);
    if (this.count === 0) this.repo = moves[0]?.repo ?? "";
    for (const move of moves) {
      this.#set(this.count, move);
      this.count += 1;
    }
  }

  /** Adds records that are newer than all others, in descending order of time. */
  prepend(moves: readonly RecordedTagMove[]): void {
    const added = moves.length;
    if (added === 0) return;
    this.#grow(this.count + added);
    for (const column of [this.#times, this.#kinds, this.#warnings, this.#moverOf])
      column.copyWithin(added, 0, this.count);
    this.#digests = [...moves.map(() => ""), ...this.#digests];
    this.count += added;
    this.repo = moves[0]?.repo ?? this.repo;
    for (const [index, move] of moves.entries()) this.#set(index, move);
  }

  #grow(needed: number): void {
    const capacity = this.#times.length;
    if (needed <= capacity) return;
    const size = Math.max(needed, capacity * 2);
    const grown = <Column extends Float64Array | Uint8Array | Uint32Array>(
      larger: Column,
      old: Column,
    ) => {
      larger.set(old);
      return larger;
    };
    this.#times = grown(new Float64Array(size), this.#times);
    this.#kinds = grown(new Uint8Array(size), this.#kinds);
    this.#warnings = grown(new Uint8Array(size), this.#warnings);
    this.#moverOf = grown(new Uint32Array(size), this.#moverOf);
  }

  #set(index: number, move: RecordedTagMove): void {
    const { updateTime = "", kind = "", digest = "", warnings = [] } = move;
    this.#times[index] = Date.parse(updateTime);
    this.#kinds[index] = kinds[kind] ?? Kind.moved;
    this.#warnings[index] = warningBits.reduce(
      (bits, [name, bit]) => (warnings.includes(name) ? bits | bit : bits),
      0,
    );
    this.#moverOf[index] = this.#placeOf(move);
    this.#digests[index] = digest;
    const { overriddenRule: rule, overrideReason: reason = "" } = move;
    if (rule) this.#overrides.set(Date.parse(updateTime), { rule, reason });
  }

  #placeOf({ identityUid: uid = "", identityName: name = "", method: how }: RecordedTagMove) {
    const method: string = how ?? "";
    const key = `${uid}\n${name}\n${method}`;
    const known = this.#moverPlaces.get(key);
    if (known !== undefined) return known;
    const index = this.#movers.push({ uid, name, method }) - 1;
    this.#moverPlaces.set(key, index);
    return index;
  }

  /** The time of a record. Not a number if there is none. */
  timeOf(index: number): number {
    return index < this.count ? (this.#times[index] ?? Number.NaN) : Number.NaN;
  }

  /** When a record ended: the time of the next one, or `now` for the newest. */
  endOf(index: number, now: number): number {
    return index === 0 ? Math.max(now, this.timeOf(0)) : (this.#times[index - 1] ?? Number.NaN);
  }

  kindOf(index: number): number {
    return this.#kinds[index] ?? Kind.moved;
  }

  /** Whether a record has a warning besides the one of every rollback. */
  isWarned(index: number): boolean {
    return ((this.#warnings[index] ?? 0) & ~olderDigest) !== 0;
  }

  /** One record with everything that is known about it. Undefined if there is none. */
  get(index: number): TagRecord | undefined {
    const digest = this.#digests[index];
    if (digest === undefined) return undefined;
    const bits = this.#warnings[index] ?? 0;
    return {
      index,
      digest,
      time: this.timeOf(index),
      until: index === 0 ? undefined : this.timeOf(index - 1),
      kind: this.kindOf(index),
      warnings: warningBits.flatMap(([name, bit]) => ((bits & bit) === 0 ? [] : [name])),
      mover: this.#movers[this.#moverOf[index] ?? 0] ?? { uid: "", name: "", method: "" },
      override: this.#overrides.get(this.timeOf(index)),
    };
  }

  /** The record that was current at a time. -1 if the time is before the oldest record. */
  indexAt(time: number): number {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#times[middle] ?? 0) <= time) high = middle;
      else low = middle + 1;
    }
    return low < this.count ? low : -1;
  }

  /**
   * The records that were current within a range: the places of the newest and of the oldest. `first` is greater than
   * `last` if there is none.
   */
  within(from: number, to: number): { first: number; last: number } {
    if (this.count === 0) return { first: 0, last: -1 };
    const first = this.indexAt(to);
    const last = this.indexAt(from);
    if (first < 0) return { first: 0, last: -1 };
    return { first, last: last < 0 ? this.count - 1 : last };
  }
}

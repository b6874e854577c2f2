/** Random records of a tag, for tests. */
import fc from "fast-check";
import type { RecordedTagMove } from "../../../client/index.ts";
import { Records } from "../../../console/timeline/records.ts";
import { fakeDigest } from "../../world/personas.ts";

export const kinds = [
  "TAG_MOVE_KIND_CREATED",
  "TAG_MOVE_KIND_MOVED",
  "TAG_MOVE_KIND_ROLLED_BACK",
  "TAG_MOVE_KIND_DELETED",
] as const;

const start = Date.UTC(2015, 0, 1);

/** When the records of {@link randomMoves} have ended, at the latest. */
export const laterThanAll = start + 2 ** 41;

/** Records at different times, the newest first. */
export const randomMoves: fc.Arbitrary<RecordedTagMove[]> = fc
  .uniqueArray(
    fc.record({
      time: fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: 2 ** 40 })),
      kind: fc.constantFrom(...kinds),
      isWarned: fc.boolean(),
      isOverride: fc.boolean(),
      who: fc.integer({ min: 0, max: 3 }),
    }),
    { selector: ({ time }) => time, minLength: 1, maxLength: 300 },
  )
  .map((rows) =>
    rows
      .toSorted((a, b) => b.time - a.time)
      .map(
        ({ time, kind, isWarned, isOverride, who }): RecordedTagMove => ({
          updateTime: new Date(start + time).toISOString(),
          kind,
          digest: kind === "TAG_MOVE_KIND_DELETED" ? "" : fakeDigest(String(time)),
          identityUid: `uid-${who}`,
          identityName: `name-${who}`,
          method: "TAG_MOVE_METHOD_API",
          warnings: isWarned ? ["TAG_MOVE_WARNING_RELEASE_MOVED"] : [],
          ...(isOverride ? { overriddenRule: `rule-${time}`, overrideReason: "urgent" } : {}),
        }),
      ),
  );

/** The time of a move in milliseconds since 1970 UTC. */
export const timeOf = ({ updateTime = "" }: RecordedTagMove) => Date.parse(updateTime);

/** The records of these moves. */
export function recordsOf(moves: RecordedTagMove[]): Records {
  const records = new Records();
  records.append(moves);
  return records;
}

/** A part of time that these moves are in, or near. */
export const rangeNear = (moves: RecordedTagMove[]) =>
  fc
    .tuple(
      fc.constantFrom(...moves.map(timeOf)),
      fc.integer({ min: -5_000, max: 2 ** 39 }),
      fc.integer({ min: 1_000, max: 2 ** 40 }),
    )
    .map(([time, before, span]) => ({ from: time - before, to: time - before + span }));

/** The columns of records return what was put in, and find the record of a moment. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { RecordedTagMove } from "../../../client/index.ts";
import { Records } from "../../../console/timeline/records.ts";
import { randomMoves, recordsOf, timeOf } from "./made_records.ts";

const moment = fc.integer({ min: Date.UTC(2014), max: Date.UTC(2060) });

test("a record has the time, the end, the digest, the mover, the warnings and the override of its move, in any mixture of older and newer pages", () => {
  fc.assert(
    fc.property(randomMoves, fc.nat(), fc.nat(), (moves, a, b) => {
      const [first, second] = [a % moves.length, b % moves.length].toSorted((x, y) => x - y);
      const records = new Records();
      records.append(moves.slice(first, second));
      records.append(moves.slice(second));
      records.prepend(moves.slice(0, first));
      expect(records.count).toBe(moves.length);
      for (const [index, move] of moves.entries()) {
        expect(records.get(index)).toMatchObject({
          index,
          time: timeOf(move),
          until: index === 0 ? undefined : timeOf(moves[index - 1] as RecordedTagMove),
          digest: move.digest,
          warnings: move.warnings,
          mover: { uid: move.identityUid, name: move.identityName, method: move.method },
          override: move.overriddenRule
            ? { rule: move.overriddenRule, reason: move.overrideReason }
            : undefined,
        });
      }
      expect(records.get(moves.length)).toBeUndefined();
      expect(records.get(-1)).toBeUndefined();
    }),
  );
});

test("the record of a moment is the newest one that is not after it, like a plain loop finds it", () => {
  fc.assert(
    fc.property(randomMoves, moment, fc.nat(), (moves, time, pick) => {
      const records = recordsOf(moves);
      const exact = timeOf(moves[pick % moves.length] as RecordedTagMove);
      for (const at of [time, exact, exact - 1, exact + 1]) {
        const expected = moves.findIndex((move) => timeOf(move) <= at);
        expect(records.indexAt(at)).toBe(expected);
      }
    }),
  );
});

test("the records within a range are those that were current in it", () => {
  fc.assert(
    fc.property(randomMoves, moment, moment, (moves, a, b) => {
      const [from, to] = a < b ? [a, b] : [b, a];
      const records = recordsOf(moves);
      const expected = moves.flatMap((move, index) => {
        const end = index === 0 ? Infinity : timeOf(moves[index - 1] as RecordedTagMove);
        return timeOf(move) <= to && end > from ? [index] : [];
      });
      const { first, last } = records.within(from, to);
      const found = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
      expect(found).toEqual(expected);
    }),
  );
});

/** The bars of the picture of pulls. */
import { describe, expect, test } from "vitest";
import type { Event } from "../../../client/index.ts";
import { countPulls, startOfPulls } from "../../../console/pulls/count_pulls.ts";

const now = new Date(2026, 5, 10, 15, 30).getTime();
const pull = (time: number, subject = "ann", body: object = {}): Event => ({
  ...{ uid: "", createTime: new Date(time).toISOString(), actor: { subject } },
  body: { digest: "sha256:a", ...body },
});
const at = (day: number, hour: number) => new Date(2026, 5, day, hour).getTime();

describe("pulls", () => {
  test("are counted by the hour or the day of the reader, and by identity", () => {
    const events = [
      pull(at(10, 15)),
      pull(at(10, 15), "bob"),
      pull(at(10, 14) - 1),
      pull(at(9, 23), "bob"),
      pull(at(3, 23)),
    ];
    const days = countPulls(events, { unit: "day", units: 7, now });
    expect(days.bars.map(({ count }) => count)).toEqual([0, 0, 0, 0, 0, 1, 3]);
    expect(days.pullers).toEqual([
      { uid: "ann", count: 2, last: at(10, 15) },
      { uid: "bob", count: 2, last: at(10, 15) },
    ]);
    expect(days.count).toBe(4);
    const hours = countPulls(events, { unit: "hour", units: 3, now });
    expect(hours.bars.map(({ count }) => count)).toEqual([1, 0, 2]);
    expect([...(hours.bars[2]?.pulls ?? [])]).toEqual([
      ["ann", 1],
      ["bob", 1],
    ]);
  });

  test("that were refused, and those of another digest, do not count", () => {
    const events = [
      pull(now),
      pull(now, "ann", { error: { message: "no" } }),
      pull(now, "ann", { digest: "sha256:b" }),
    ];
    const of = { unit: "day", units: 1, now } as const;
    expect(countPulls(events, { ...of, digest: "sha256:a" }).count).toBe(1);
    expect(countPulls(events, of).count).toBe(2);
  });

  test("have bars without gaps over a change of the clocks", () => {
    for (const unit of ["hour", "day"] as const)
      for (let month = 0; month < 12; month += 1) {
        const end = new Date(2026, month, 28, 12).getTime();
        const { bars } = countPulls([], { unit, units: 30, now: end });
        expect(bars).toHaveLength(30);
        expect(bars[0]?.from).toBe(startOfPulls(unit, 30, end));
        expect(bars.slice(1).every(({ from }, index) => from === bars[index]?.to)).toBe(true);
        expect(bars.at(-1)?.to).toBeGreaterThan(end);
      }
  });
});

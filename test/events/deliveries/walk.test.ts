/** A sender that has nothing to send finds that out, however many subscriptions wait for their next attempts. */
import { describe, expect, test } from "vitest";
import { type Looked, Rotation } from "../../../src/events/deliveries/walk.ts";

/** Subscriptions of organizations, with names in the order of the database. */
const organizations = (...sizes: number[]) =>
  sizes.map((size, at) => {
    const organization = `o${String(at).padStart(3, "0")}`;
    const uids = Array.from({ length: size }, (_, n) => `${organization}/${1000 + n}`);
    return { organization, uids };
  });

/** The rows that the statement of a walk returns: at most ten subscriptions of each organization, and 100 of all. */
function walk(all: ReturnType<typeof organizations>, { after, places }: Rotation["start"]) {
  const looked: Looked[] = [];
  let left = 100;
  for (const { organization, uids } of all.filter((one) => one.organization > after)) {
    const later = uids.filter((uid) => uid > (places[organization] ?? ""));
    const some = (later.length > 0 ? later : uids).slice(0, Math.min(10, left));
    left -= some.length;
    if (some.length > 0)
      looked.push({ organization, uid: some.at(-1) ?? "", count: some.length, due: 0 });
  }
  return looked;
}

/** Walks until the round is over, and returns the subscriptions that the walks have looked at last. */
function walksOf(rotation: Rotation, all: ReturnType<typeof organizations>): number {
  for (let walks = 1; walks <= 1_000; walks += 1)
    if (rotation.advance(walk(all, rotation.start), false)) return walks;
  throw new Error("the round never ends");
}

describe("a round without anything due ends", () => {
  test.each([
    [[], 1],
    [[9], 1],
    [[10], 2],
    [[11], 2],
    [[90], 10],
    [[15, 25, 35, 45], 5],
    [[10, 20, 30, 70], 8],
    [Array<number>(40).fill(10), 10],
  ])("for organizations with %j subscriptions after %i walks", (sizes, walks) => {
    const all = organizations(...sizes);
    const rotation = new Rotation();
    expect(walksOf(rotation, all)).toBeLessThanOrEqual(walks);
    // Time has passed, so the next round looks at all of them again.
    const again = walksOf(rotation, all);
    expect(again).toBeLessThanOrEqual(2 * walks);
    if (Math.max(0, ...sizes) > 10) expect(again).toBeGreaterThan(1);
  });

  test("only after one that has found something has looked at all of them again", () => {
    const all = organizations(30);
    const rotation = new Rotation();
    expect(rotation.advance(walk(all, rotation.start), true)).toBe(false);
    const seen: (string | undefined)[] = [];
    for (let isOver = false; !isOver; ) {
      const looked = walk(all, rotation.start);
      seen.push(looked[0]?.uid);
      isOver = rotation.advance(looked, false);
    }
    expect(seen).toEqual(expect.arrayContaining(["o000/1009", "o000/1019", "o000/1029"]));
  });
});

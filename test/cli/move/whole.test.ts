import { afterAll, beforeAll, expect, test } from "vitest";
import { faultsIn, newWorld, root, snapshot } from "./world.ts";

let world: Awaited<ReturnType<typeof newWorld>>;
beforeAll(async () => {
  world = await newWorld();
});
afterAll(() => world.remove());

test("a move copies every row of every table with its uid, and leaves none behind", async () => {
  const pair = world.open();
  const before = snapshot(pair.source);
  const empty = Object.entries(before).filter(([, rows]) => rows.length === 0);
  expect(empty.map(([table]) => table)).toEqual([]);
  const moved = await pair.move();
  expect([moved.from, moved.to, pair.place()]).toEqual(["DB_2", "DB", "DB"]);
  expect(snapshot(pair.target)).toEqual(before);
  const after = Object.entries(snapshot(pair.source)).filter(([, rows]) => rows.length > 0);
  expect(after).toEqual([]);
  pair.close();
});

test("fsck finds no fault in either database after a move", async () => {
  const pair = world.open();
  const before = await faultsIn(pair.source);
  await pair.move();
  expect(await faultsIn(pair.target)).toEqual(before);
  expect(await faultsIn(pair.source)).toEqual({});
  pair.close();
});

test("an organization that moves away and back is the same as before", async () => {
  const pair = world.open();
  const before = snapshot(pair.source);
  await pair.move();
  await pair.move({ to: "DB_2" });
  expect(pair.place()).toBe("DB_2");
  expect(snapshot(pair.source)).toEqual(before);
  pair.close();
});

test("events that were sent keep a place before all others, and those that wait come after the cursor", async () => {
  const pair = world.open();
  await pair.move();
  const rows = pair.target
    .prepare(
      "SELECT id, seq, (SELECT event_seq FROM delivery_cursor) AS cursor FROM events ORDER BY seq",
    )
    .all();
  const waiting = rows.filter(({ seq, cursor }) => Number(seq) > Number(cursor));
  expect(waiting.map(({ id }) => id)).toEqual([26, 27, 28, 29, 30].map((n) => `id-${n}`));
  expect(rows.filter(({ seq }) => Number(seq) < 0)).toHaveLength(25);
  pair.close();
});

test("the old database says that the organization has departed, and has no triggers of the move", async () => {
  const pair = world.open();
  await pair.move();
  expect(pair.source.prepare("SELECT uid, state FROM organization_moves").all()).toEqual([
    { uid: root, state: "departed" },
  ]);
  expect(pair.target.prepare("SELECT uid FROM organization_moves").all()).toEqual([]);
  const triggers = "SELECT name FROM sqlite_master WHERE name LIKE 'move%'";
  expect(pair.source.prepare(triggers).all()).toEqual([]);
  pair.close();
});

/** The triggers that the table files declare are exactly those of the database. */
import { expect, test } from "vitest";
import {
  migratedTriggers,
  triggerChanges,
  triggerStatements,
  wantedTriggers,
} from "../../../schema/describe/triggers.ts";

const root = new URL("../../..", import.meta.url).pathname;
const wanted = await wantedTriggers(root);
const present = migratedTriggers(`${root}migrations`);

test("the migrations make exactly the triggers that the table files ask for", () => {
  expect(triggerStatements(triggerChanges(wanted, present))).toBe("");
  expect(wanted.length).toBeGreaterThan(80);
  expect(wanted.map(({ name }) => name).sort()).toEqual(present.map(({ name }) => name).sort());
});

test("white space makes no difference between two triggers", () => {
  const spaced = present.map((one) => ({ ...one, sql: one.sql.replaceAll(" ", "\n\t ") }));
  expect(triggerChanges(wanted, spaced)).toEqual({ drop: [], create: [] });
});

test("a trigger that is missing is created", () => {
  const [first, ...others] = wanted;
  const changes = triggerChanges(wanted, others);
  expect(changes).toEqual({ drop: [], create: [first] });
  expect(triggerStatements(changes)).toBe(`${first?.sql};\n`);
});

test("a trigger that no table file asks for is dropped", () => {
  const changes = triggerChanges(wanted.slice(1), wanted);
  expect(triggerStatements(changes)).toBe(`DROP TRIGGER ${wanted[0]?.name};\n`);
});

test("a trigger that has changed is dropped before it is created again", () => {
  const changed = wanted.map((one, at) => (at ? one : { ...one, sql: `${one.sql} -- once` }));
  expect(triggerStatements(triggerChanges(wanted, changed))).toBe(
    `DROP TRIGGER ${wanted[0]?.name};\n--> statement-breakpoint\n${wanted[0]?.sql};\n`,
  );
});

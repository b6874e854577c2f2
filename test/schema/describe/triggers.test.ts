/** The triggers that the table files declare are exactly those of the database. */
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import {
  migratedTriggers,
  triggerChanges,
  triggerStatements,
  wantedTriggers,
} from "../../../schema/describe/triggers.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const wanted = await wantedTriggers(root);
const present = migratedTriggers(`${root}migrations`);

test("the migrations create exactly the triggers of the table files", () => {
  expect(triggerStatements(triggerChanges(wanted, present))).toBe("");
  expect(wanted.length).toBeGreaterThan(80);
  expect(wanted.map(({ name }) => name).sort()).toEqual(present.map(({ name }) => name).sort());
});

test("white space does not make two triggers differ", () => {
  const spaced = present.map((one) => ({ ...one, sql: one.sql.replaceAll(" ", "\n\t ") }));
  expect(triggerChanges(wanted, spaced)).toEqual({ drop: [], create: [] });
});

test("a missing trigger is created", () => {
  const [first, ...others] = wanted;
  const changes = triggerChanges(wanted, others);
  expect(changes).toEqual({ drop: [], create: [first] });
  expect(triggerStatements(changes)).toBe(`${first?.sql};\n`);
});

test("a trigger that is in no table file is dropped", () => {
  const changes = triggerChanges(wanted.slice(1), wanted);
  expect(triggerStatements(changes)).toBe(`DROP TRIGGER ${wanted[0]?.name};\n`);
});

test("a changed trigger is dropped before it is created again", () => {
  const changed = wanted.map((one, at) => (at ? one : { ...one, sql: `${one.sql} -- once` }));
  expect(triggerStatements(triggerChanges(wanted, changed))).toBe(
    `DROP TRIGGER ${wanted[0]?.name};\n--> statement-breakpoint\n${wanted[0]?.sql};\n`,
  );
});

/** Checks that the migrations create the triggers that the table files ask for. */
import { join } from "node:path";
import {
  migratedTriggers,
  triggerChanges,
  wantedTriggers,
} from "../../schema/describe/triggers.ts";

/** Returns what is wrong with the triggers of a project, one line each. */
export async function triggerBreaches(root: string): Promise<string[]> {
  const present = migratedTriggers(join(root, "migrations"));
  const { drop, create } = triggerChanges(await wantedTriggers(root), present);
  const lines = [
    ...drop.map(
      ({ name }) => `no file of schema/tables asks for the trigger ${name} in its current form`,
    ),
    ...create.map(
      ({ name }) => `no migration creates the trigger ${name} as schema/tables defines it`,
    ),
  ];
  return lines.length > 0 ? [...lines, "Run: npm run migration -- <verb_noun>"] : [];
}

/** Whether the migrations make the triggers that the table files ask for. */
import { join } from "node:path";
import {
  migratedTriggers,
  triggerChanges,
  wantedTriggers,
} from "../../schema/describe/triggers.ts";

/** What is wrong with the triggers of a project, each in a line. */
export async function triggerBreaches(root: string): Promise<string[]> {
  const present = migratedTriggers(join(root, "migrations"));
  const { drop, create } = triggerChanges(await wantedTriggers(root), present);
  const lines = [
    ...drop.map(({ name }) => `no file of schema/tables asks for the trigger ${name} as it is`),
    ...create.map(({ name }) => `no migration makes the trigger ${name} as schema/tables has it`),
  ];
  return lines.length > 0 ? [...lines, "Run: npm run migration -- <verb_noun>"] : [];
}

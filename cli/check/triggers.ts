/** Checks that the migrations create the views and triggers that the files of the schema ask for. */
import { join } from "node:path";
import { schemaChanges } from "../../schema/describe/views.ts";

/** Returns what is wrong with the views and triggers of a project, one line each. */
export async function triggerBreaches(root: string): Promise<string[]> {
  const changes = await schemaChanges(root, join(root, "migrations"));
  const lines = Object.entries(changes).flatMap(([kinds, { drop, create }]) => {
    const kind = kinds.slice(0, -1);
    return [
      ...drop.map(
        ({ name }) => `no file of the schema asks for the ${kind} ${name} in its current form`,
      ),
      ...create.map(
        ({ name }) => `no migration creates the ${kind} ${name} as the schema defines it`,
      ),
    ];
  });
  return lines.length > 0 ? [...lines, "Run: npm run migration -- <verb_noun>"] : [];
}

/** The views that the files of schema/views ask for, and the changes of views and triggers that the migrations lack. */
import type { View } from "../tables/triggers.ts";
import {
  migratedTriggers,
  migratedViews,
  triggerChanges,
  triggerStatements,
  viewModules,
  wantedTriggers,
} from "./triggers.ts";

/** The exports of a file of a view. */
type ViewFile = { views?: () => View[] };

/** Returns every view that the files of schema/views ask for. */
export async function wantedViews(root: string): Promise<View[]> {
  const files: ViewFile[] = await viewModules(root);
  return files.flatMap((file) => file.views?.() ?? []);
}

/** Returns the views and triggers to drop and to create, for the files below `root` and a folder of migrations. */
export async function schemaChanges(root: string, migrations: string) {
  const views = triggerChanges(await wantedViews(root), migratedViews(migrations));
  // The triggers of a view end with it.
  const isLeft = ({ table }: { table: string }) => !views.drop.some(({ name }) => name === table);
  const present = migratedTriggers(migrations).filter(isLeft);
  return { views, triggers: triggerChanges(await wantedTriggers(root), present) };
}

/** Returns the statements of these changes as a migration contains them, or an empty string. */
export function schemaStatements({ views, triggers }: Awaited<ReturnType<typeof schemaChanges>>) {
  const parts = [triggerStatements(views, "VIEW"), triggerStatements(triggers)];
  return parts.filter((part) => part !== "").join("--> statement-breakpoint\n");
}

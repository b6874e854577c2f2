/**
 * The triggers that the files of tables and views ask for, the triggers that the migrations create, and the difference.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { keepUsed, type Restriction, type Trigger, type View } from "../tables/triggers.ts";

/** The exports of a file of a table or a view. */
type TableFile = { triggers?: () => (Trigger | Restriction)[][] };

/** Returns the modules of schema/tables and its folders, in the order of their paths. */
export const tableModules = (root: string) => modulesIn(join(root, "schema/tables"));

/** Returns the modules of schema/views, in the order of their paths. */
export const viewModules = (root: string) => modulesIn(join(root, "schema/views"));

function modulesIn(folder: string): Promise<Record<string, unknown>[]> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = paths.filter((path) => path.endsWith(".ts")).sort();
  return Promise.all(files.map((path) => import(pathToFileURL(join(folder, path)).href)));
}

/** Returns every trigger that the files of schema/tables and schema/views ask for, in the order of the files. */
export async function wantedTriggers(root: string): Promise<Trigger[]> {
  const files: TableFile[] = [...(await tableModules(root)), ...(await viewModules(root))];
  const parts = files.flatMap((file) => file.triggers?.().flat() ?? []);
  const restrictions = parts.filter((part) => "keeps" in part);
  return [...parts.filter((part) => "sql" in part), ...keepUsed(restrictions)];
}

/** Returns every trigger that a database has after all migrations of a folder. */
export const migratedTriggers = (migrations: string): Trigger[] => migrated(migrations, "trigger");

/** Returns the names of the tables that a database has after all migrations of a folder. */
export const migratedTables = (migrations: string): string[] =>
  migrated(migrations, "table").map(({ name }) => name);

/** Returns every view that a database has after all migrations of a folder. */
export const migratedViews = (migrations: string): View[] =>
  migrated(migrations, "view").map(({ name, sql }) => ({ name, sql }));

function migrated(migrations: string, type: "table" | "trigger" | "view"): Trigger[] {
  const database = new DatabaseSync(":memory:");
  try {
    const names = readdirSync(migrations).filter((name) => name.endsWith(".sql"));
    for (const name of names.sort()) database.exec(readFileSync(join(migrations, name), "utf8"));
    const select = `SELECT name, tbl_name AS "table", sql FROM sqlite_master WHERE type = ?`;
    return database.prepare(select).all(type) as Trigger[];
  } finally {
    database.close();
  }
}

/** Two statements that differ only in white space are the same. */
const plain = ({ sql }: View) => sql.replace(/\s+/g, " ").trim();

/** Returns the triggers, or the views, to drop and to create so that a database has the wanted ones. */
export function triggerChanges<Kind extends View>(wanted: Kind[], present: Kind[]) {
  const isIn = (all: Kind[]) => {
    const texts = new Set(all.map(plain));
    return (view: Kind) => texts.has(plain(view));
  };
  const [isPresent, isWanted] = [isIn(present), isIn(wanted)];
  return {
    drop: present.filter((view) => !isWanted(view)),
    create: wanted.filter((view) => !isPresent(view)),
  };
}

/** Returns the statements of these changes as a migration contains them, or an empty string. */
export function triggerStatements(
  { drop, create }: ReturnType<typeof triggerChanges>,
  kind: "TRIGGER" | "VIEW" = "TRIGGER",
): string {
  const statements = [
    ...drop.map(({ name }) => `DROP ${kind} ${name};`),
    ...create.map(({ sql }) => `${sql};`),
  ];
  return statements.map((statement) => `${statement}\n`).join("--> statement-breakpoint\n");
}

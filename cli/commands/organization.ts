/** `platformctl organization move`: moves an organization to another database of the platform. */
import type { Command } from "commander";
import { sqlLiteral } from "../bootstrap.ts";
import { bindingsOf, openDatabases } from "../cloudflare/bindings.ts";
import { refusedFailure } from "../failure.ts";
import { moveOrganization, undoMove } from "../move/move.ts";
import { type Moved, MoveError, type MoveStep } from "../move/request.ts";
import { run, type Sql } from "../move/sql.ts";
import { addJsonOption, type JsonOption, printAnswer } from "./answer.ts";
import { addPlaceOptions, lockDatabase, type PlaceOptions, placeOf } from "./database.ts";
import { type OrganizationRow, onlyOrganization, selectOrganizations } from "./organization_row.ts";

type Options = JsonOption & PlaceOptions & { to: string; undo?: boolean };

/** Adds `organization move`. */
export function addOrganization(program: Command): void {
  const organization = program
    .command("organization")
    .description("Move an organization to another database of a platform that has several.");
  addJsonOption(
    addPlaceOptions(
      organization
        .command("move")
        .summary("Move an organization to another database.")
        .description(
          "Move an organization to another database. It can be used meanwhile. At the end,\n" +
            "its writes are refused for a moment, at most 10 seconds, and clients try again.\n" +
            "A move that was interrupted continues when you run the command again.",
        )
        .argument("<organization>", "Name or uid of the organization.")
        .requiredOption("--to <binding>", "Binding of the database in wrangler.toml, such as DB_2.")
        .option("--undo", "Give up a move that was interrupted, and delete its copy."),
    ),
    "platformctl organization move example.com --to DB_2 --remote",
    "platformctl organization move example.com --to DB_2 --remote --undo",
    "platformctl organization move example.com --to DB_2 --local     # while `npm start` is stopped",
  ).action(moveOne);
}

async function moveOne(asked: string, options: Options): Promise<void> {
  const place = placeOf(options);
  const release = await lockDatabase(options, place);
  try {
    const { databases, close } = await openDatabases(bindingsOf(place.env), place);
    try {
      await moveIn(databases, asked, options);
    } finally {
      await close();
    }
  } catch (thrown) {
    if (thrown instanceof MoveError) throw refusedFailure("MOVE", thrown.message);
    throw thrown;
  } finally {
    await release();
  }
}

async function moveIn(databases: Map<string, Sql>, asked: string, options: Options): Promise<void> {
  const organization = await find(databases, asked);
  const { uid, name } = organization;
  const { to } = options;
  if (options.undo) {
    await undoMove({ databases, root: uid, to });
    const text = `${name} stays where it is. The copy in ${to} is deleted.`;
    return printAnswer(options, { organization }, text);
  }
  const moved = await moveOrganization({ databases, root: uid, to, onStep: sayStep });
  const { from, pause: pauseMs } = moved;
  printAnswer(options, { organization, from, to, pauseMs }, textOf(name, moved));
}

const textOf = (name: string, { from, to, pause }: Moved) =>
  `${name} has moved from ${from} to ${to}. ${pause > 0 ? `Writes were refused for ${pause.toLocaleString("en")} ms.` : ""}`.trimEnd();

/** The message for people when a step begins. */
const lines: Partial<Record<MoveStep, string>> = {
  copy: "Copying all rows. The organization can be used meanwhile.",
  pause: "Writes in the organization are refused from now on.",
  compare: "Comparing both databases.",
  switch: "Switching to the other database.",
  delete: "The organization can be used again. Deleting the old rows.",
};

function sayStep(step: MoveStep): void {
  const line = lines[step];
  if (line) process.stderr.write(`${line}\n`);
}

/** The organization with this name or uid. While it moves, two databases can have it. */
async function find(databases: Map<string, Sql>, asked: string): Promise<OrganizationRow> {
  const served = "uid NOT IN (SELECT uid FROM organization_moves WHERE state = 'arriving')";
  const found = new Map<string, OrganizationRow>();
  for (const database of databases.values()) {
    const sql = `SELECT uid, name FROM (${selectOrganizations(asked)}) WHERE ${served}`;
    for (const { uid, name } of await run(database, sql)) {
      found.set(String(uid), { uid: String(uid), name: String(name) });
    }
  }
  if (found.size > 0) return onlyOrganization([...found.values()], asked);
  return departed(databases, asked);
}

/** A move that was interrupted at the end of its work has no old rows that have the name. */
async function departed(databases: Map<string, Sql>, asked: string): Promise<OrganizationRow> {
  for (const database of databases.values()) {
    const sql = `SELECT uid FROM organization_moves WHERE uid = ${sqlLiteral(asked)}`;
    if ((await run(database, sql)).length > 0) return { uid: asked, name: asked };
  }
  return onlyOrganization([], asked);
}

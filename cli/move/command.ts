/** Moves an organization that a person names, and reports each step. */
import { sqlLiteral } from "../bootstrap.ts";
import { bindingsOf, openBoundDatabases } from "../cloudflare/bindings.ts";
import {
  type OrganizationRow,
  onlyOrganization,
  selectOrganizations,
} from "../commands/organization_row.ts";
import { refusedFailure } from "../failure.ts";
import { here } from "../surroundings.ts";
import { moveOrganization, undoMove } from "./move.ts";
import { type Moved, MoveError, type MoveStep } from "./request.ts";
import { run, type Sql } from "./sql.ts";

interface Options {
  toDatabase: string;
  undo?: boolean;
  location: { env?: string; folder?: string };
}

/** The result for programs, and for people. */
interface Outcome {
  answer: object;
  text: string;
}

/** Moves the organization with a name or uid, or undoes that. Throws a Failure if it cannot. */
export async function moveByName(asked: string, options: Options): Promise<Outcome> {
  const { databases, close } = await openBoundDatabases(
    bindingsOf(options.location.env),
    options.location,
  );
  try {
    return await moveIn(databases, asked, options);
  } catch (thrown) {
    if (thrown instanceof MoveError) throw refusedFailure("MOVE", thrown.message);
    throw thrown;
  } finally {
    await close();
  }
}

async function moveIn(
  databases: Map<string, Sql>,
  asked: string,
  { toDatabase: to, undo }: Options,
): Promise<Outcome> {
  const organization = await find(databases, asked);
  const { uid, name } = organization;
  if (undo) {
    await undoMove({ databases, root: uid, to });
    const text = `${name} stays where it is. The copy in ${to} is deleted.`;
    return { answer: { organization }, text };
  }
  const moved = await moveOrganization({ databases, root: uid, to, onStep: sayStep });
  const { from, pause: pauseMs } = moved;
  return { answer: { organization, from, to, pauseMs }, text: textOf(name, moved) };
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
  if (line) here().stderr.write(`${line}\n`);
}

/** The organization with this name or uid. While it moves, two databases can have it. */
async function find(databases: Map<string, Sql>, asked: string): Promise<OrganizationRow> {
  const served = "uid NOT IN (SELECT uid FROM organization_moves WHERE state = 'arriving')";
  const organizations = new Map<string, OrganizationRow>();
  for (const database of databases.values()) {
    const sql = `SELECT uid, name FROM (${selectOrganizations(asked)}) WHERE ${served}`;
    for (const { uid, name } of await run(database, sql)) {
      organizations.set(String(uid), { uid: String(uid), name: String(name) });
    }
  }
  if (organizations.size > 0) return onlyOrganization([...organizations.values()], asked);
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

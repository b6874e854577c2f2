/** `platformctl members`: the people and the workloads that have a role below a group. */
import type { Command } from "commander";
import { requireMethod } from "../resources/catalog.ts";
import { computedColumn as column, type TableColumn } from "../resources/columns.ts";
import type { JsonObject } from "../resources/flags.ts";
import { requireResourceNamed } from "../resources/names.ts";
import { optionNamed } from "../resources/options.ts";
import { identityLabel, isPerson } from "../resources/people.ts";
import { openPlatform } from "../resources/platform.ts";
import { explainFailure } from "../resources/refusals.ts";
import { tableText, tsvText } from "../resources/table.ts";
import { requireGroup } from "../resources/where.ts";
import { here } from "../surroundings.ts";
import { addJsonOption, type JsonOption, printAnswer } from "./answer.ts";

type Member = { uid: string; name: string; kind: "person" | "workload"; roles: string[] };

const description = `List the people and the workloads that have a role on a group or below it, with
their roles. A person has an address as the name, and you can use that name
wherever a command takes an identity. People who have their roles only through
the groups of an identity provider are not in the list: see access who.`;

/** Adds `members`. */
export function addMembers(program: Command): void {
  addJsonOption(
    program
      .command("members")
      .summary("List the people and workloads that have a role, with their roles.")
      .description(description)
      .addOption(optionNamed("group"))
      .addOption(optionNamed("header"))
      .option("--people", "Leave out workloads."),
    "platformctl members --group acme.example",
    "platformctl members --people --json | jq -r '.members[].name'",
  ).action(showMembers);
}

async function showMembers(
  options: JsonOption & { group?: string; header?: boolean; people?: boolean },
): Promise<void> {
  const platform = await openPlatform();
  const bindings = await explainFailure({ verb: "call", platform }, async () => {
    const { rpc } = requireMethod(requireResourceNamed("roleBinding"), "list");
    const below = await requireGroup(platform, options.group);
    return platform.rows(rpc, { uidp: { descendantsOf: below } }, Number.POSITIVE_INFINITY);
  });
  const members = membersOf(bindings).filter(({ kind }) => !options.people || kind === "person");
  const now = new Date();
  const out = here().stdout;
  const text = out.isTTY
    ? tableText(members, columns, out, now).trimEnd()
    : tsvText(members, columns, now, options.header).trimEnd();
  if (text !== "" || options.json) printAnswer(options, { members }, text);
}

/** Returns the holders of roles: people first, each in the order of their names. */
function membersOf(bindings: JsonObject[]): Member[] {
  const members = new Map<string, Member>();
  for (const { identity, role, group } of bindings as Record<string, JsonObject>[]) {
    if (!identity?.uid) continue;
    const uid = String(identity.uid);
    const kind = isPerson(uid) ? "person" : "workload";
    const member = members.get(uid) ?? { uid, name: identityLabel(identity), kind, roles: [] };
    members.set(uid, member);
    member.roles.push(`${role?.name} of ${group?.name}`);
  }
  const order = ({ kind, name }: Member) => `${kind} ${name}`;
  return [...members.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

const columns: TableColumn[] = [
  column("name", 0, ({ name }) => String(name)),
  column("kind", 1, ({ kind }) => String(kind)),
  column("roles", 2, ({ roles }) => (roles as string[]).join(", ")),
  { ...column("uid", 50, ({ uid }) => String(uid)), path: "uid" },
];

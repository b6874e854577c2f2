/** `platformctl purge`: removes imported vulnerability data. */
import { type Command, Option } from "commander";
import { purgeRpc, purgeSteps } from "../purge_steps.ts";
import { confirmDeletion, requireTerminal } from "../question.ts";
import type { JsonObject } from "../resources/flags.ts";
import { optionNamed } from "../resources/options.ts";
import { openPlatform, type PlatformClient } from "../resources/platform.ts";
import { requireGroup } from "../resources/where.ts";
import { here } from "../surroundings.ts";
import { addJsonOption, countText, type JsonOption, printAnswer, withExamples } from "./answer.ts";

type PurgeOptions = JsonOption & { group?: string; source?: "osv" | "vex"; yes?: boolean };

const sources = { osv: "ADVISORY_SOURCE_OSV", vex: "ADVISORY_SOURCE_VEX" };

const numbers = [
  ...["advisories", "reducedAdvisories", "documents", "artifacts", "vulnerabilityMetadata"],
] as const;

type Sums = Record<string, number>;

/** Adds `purge advisories`. */
export function addPurge(program: Command): void {
  const purge = withExamples(
    program.command("purge").description("Remove imported vulnerability data."),
    "platformctl purge advisories --group acme.example --source osv",
  );
  const command = purge
    .command("advisories")
    .summary("Delete a group's advisories, and the data that was imported with them.")
    .description(
      "Delete a group's advisories, and the documents, libraries and metadata that were imported with them.\n\n" +
        "The groups below are not affected. If you stop the command, run it again to continue.",
    )
    .addOption(optionNamed("group"))
    .addOption(
      new Option(
        "--source <source>",
        "Delete only data from OSV records, or only data from VEX documents.",
      ).choices(Object.keys(sources)),
    )
    .addOption(optionNamed("yes"));
  addJsonOption(
    command,
    "platformctl purge advisories --group acme.example --source osv",
    "platformctl purge advisories --group acme.example --yes",
  ).action(purgeAdvisories);
}

async function purgeAdvisories(options: PurgeOptions): Promise<void> {
  if (!options.yes) requireTerminal();
  const platform = await openPlatform();
  const request: JsonObject = {
    parent: await requireGroup(platform, options.group),
    ...(options.source ? { source: sources[options.source] } : {}),
  };
  if (!options.yes) await confirm(await platform.call(purgeRpc, request), options);
  const sums = await purge(platform, request);
  printAnswer(options, sums, `Deleted ${textOf(sums)}`);
}

async function confirm(there: JsonObject, { source }: PurgeOptions): Promise<void> {
  const note = source ? "\nThis includes documents and metadata that no other advisory needs." : "";
  await confirmDeletion(` ${textOf(there)}${note}`);
}

/** Purges until nothing is left, and returns the sums. */
async function purge(platform: PlatformClient, request: JsonObject): Promise<Sums> {
  const sums: Sums = Object.fromEntries(numbers.map((name) => [name, 0]));
  for await (const step of purgeSteps(platform, request)) {
    for (const name of numbers) sums[name] = (sums[name] ?? 0) + Number(step[name] ?? 0);
    if (step.more) here().stderr.write(`${textOf(sums)} so far\n`);
  }
  return sums;
}

function textOf(sums: JsonObject): string {
  const of = (name: string) => Number(sums[name] ?? 0);
  const kept = of("reducedAdvisories");
  return [
    countText(of("advisories"), "advisory"),
    countText(of("documents"), "document"),
    countText(of("artifacts"), "artifact"),
    `metadata of ${countText(of("vulnerabilityMetadata"), "vulnerability")}`,
    ...(kept > 0
      ? [
          `and the imported events of ${countText(kept, "other advisory")} with events that people added`,
        ]
      : []),
  ].join(", ");
}

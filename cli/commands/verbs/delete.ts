/** `platformctl delete`: asks for confirmation on a terminal, and needs `--yes` elsewhere. */
import type { Command } from "commander";
import { usageFailure } from "../../failure.ts";
import { relativeTime } from "../../history/times.ts";
import { canAsk, confirmDeletion, requireTerminal } from "../../question.ts";
import {
  addValidateOption,
  printAccessChanges,
  type ValidateOption,
  validation,
} from "../../resources/access_changes.ts";
import type { CatalogResource } from "../../resources/catalog.ts";
import { addDocumentOptions, printDocument } from "../../resources/documents.ts";
import type { JsonObject } from "../../resources/flags.ts";
import { findResource, isUid } from "../../resources/names.ts";
import { addOptions } from "../../resources/options.ts";
import { titleOf } from "../../resources/output.ts";
import { addOverrideOption, type OverrideOption, overriding } from "../../resources/override.ts";
import { openPlatform, type PlatformClient } from "../../resources/platform.ts";
import { explainFailure } from "../../resources/refusals.ts";
import { addPlaceOptions, type PlaceOptions, searchPlaceOf } from "../../resources/where.ts";
import { here } from "../../surroundings.ts";
import { type JsonOption, printAnswer, withExamples } from "../answer.ts";
import { type RecursiveOptions, removeRecursively } from "./delete_recursive.ts";
import { nameHelp } from "./get.ts";
import { sampleName } from "./samples.ts";

type DeleteOptions = JsonOption &
  ValidateOption &
  OverrideOption &
  PlaceOptions & { yes?: boolean; dryRun?: boolean; recursive?: boolean } & RecursiveOptions;

/** Adds `delete` for one resource. */
export function addDelete(command: Command, resource: CatalogResource): void {
  const { word } = resource;
  if (!resource.methods.delete) return;
  command.argument("<name...>", nameHelp(resource));
  addOptions(addDocumentOptions(addPlaceOptions(command, resource)), "yes", "dryRun");
  addOverrideOption(addValidateOption(command, resource.methods.delete), resource.methods.delete);
  const isGroup = resource.name === "group";
  if (isGroup) {
    command
      .option("-r, --recursive", "Also delete everything in the group and in the groups below it.")
      .option(
        "--confirm <name>",
        "With --recursive, give the group's name here to confirm without a question.",
      );
  }
  withExamples(
    command,
    `platformctl delete ${word} ${sampleName(resource)}`,
    `platformctl delete ${word} ${sampleName(resource)} --yes`,
    ...(isGroup
      ? ["platformctl delete group acme.example --recursive --confirm acme.example"]
      : []),
  ).action(async (names: string[], options: DeleteOptions) => {
    if (!options.validateOnly && !options.dryRun) checkConfirmable(options);
    const platform = await openPlatform();
    if (options.recursive) {
      const scope = await searchPlaceOf(platform, resource, options);
      await removeRecursively(platform, names, scope, options);
      return;
    }
    await explainFailure({ verb: "delete", resource, platform }, () =>
      remove(platform, resource, names, options),
    );
  });
}

/** Throws a USAGE Failure if the options do not confirm the deletion and there is no terminal to ask on. */
function checkConfirmable({ yes, recursive, confirm }: DeleteOptions): void {
  if (!recursive) {
    if (confirm !== undefined) throw usageFailure("--confirm needs --recursive.");
    if (!yes) requireTerminal();
    return;
  }
  if (yes)
    throw usageFailure(
      "With --recursive, --yes is not enough. Add --confirm and the group's name.",
    );
  if (confirm !== undefined || canAsk()) return;
  throw usageFailure(
    "There is no terminal to ask for confirmation. Add --confirm and the group's name.",
  );
}

async function remove(
  platform: PlatformClient,
  resource: CatalogResource,
  names: string[],
  options: DeleteOptions,
): Promise<void> {
  const scope = await searchPlaceOf(platform, resource, options);
  const matches = await Promise.all(
    names.map(async (name) =>
      // The platform decides how the deletion of a missing resource ends.
      options.yes && isUid(name) ? { uid: name } : findResource(platform, resource, name, scope),
    ),
  );
  const rows: JsonObject[] = [...new Map(matches.map((row) => [row.uid, row])).values()];
  if (options.validateOnly) {
    await validateDeletions(platform, resource, rows, options);
    return;
  }
  if (options.dryRun) {
    const text = rows.map((row) => `Would delete ${titleOf(resource, row)}`).join("\n");
    printAnswer(options, { wouldDelete: rows.map(({ uid }) => uid) }, text);
    return;
  }
  if (!options.yes) await confirm(resource, rows);
  for (const row of rows) {
    const uid = String(row.uid);
    await explainFailure({ verb: "delete", resource, platform, uid }, () =>
      platform.call(resource.methods.delete?.rpc ?? "", {
        uid,
        ...overriding(options.override),
      }),
    );
    if (!options.json) here().stdout.write(`Deleted ${titleOf(resource, row)}\n`);
  }
  if (options.json) printDocument(options, { deleted: rows.map(({ uid }) => uid) });
}

/** Shows what each deletion would do to the access of others, on its own. */
async function validateDeletions(
  platform: PlatformClient,
  resource: CatalogResource,
  rows: JsonObject[],
  options: DeleteOptions,
): Promise<void> {
  const validated: JsonObject[] = [];
  for (const row of rows) {
    const uid = String(row.uid);
    const response = await explainFailure({ verb: "delete", resource, platform, uid }, () =>
      platform.call(resource.methods.delete?.rpc ?? "", {
        uid,
        ...validation(options),
        ...overriding(options.override),
      }),
    );
    validated.push({ uid, ...response });
    if (options.json) continue;
    if (rows.length > 1) here().stdout.write(`${titleOf(resource, row)}:\n`);
    await printAccessChanges(platform, response, here().stdout);
  }
  if (options.json) printDocument(options, { validated });
}

async function confirm(resource: CatalogResource, rows: JsonObject[]): Promise<void> {
  const lines = rows.map((row) => {
    const changed = row.updateTime;
    const since =
      typeof changed === "string" ? `, updated ${relativeTime(new Date(changed), new Date())}` : "";
    return `\n  ${titleOf(resource, row)}${since}`;
  });
  await confirmDeletion(lines.join(""));
}

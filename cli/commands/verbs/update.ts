/** `platformctl update`: changes only the fields that flags or a file name. */
import type { Command } from "commander";
import { writeUnchanged } from "../../apply/outdated.ts";
import { usageFailure } from "../../failure.ts";
import {
  addValidateOption,
  type ValidateOption,
  validation,
} from "../../resources/access_changes.ts";
import type { CatalogResource } from "../../resources/catalog.ts";
import { printDocument } from "../../resources/documents.ts";
import { addFlags, applyFlags, type Flag, flagsOf, givenOf } from "../../resources/flags.ts";
import { findUid, isUid, organizationOf } from "../../resources/names.ts";
import { addOutputOptions, type OutputOptions } from "../../resources/output.ts";
import { openPlatform, type PlatformClient, toWireRequest } from "../../resources/platform.ts";
import { explainFailure } from "../../resources/refusals.ts";
import { maskOf, readResource, wireRequestText, withUids } from "../../resources/request.ts";
import { addPlaceOptions, type PlaceOptions, searchPlaceOf } from "../../resources/where.ts";
import { here } from "../../surroundings.ts";
import { withExamples } from "../answer.ts";
import { addFileOptions, printWritten } from "./create.ts";
import { nameHelp } from "./get.ts";
import { sampleName, updateSamples } from "./samples.ts";

type UpdateOptions = OutputOptions &
  PlaceOptions &
  ValidateOption & { fromFile?: string; dryRun?: boolean };

/** Adds `update` for one resource. */
export function addUpdate(command: Command, resource: CatalogResource): void {
  const { word, message } = resource;
  if (!resource.methods.update) return;
  const flags = flagsOf(message);
  command.argument("<name>", nameHelp(resource));
  const placed = addFileOptions(addPlaceOptions(command, resource));
  addOutputOptions(addValidateOption(placed, resource.methods.update), resource.name);
  addFlags(command, flags, "Fields (an empty value clears a field):");
  const [first] = flags.filter(({ field }) => field.kind === "string" && field.name !== "name");
  withExamples(
    command,
    `platformctl update ${word} ${updateSamples[resource.name] ?? ""}`.trim(),
    `platformctl update ${word} ${sampleName(resource)} --${first?.name} ''`,
    `platformctl get ${word} ${sampleName(resource)} --json | … | platformctl update ${word} ${sampleName(resource)} --from-file -`,
  ).action(async (name: string, options: UpdateOptions) => {
    const platform = await openPlatform();
    await explainFailure({ verb: "update", resource, named: name, flags, platform }, () =>
      updateResource(platform, resource, command, flags, name, options),
    );
  });
}

async function updateResource(
  platform: PlatformClient,
  resource: CatalogResource,
  command: Command,
  flags: Flag[],
  name: string,
  options: UpdateOptions,
): Promise<void> {
  const { update } = resource.methods;
  if (!update) return;
  const asked = givenOf(command, flags);
  const { fields, whole } =
    options.fromFile === undefined
      ? { fields: {}, whole: {} }
      : readResource(options.fromFile, resource.message);
  const mask = maskOf(fields, asked);
  if (mask.length === 0) {
    throw usageFailure(
      `There is nothing to change. Name a field with ${flags
        .map((flag) => `--${flag.name}`)
        .slice(0, 6)
        .join(", ")} or --from-file.`,
    );
  }
  const uid = await findUid(
    platform,
    resource,
    name,
    await searchPlaceOf(platform, resource, options),
  );
  const values = await withUids(platform, asked, {
    below: isUid(uid) ? organizationOf(uid) : undefined,
  });
  const json = { ...applyFlags(fields, values), uid };
  const request = { [update.body]: json, updateMask: mask.join(","), ...validation(options) };
  if (options.dryRun) {
    const wire = toWireRequest(platform, update.rpc, request);
    if (options.json) printDocument(options, wire);
    else here().stdout.write(wireRequestText(wire));
    return;
  }
  const write = (ifMatch?: string) => platform.call(update.rpc, request, { ifMatch });
  // A file in the form of `get --json` says which version it was made from.
  const changed =
    resource.methods.get && whole.uid === uid && typeof whole.etag === "string"
      ? await writeUnchanged(platform, resource, whole, write)
      : await write();
  await printWritten("Updated", platform, resource, changed, options);
}

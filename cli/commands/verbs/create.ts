/** `platformctl create`: creates a resource from flags, a file, or both. */
import type { Command } from "commander";
import { usageFailure } from "../../failure.ts";
import {
  addValidateOption,
  printAccessChanges,
  type ValidateOption,
  validation,
} from "../../resources/access_changes.ts";
import { type CatalogResource, fieldNamed, nounOf } from "../../resources/catalog.ts";
import { withoutControls } from "../../resources/cells.ts";
import { labelOf } from "../../resources/columns.ts";
import { detailText } from "../../resources/details.ts";
import { printDocument } from "../../resources/documents.ts";
import {
  addFlags,
  applyFlags,
  type Flag,
  flagsOf,
  givenOf,
  type JsonObject,
} from "../../resources/flags.ts";
import { findUid, organizationOf, requireResourceNamed } from "../../resources/names.ts";
import { optionNamed } from "../../resources/options.ts";
import {
  addOutputOptions,
  type OutputOptions,
  outputFormat,
  printRows,
  titleOf,
} from "../../resources/output.ts";
import { addOverrideOption, type OverrideOption, overriding } from "../../resources/override.ts";
import { openPlatform, type PlatformClient, toWireRequest } from "../../resources/platform.ts";
import { explainFailure } from "../../resources/refusals.ts";
import { readResource, wireRequestText, withUids } from "../../resources/request.ts";
import {
  addParentOptions,
  type ParentOptions,
  parentUid,
  searchPlaceIn,
} from "../../resources/where.ts";
import { here } from "../../surroundings.ts";
import { withExamples } from "../answer.ts";
import { addForceOption, checkNewTag, type ForceOption } from "./create_tag.ts";
import { addRoleOption, findFirstRole, type RoleOption } from "./first_role.ts";
import { createSamples } from "./samples.ts";

type CreateOptions = OutputOptions &
  ParentOptions &
  ValidateOption &
  OverrideOption &
  RoleOption &
  ForceOption & { fromFile?: string; dryRun?: boolean };

/** Adds `create` for one resource. */
export function addCreate(command: Command, resource: CatalogResource): void {
  const { word, message, methods } = resource;
  const { create } = methods;
  if (!create) return;
  const hasName = isNamed(resource);
  const flags = flagsOf(message, { skip: hasName ? ["name"] : [] });
  if (hasName) command.argument("[name]", `Name of the new ${nounOf(resource)}.`);
  addParentOptions(command, resource);
  addOverrideOption(addValidateOption(addFileOptions(command), create), create);
  addOutputOptions(addForceOption(addRoleOption(command, resource), resource), resource.name);
  addFlags(command, flags, "Fields:");
  withExamples(
    command,
    `platformctl create ${word} ${createSamples[resource.name] ?? ""}`.trim(),
    `platformctl create ${word} --from-file ${word}.json`,
  ).action(async (...args: unknown[]) => {
    const [name, options] = hasName
      ? [args[0] as string | undefined, args[1] as CreateOptions]
      : [undefined, args[0] as CreateOptions];
    const platform = await openPlatform();
    const namedFlags: Flag[] = hasName ? [...flags, nameFlag(message)] : flags;
    await explainFailure(
      { verb: "create", resource, named: name, flags: namedFlags, platform },
      () => createResource(platform, resource, command, flags, name, options),
    );
  });
}

/** Warnings after the creation of a resource, on standard error. */
const warnings: Record<string, string> = {
  key: "Warning: a key is a password that can leak. If the system has a token of its own, let the identity accept that token, and delete the key.",
};

/** Adds the options that create and update have in common. */
export const addFileOptions = (command: Command): Command =>
  command
    .option(
      "--from-file <file>",
      "JSON file with the resource, or `-` for standard input. Flags override the fields of the file.",
    )
    .addOption(optionNamed("dryRun"));

/** Whether the client chooses the name of the resource. */
const isNamed = ({ message }: CatalogResource) =>
  fieldNamed(message, "name")?.isOutput !== true && fieldNamed(message, "name") !== undefined;

/** Errors name the argument as it appears in the usage line. */
const nameFlag = (message: string): Flag => ({
  path: ["name"],
  name: "name",
  isArgument: true,
  // biome-ignore lint/style/noNonNullAssertion: asked for messages with a name only
  field: fieldNamed(message, "name")!,
});

async function createResource(
  platform: PlatformClient,
  resource: CatalogResource,
  command: Command,
  flags: Flag[],
  name: string | undefined,
  options: CreateOptions,
): Promise<void> {
  const { create } = resource.methods;
  if (!create) return;
  const { within, own } = await parentAndName(platform, resource, name, options);
  const file =
    options.fromFile === undefined ? {} : readResource(options.fromFile, resource.message).fields;
  const values = await withUids(platform, givenOf(command, flags), {
    below: within ? organizationOf(within) : undefined,
  });
  const json = applyFlags({ ...file, ...(own === undefined ? {} : { name: own }) }, values);
  if (isNamed(resource) && json.name === undefined) {
    throw usageFailure(
      `The ${nounOf(resource)} needs a name: platformctl create ${resource.word} NAME`,
    );
  }
  const request = {
    ...(within ? { parent: within } : {}),
    [create.body]: json,
    ...validation(options),
    ...overriding(options.override),
  };
  if (options.dryRun) {
    const wire = toWireRequest(platform, create.rpc, request);
    if (options.json) printDocument(options, wire);
    else here().stdout.write(wireRequestText(wire));
    return;
  }
  const bindRole =
    resource.name === "identity" ? await findFirstRole(platform, options, within) : undefined;
  const done =
    resource.name === "tag" && !options.validateOnly
      ? await checkNewTag(platform, within, json, options)
      : "Created";
  const made = await platform.call(create.rpc, request);
  await bindRole?.(String(made.uid));
  await printWritten(done, platform, resource, made, options);
  const warning = warnings[resource.name];
  if (warning !== undefined && !options.json) here().stderr.write(`${warning}\n`);
}

/**
 * Returns the parent and the name. In `python:1.0`, `python` is the repository of a tag. In `team/python`, `team` is
 * the group of a repository.
 */
async function parentAndName(
  platform: PlatformClient,
  resource: CatalogResource,
  name: string | undefined,
  options: CreateOptions,
): Promise<{ within: string; own: string | undefined }> {
  const colon = name?.lastIndexOf(":") ?? -1;
  if (resource.name !== "tag" || name === undefined || colon < 0) {
    return { within: await parentUid(platform, resource, options), own: name };
  }
  if (options.repo !== undefined) {
    throw usageFailure(
      `${name} already names its repository. Leave out --repo, or use ${name.slice(colon + 1)} as the name.`,
    );
  }
  const repo = name.slice(0, colon);
  const scope = await searchPlaceIn(platform, options.group);
  const within = await findUid(platform, requireResourceNamed("repo"), repo, scope);
  return { within, own: name.slice(colon + 1) };
}

/** Prints what was created or changed, or what the write would do to the access of others. */
export async function printWritten(
  done: string,
  platform: PlatformClient,
  resource: CatalogResource,
  row: JsonObject,
  options: OutputOptions & ValidateOption,
): Promise<void> {
  if (!options.validateOnly || options.json) {
    printDone(done, resource, row, options);
    return;
  }
  await printAccessChanges(platform, row, here().stdout);
}

/**
 * Prints what was created or changed. It also prints values that are shown only once, such as the code of an invite
 * and the secret of a subscription.
 */
function printDone(
  done: string,
  resource: CatalogResource,
  row: JsonObject,
  options: OutputOptions,
): void {
  const form = outputFormat(options, here().stdout);
  if (form === "json") {
    printDocument(options, row);
    return;
  }
  const isChosen = form === "wide" || form === "uid" || options.columns !== undefined;
  if (form === "uid") here().stdout.write(`${withoutControls(String(row.uid))}\n`);
  else if (isChosen) printRows(resource, [row], options, here().stdout);
  else here().stdout.write(`${done} ${titleOf(resource, row)}\n`);
  const shown = ["code", "secret"]
    .filter((name) => row[name] !== undefined && !options.columns?.includes(name))
    .map((name) => ({ name: labelOf(name), value: withoutControls(String(row[name])) }));
  if (shown.length === 0) return;
  // No other response contains these values, so they are not lost with the columns that the user did not choose.
  const out = isChosen ? here().stderr : here().stdout;
  out.write(detailText(shown, out));
}

/** `platformctl create`: a resource out of flags, a file, or both. */
import type { Command } from "commander";
import { usage } from "../failure.ts";
import { fieldNamed, type Resource } from "../resources/catalog.ts";
import { plain } from "../resources/cells.ts";
import { linesOf, linesText } from "../resources/details.ts";
import { addFlags, type Flag, flagsOf, givenOf, type Json, placed } from "../resources/flags.ts";
import { organizationOf, resourceOf, uidOf } from "../resources/names.ts";
import { addOutput, formOf, type OutputOptions, printJson, titleOf } from "../resources/output.ts";
import { openPlatform, type Platform, wireOf } from "../resources/platform.ts";
import { explained } from "../resources/refusals.ts";
import { readResource, wireText, withUids } from "../resources/request.ts";
import { addParent, type ParentOptions, parentUid, placeIn } from "../resources/where.ts";
import { withExamples } from "./answer.ts";
import { creates } from "./samples.ts";

type CreateOptions = OutputOptions & ParentOptions & { fromFile?: string; dryRun?: boolean };

/** Adds `create` of one resource. */
export function addCreate(command: Command, resource: Resource): void {
  const { word, message, methods } = resource;
  const { create } = methods;
  if (!create) return;
  const hasName = isNamed(resource);
  const flags = flagsOf(message, { skip: hasName ? ["name"] : [] });
  if (hasName) command.argument("[name]", "its name");
  addParent(command, resource);
  addOutput(addFileOptions(command));
  addFlags(command, flags, "Fields:");
  withExamples(
    command,
    `platformctl create ${word} ${creates[resource.name] ?? ""}`.trim(),
    `platformctl create ${word} --from-file ${word}.json`,
  ).action(async (...args: unknown[]) => {
    const [name, options] = hasName
      ? [args[0] as string | undefined, args[1] as CreateOptions]
      : [undefined, args[0] as CreateOptions];
    const platform = await openPlatform();
    const told: Flag[] = hasName ? [...flags, nameFlag(message)] : flags;
    await explained({ verb: "create", resource, named: name, flags: told, platform }, () =>
      make(platform, resource, command, flags, name, options),
    );
  });
}

/** Adds what creates and updates have in common. */
export const addFileOptions = (command: Command): Command =>
  command
    .option(
      "--from-file <file>",
      "the resource as JSON, or - for standard input; flags win over it",
    )
    .option("--dry-run", "print the request, and send nothing");

/** Whether a client names the resource itself. */
const isNamed = ({ message }: Resource) =>
  fieldNamed(message, "name")?.isOutput !== true && fieldNamed(message, "name") !== undefined;

/** Errors name the argument as it stands in the usage line. */
const nameFlag = (message: string): Flag => ({
  path: ["name"],
  name: "name",
  isArgument: true,
  // biome-ignore lint/style/noNonNullAssertion: asked for messages with a name only
  field: fieldNamed(message, "name")!,
});

async function make(
  platform: Platform,
  resource: Resource,
  command: Command,
  flags: Flag[],
  name: string | undefined,
  options: CreateOptions,
): Promise<void> {
  const { create } = resource.methods;
  if (!create) return;
  const { within, own } = await named(platform, resource, name, options);
  const file =
    options.fromFile === undefined ? {} : readResource(options.fromFile, resource.message);
  const given = await withUids(platform, givenOf(command, flags), {
    below: within ? organizationOf(within) : undefined,
  });
  const json = placed({ ...file, ...(own === undefined ? {} : { name: own }) }, given);
  if (isNamed(resource) && json.name === undefined) {
    throw usage(`It needs a name: platformctl create ${resource.word} NAME`);
  }
  const request = { ...(within ? { parent: within } : {}), [create.body]: json };
  if (options.dryRun) {
    const wire = wireOf(platform, create.rpc, request);
    if (formOf(options, process.stdout) === "json") printJson(process.stdout, wire);
    else process.stdout.write(wireText(wire));
    return;
  }
  const made = await platform.call(create.rpc, request);
  tell("Created", resource, made, options);
}

/** The parent and the name: `python:1.0` names the repo of a tag, `team/python` the group of a repo. */
async function named(
  platform: Platform,
  resource: Resource,
  name: string | undefined,
  options: CreateOptions,
): Promise<{ within: string; own: string | undefined }> {
  const colon = name?.lastIndexOf(":") ?? -1;
  if (resource.name !== "tag" || name === undefined || colon < 0) {
    return { within: await parentUid(platform, resource, options), own: name };
  }
  if (options.repo !== undefined) {
    throw usage(
      `${name} names its repo already: leave out --repo, or write ${name.slice(colon + 1)}.`,
    );
  }
  const repo = name.slice(0, colon);
  const place = await placeIn(platform, options.group);
  const within = await uidOf(platform, resourceOf("repo"), repo, place);
  return { within, own: name.slice(colon + 1) };
}

/** Says what was made or changed. What is shown once only, like the code of an invite, is shown. */
export function tell(done: string, resource: Resource, row: Json, options: OutputOptions): void {
  const form = formOf(options, process.stdout);
  const { message } = resource;
  if (form === "json") printJson(process.stdout, row);
  else if (form === "uid") process.stdout.write(`${plain(String(row.uid))}\n`);
  else {
    process.stdout.write(`${done} ${titleOf(resource, row)}\n`);
    const { code } = row;
    if (code === undefined) return;
    const lines = linesOf(message, { code }, { now: new Date(), isExact: false });
    process.stdout.write(linesText(lines, process.stdout));
  }
}

/** `platformctl update`: changes the fields that flags or a file name, and no others. */
import type { Command } from "commander";
import { usage } from "../failure.ts";
import type { Resource } from "../resources/catalog.ts";
import { addFlags, type Flag, flagsOf, givenOf, placed } from "../resources/flags.ts";
import { isUid, organizationOf, uidOf } from "../resources/names.ts";
import { addOutput, formOf, type OutputOptions, printJson } from "../resources/output.ts";
import { openPlatform, type Platform, wireOf } from "../resources/platform.ts";
import { explained } from "../resources/refusals.ts";
import { maskOf, readResource, wireText, withUids } from "../resources/request.ts";
import { addWhere, placeOf, type WhereOptions } from "../resources/where.ts";
import { withExamples } from "./answer.ts";
import { addFileOptions, tell } from "./create.ts";
import { nameHelp } from "./get.ts";
import { sampleName, updates } from "./samples.ts";

type UpdateOptions = OutputOptions & WhereOptions & { fromFile?: string; dryRun?: boolean };

/** Adds `update` of one resource. */
export function addUpdate(command: Command, resource: Resource): void {
  const { word, message } = resource;
  if (!resource.methods.update) return;
  const flags = flagsOf(message);
  command.argument("<name>", nameHelp(resource));
  addOutput(addFileOptions(addWhere(command, resource)));
  addFlags(command, flags, "Fields, each cleared by an empty value:");
  const [first] = flags.filter(({ field }) => field.kind === "string" && field.name !== "name");
  withExamples(
    command,
    `platformctl update ${word} ${updates[resource.name] ?? ""}`.trim(),
    `platformctl update ${word} ${sampleName(resource)} --${first?.name} ''`,
    `platformctl get ${word} ${sampleName(resource)} --json | … | platformctl update ${word} ${sampleName(resource)} --from-file -`,
  ).action(async (name: string, options: UpdateOptions) => {
    const platform = await openPlatform();
    await explained({ verb: "update", resource, named: name, flags, platform }, () =>
      change(platform, resource, command, flags, name, options),
    );
  });
}

async function change(
  platform: Platform,
  resource: Resource,
  command: Command,
  flags: Flag[],
  name: string,
  options: UpdateOptions,
): Promise<void> {
  const { update } = resource.methods;
  if (!update) return;
  const asked = givenOf(command, flags);
  const file =
    options.fromFile === undefined ? {} : readResource(options.fromFile, resource.message);
  const mask = maskOf(file, asked);
  if (mask.length === 0) {
    throw usage(
      `Nothing to change. Say what with ${flags
        .map((flag) => `--${flag.name}`)
        .slice(0, 6)
        .join(", ")} or --from-file.`,
    );
  }
  const uid = await uidOf(platform, resource, name, await placeOf(platform, resource, options));
  const given = await withUids(platform, asked, {
    below: isUid(uid) ? organizationOf(uid) : undefined,
  });
  const json = { ...placed(file, given), uid };
  const request = { [update.body]: json, updateMask: mask.join(",") };
  if (options.dryRun) {
    const wire = wireOf(platform, update.rpc, request);
    if (formOf(options, process.stdout) === "json") printJson(process.stdout, wire);
    else process.stdout.write(wireText(wire));
    return;
  }
  tell("Updated", resource, await platform.call(update.rpc, request), options);
}

/** The options and the exit code of commands that find images: `affected` and `contains`. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { exitCodes } from "../failure.ts";
import { parseTime } from "../history/times.ts";
import type { JsonObject } from "../resources/flags.ts";
import { requireResourceNamed } from "../resources/names.ts";
import type { OutputOptions } from "../resources/output.ts";
import type { PlatformClient } from "../resources/platform.ts";
import { groupHelp, type PlaceOptions, scopeOf } from "../resources/where.ts";
import { here } from "../surroundings.ts";

export type FoundOptions = OutputOptions &
  PlaceOptions & {
    tagged?: boolean;
    pulledSince?: string;
    at?: string;
    limit: number;
    fail?: boolean;
  };

/** The rows without --limit. */
const defaultLimit = 1000;

/** Adds the options that say where to look, and how to end. */
export const addFoundOptions = (command: Command): Command =>
  command
    .option("-g, --group <group>", groupHelp)
    .option("--repo <repo>", "Look only in the repository with this name or uid.")
    .option("--tagged", "Leave out images to which no tag leads.")
    .option(
      "--pulled-since <time>",
      "Show only images that someone has pulled since this time, such as 7d.",
    )
    .addOption(
      new Option(
        "--at <time>",
        "Show the images to which tags led at this time, such as 2026-01-31 or 30d.",
      ).conflicts(["pulledSince", "tagged"]),
    )
    .option("--limit <n>", `Show at most n rows (default: ${defaultLimit}).`, limit, defaultLimit)
    .option("--fail", "End with exit code 1 if something is found.");

function limit(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1 to 999999.");
}

/** Returns the scope of a request: a repository, a group, or nothing for everything that the caller may see. */
export const foundScope = (
  platform: PlatformClient,
  { group, repo }: FoundOptions,
): Promise<JsonObject> =>
  scopeOf(platform, requireResourceNamed("finding"), {
    ...(group === undefined ? {} : { group }),
    ...(repo === undefined ? {} : { repo }),
  });

/** Returns the filters of a request for images by their tags and pulls. Throws a USAGE Failure for a text that is not a time. */
export function imageFilters({ tagged, pulledSince, at }: FoundOptions): JsonObject {
  const timeOf = (text: string) => parseTime(text, new Date()).toISOString();
  return {
    ...(tagged ? { taggedOnly: true } : {}),
    ...(pulledSince === undefined ? {} : { pulledSince: timeOf(pulledSince) }),
    ...(at === undefined ? {} : { at: timeOf(at) }),
  };
}

/** Sets the exit code for `--fail`. */
export function endWith({ fail }: FoundOptions, isFound: boolean): void {
  if (fail && isFound) here().exitCode = exitCodes.refused;
}

/** Returns a sentence if there are more rows than the limit. */
export const moreText = (hasMore: boolean): string =>
  hasMore ? "\n\nThere are more rows. To show them, raise --limit." : "";

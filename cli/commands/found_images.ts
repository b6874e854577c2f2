/** The options and the exit code of commands that find images: `affected` and `contains`. */
import type { Command } from "commander";
import { exitCodes } from "../failure.ts";
import { parseTime } from "../history/times.ts";
import type { JsonObject } from "../resources/flags.ts";
import { requireResourceNamed } from "../resources/names.ts";
import { optionNamed } from "../resources/options.ts";
import type { OutputOptions } from "../resources/output.ts";
import type { PlatformClient } from "../resources/platform.ts";
import { type PlaceOptions, scopeOf } from "../resources/where.ts";
import { here } from "../surroundings.ts";

export type FoundOptions = OutputOptions &
  PlaceOptions & {
    tagged?: boolean;
    pulledSince?: string;
    at?: string;
    limit: number;
    all?: boolean;
    digest?: string;
    fail?: boolean;
  };

/** Adds the options that say where to look, and how to end. */
export const addFoundOptions = (command: Command): Command =>
  command
    .addOption(optionNamed("group"))
    .addOption(optionNamed("repo"))
    .option("--digest <text>", "Look only at the image with this digest.")
    .option("--tagged", "Leave out images without a tag.")
    .option(
      "--pulled-since <time>",
      "Show only images that someone has pulled since this time, such as 7d.",
    )
    .addOption(optionNamed("at").conflicts(["pulledSince", "tagged"]))
    .addOption(optionNamed("limit"))
    .addOption(optionNamed("all"))
    .option("--fail", "End with exit code 1 if something is found.");

/** The most rows of an answer. `--fail` is about all of them. */
export const mostRows = ({ all, fail, limit }: FoundOptions): number =>
  all || fail ? Number.POSITIVE_INFINITY : limit;

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
export function imageFilters({ tagged, pulledSince, at, digest }: FoundOptions): JsonObject {
  const timeOf = (text: string) => parseTime(text, new Date()).toISOString();
  return {
    ...(digest === undefined ? {} : { digest }),
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
  hasMore ? "\n\nThere are more rows. To show all, add --all." : "";

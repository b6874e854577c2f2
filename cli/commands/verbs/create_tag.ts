/** `platformctl create tag`: refuses a digest that the repository does not have, and says whether the tag was moved. */
import { type Command, Option } from "commander";
import { Failure, refusedFailure } from "../../failure.ts";
import { everyTag } from "../../history/found_image.ts";
import { type CatalogResource, requireMethod } from "../../resources/catalog.ts";
import type { JsonObject } from "../../resources/flags.ts";
import { manifestUidOf, requireResourceNamed } from "../../resources/names.ts";
import type { PlatformClient } from "../../resources/platform.ts";

export type ForceOption = { force?: boolean };

/** Adds `--force` to the command that creates tags. */
export function addForceOption(command: Command, { name }: CatalogResource): Command {
  if (name !== "tag") return command;
  const text = "Create the tag although the repository does not have the image. Pulls of it fail.";
  return command.addOption(new Option("--force", text));
}

/**
 * Returns the word for what the creation of a tag does: `Created`, `Moved`, `Updated` or `Unchanged`. Throws a NOT_FOUND Failure if
 * the repository does not have the image.
 */
export async function checkNewTag(
  platform: PlatformClient,
  repo: string,
  { name, digest, ...others }: JsonObject,
  { force }: ForceOption,
): Promise<string> {
  if (typeof digest === "string" && !force) await requireImage(platform, repo, digest);
  const { rpc } = requireMethod(requireResourceNamed("tag"), "list");
  const filter = { uidp: { childrenOf: repo }, name, ...everyTag };
  // Someone who may create tags need not be allowed to see them.
  const [before] = await platform.rows(rpc, filter, 1).catch(ifDenied([]));
  if (!before) return "Created";
  if (before.digest !== digest) return "Moved";
  return Object.keys(others).length > 0 ? "Updated" : "Unchanged:";
}

async function requireImage(platform: PlatformClient, repo: string, digest: string): Promise<void> {
  const uid = manifestUidOf(repo, digest);
  const { rpc } = requireMethod(requireResourceNamed("manifest"), "get");
  try {
    await platform.call(rpc, { uid });
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "NOT_FOUND")
      return ifDenied(undefined)(error);
    throw refusedFailure(
      "NOT_FOUND",
      `The repository does not have ${digest}, so every pull of the tag would fail. To create it all the same, add --force.`,
    );
  }
}

const ifDenied =
  <T>(value: T) =>
  (error: unknown): T => {
    if (error instanceof Failure && ["PERMISSION_DENIED", "INVALID_ARGUMENT"].includes(error.code))
      return value;
    throw error;
  };

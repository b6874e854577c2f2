/** The option by which someone changes tags although a tag rule refuses it. */
import { type Command, InvalidArgumentError } from "commander";
import type { CatalogOperation } from "../../schema/describe/catalog.ts";
import { fieldNamed } from "./catalog.ts";
import type { JsonObject } from "./flags.ts";

export type OverrideOption = { overrideReason?: string };

export const overrideHelp =
  "Make the change although a tag rule refuses it, for this reason. It needs the capability tag.override.";

/** Adds `--override-reason` if the operation can override tag rules. */
export const addOverrideOption = (
  command: Command,
  { input }: Pick<CatalogOperation, "input">,
): Command =>
  fieldNamed(input, "overrideReason")
    ? command.option("--override-reason <reason>", overrideHelp, parseReason)
    : command;

/** Parses a reason. An empty one, such as that of a variable that is not set, would override nothing. */
export function parseReason(text: string): string {
  if (text.trim() !== "") return text;
  throw new InvalidArgumentError("It must say why you make the change.");
}

/** Returns the field of a request that overrides tag rules. */
export const overriding = (overrideReason: string | undefined): JsonObject =>
  overrideReason === undefined ? {} : { overrideReason };

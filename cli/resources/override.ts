/** The option by which someone changes tags although a tag rule refuses it. */
import type { Command } from "commander";
import type { CatalogOperation } from "../../schema/describe/catalog.ts";
import { fieldNamed } from "./catalog.ts";
import type { JsonObject } from "./flags.ts";
import { addOptions } from "./options.ts";

export type OverrideOption = { override?: string };

/** Adds `--override` if the operation can override tag rules. */
export const addOverrideOption = (
  command: Command,
  { input }: Pick<CatalogOperation, "input">,
): Command => (fieldNamed(input, "overrideReason") ? addOptions(command, "override") : command);

/** Returns the field of a request that overrides tag rules. */
export const overriding = (reason: string | undefined): JsonObject =>
  reason === undefined ? {} : { overrideReason: reason };

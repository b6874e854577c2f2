/** Tags of the registry (OCI distribution, "Pulling manifests"). */
import { quoted } from "../aip/quoted.ts";
import { tagInvalid } from "./errors.ts";

const tagPattern = /^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$/;

/** Whether a tag can have this name. */
export const isTag = (text: string): boolean => tagPattern.test(text);

/** Reads a tag (contract: field validation). Throws TAG_INVALID. */
export function readTag(text: string): string {
  if (isTag(text)) return text;
  throw tagInvalid(
    "a tag must be 1 to 128 letters, digits, dots, underscores and hyphens, and must not begin with a dot or " +
      `a hyphen; you sent ${quoted(text)}`,
  );
}

/** The output of `platformctl lock` about holds. */
import { countText } from "../commands/answer.ts";
import { withoutControls } from "../resources/cells.ts";
import type { JsonObject } from "../resources/flags.ts";
import { here } from "../surroundings.ts";
import type { Held, HoldOutcome } from "./holds.ts";

/** The part of a JSON document about holds. */
export const holdsJson = ({ name, held, failed }: HoldOutcome): JsonObject => ({
  hold: name,
  holds: held,
  holdProblems: failed.map(({ repo, failure: { code, message } }) => ({ repo, code, message })),
});

/** Prints a line to standard error for each hold that changed or could not, and a summary of the others. */
export function printHolds({ name, held, failed }: HoldOutcome, none: string): void {
  const lines = held
    .filter(({ kind }) => kind !== "unchanged")
    .map(({ repo, kind, digests }) => `Hold ${name} in ${repo}: ${textOf(kind, digests.length)}.`);
  const unchanged = held.filter(({ kind }) => kind === "unchanged").length;
  if (unchanged > 0)
    lines.push(`Hold ${name} is up to date in ${countText(unchanged, "repository")}.`);
  if (held.length + failed.length === 0) lines.push(none);
  for (const { repo, failure } of failed)
    lines.push(`${repo}: error: ${failure.message.replaceAll("\n", "\n  ")}`);
  for (const line of lines.flatMap((text) => text.split("\n")))
    here().stderr.write(`${withoutControls(line)}\n`);
}

const textOf = (kind: Held["kind"], count: number) => `${kind}, ${countText(count, "image")}`;

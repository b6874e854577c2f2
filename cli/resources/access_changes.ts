/** Shows who would gain and lose what by a write that is only validated. */
import { type Command, Option } from "commander";
import type { AccessChange, AccessChanges } from "../../client/index.ts";
import type { CatalogOperation } from "../../schema/describe/catalog.ts";
import { usageFailure } from "../failure.ts";
import type { Output } from "../surroundings.ts";
import { capabilityWord } from "./capabilities.ts";
import { fieldNamed } from "./catalog.ts";
import { withoutControls } from "./cells.ts";
import type { JsonObject } from "./flags.ts";
import { readNames, uidPath } from "./names.ts";
import type { PlatformClient } from "./platform.ts";
import { styleOutput } from "./table.ts";

/** The most capabilities of a line on a terminal. */
const shownCapabilities = 6;

export type ValidateOption = { validateOnly?: boolean };

/** Adds `--validate-only` if the platform can validate the operation without carrying it out. */
export function addValidateOption(
  command: Command,
  operation: CatalogOperation | undefined,
): Command {
  if (!operation || !fieldNamed(operation.input, "validateOnly")) return command;
  const text = "Change nothing. Check the request, and show who would gain and lose what.";
  return command.addOption(new Option("--validate-only", text).conflicts(["dryRun", "yes"]));
}

/** The field of a request that is only validated. Throws a USAGE Failure for a form that gains and losses do not have. */
export function validation({
  validateOnly,
  json,
  output,
  columns,
}: ValidateOption & { json?: boolean; output?: string; columns?: string[] }) {
  if (validateOnly && !json && (output !== undefined || columns !== undefined))
    throw usageFailure(
      "With --validate-only, the output is text, or a document: -o json, -o yaml or --jq.",
    );
  return validateOnly ? { validateOnly } : {};
}

/** Prints the changes in the response of a call that only validated. */
export async function printAccessChanges(
  platform: PlatformClient,
  response: JsonObject,
  out: Output,
): Promise<void> {
  if (response.accessChanges === undefined) {
    out.write("The request is valid.\nNothing was changed.\n");
    return;
  }
  const { changes = [], hasMore, hidden } = response.accessChanges as AccessChanges;
  const uids = changes.flatMap(({ group, unchangedGroups = [] }) => [
    group?.uid ?? "",
    ...unchangedGroups.map(({ uid }) => uid ?? ""),
  ]);
  const names = await readNames(platform, [...new Set(uids.flatMap(uidPath))]);
  const pathOf = (uid = "") =>
    uidPath(uid)
      .map((uid) => names.get(uid) ?? uid)
      .join("/");
  const lines = changes.flatMap((change) => linesOf(change, pathOf, out));
  const width = Math.max(0, ...lines.map(({ holder }) => holder.length));
  const texts = lines.map(({ sign, holder, capabilities, scope }) => {
    const text = withoutControls(`${sign} ${holder.padEnd(width)}  ${capabilities}  ${scope}`);
    return styleOutput(out, sign === "+" ? "green" : "red", text);
  });
  const notes = [
    ...(changes.length === 0 && !hidden ? ["No one would gain or lose access."] : []),
    ...(hasMore ? ["There are more changes, which are not shown."] : []),
    ...(hidden
      ? [
          "Changes are hidden from you, because you cannot list the role bindings or providers there.",
        ]
      : []),
  ];
  out.write([...texts, ...notes, "Nothing was changed.", ""].join("\n"));
}

function linesOf(change: AccessChange, pathOf: (uid?: string) => string, out: Output) {
  const { group, gained = [], lost = [], unchangedGroups = [] } = change;
  const except =
    unchangedGroups.length === 0
      ? ""
      : `, except below ${unchangedGroups.map(({ uid }) => pathOf(uid)).join(", ")}`;
  const parts = [
    { sign: "+", numbers: gained },
    { sign: "-", numbers: lost },
  ];
  return parts
    .filter(({ numbers }) => numbers.length > 0)
    .map(({ sign, numbers }) => ({
      sign,
      holder: holderText(change),
      capabilities: capabilitiesText(numbers, out),
      scope: `at ${pathOf(group?.uid)}${except}`,
    }));
}

function holderText({ identity, externalGroup, tokens }: AccessChange): string {
  if (identity) return identity.email || identity.name || identity.uid || "";
  if (externalGroup) {
    return `group ${externalGroup.externalGroupId} of ${externalGroup.identityProviderName}`;
  }
  const { identityName, issuer, subject } = tokens ?? {};
  return `tokens of ${subject} from ${issuer || "the platform"} as ${identityName}`;
}

function capabilitiesText(names: readonly string[], out: Output): string {
  const all = names.map(capabilityWord);
  const rest = all.length - shownCapabilities;
  if (!out.isTTY || rest <= 1) return all.join(", ");
  return `${all.slice(0, shownCapabilities).join(", ")} and ${rest} more`;
}

/** Shows the steps of `apply`, for people and for programs. */
import { withoutControls } from "../resources/cells.ts";
import type { JsonObject } from "../resources/flags.ts";
import { styleOutput } from "../resources/table.ts";
import type { Output } from "../surroundings.ts";
import type { FieldChange } from "./difference.ts";
import { titleOf } from "./documents.ts";
import type { Step } from "./plan.ts";

/** Returns the steps that change something, with the values before and after, and a summary. */
export function planText(steps: Step[], out: Output): string {
  const lines = steps.flatMap((step) => {
    const title = withoutControls(titleOf(step.wanted));
    if (step.action === "create")
      return [styleOutput(out, "green", `+ create ${title}`), ...fieldLines(step)];
    if (step.action === "keep") return [];
    const changes = [...step.changes.values()].flat();
    return [styleOutput(out, "yellow", `~ update ${title}`), ...changes.map(changeLine)];
  });
  return [...lines, ...(lines.length > 0 ? [""] : []), summaryText(steps)].join("\n");
}

/** Returns the number of steps of each kind. */
export function summaryText(steps: Step[]): string {
  const count = (action: Step["action"]) => steps.filter((step) => step.action === action).length;
  const kept = `${count("keep")} unchanged`;
  if (count("keep") === steps.length) return `There is nothing to change: ${kept}.`;
  return `${count("create")} to create, ${count("update")} to update, ${kept}.`;
}

const fieldLines = ({ wanted: { fields } }: Step) =>
  Object.entries(fields)
    .filter(([name]) => name !== "name")
    .map(([name, value]) => `    ${name}: ${valueText(value)}`);

const changeLine = ({ path, before, after }: FieldChange) =>
  `    ${withoutControls(path)}: ${valueText(before)} → ${valueText(after)}`;

export const valueText = (value: unknown) =>
  value === undefined ? "(empty)" : withoutControls(JSON.stringify(value));

/** Returns the steps as JSON. */
export const planJson = (steps: Step[]): JsonObject[] =>
  steps.map(({ action, wanted, uid, changes }) => ({
    action: action === "keep" ? "unchanged" : action,
    kind: wanted.kind,
    group: wanted.group,
    ...(wanted.repo === undefined ? {} : { repo: wanted.repo }),
    ...(wanted.name ? { name: wanted.name } : wanted.refers),
    ...(uid === undefined ? {} : { uid }),
    place: wanted.location,
    ...(action === "create" ? { fields: wanted.fields } : {}),
    ...(action === "update"
      ? {
          changes: [...changes.values()].flat().map(({ path, before, after }) => ({
            field: path,
            before: before ?? null,
            after: after ?? null,
          })),
        }
      : {}),
  }));

/** Writes the steps of `apply`, one after the other. */
import { Failure } from "../failure.ts";
import { kebab } from "../resources/catalog.ts";
import type { PlatformClient } from "../resources/platform.ts";
import { titleOf, type Wanted } from "./documents.ts";
import { methodOf, resourceOfKind } from "./kinds.ts";
import { isPlanned, type Target } from "./lookup.ts";
import { writeUnchanged } from "./outdated.ts";
import { isChange, type Step, writtenFields } from "./plan.ts";

/**
 * Writes the steps that change something, in their order, and calls `report` after each one. Stops at the first write
 * that fails. Throws a Failure that lists what was written and what was not.
 */
export async function writeSteps(
  platform: PlatformClient,
  steps: Step[],
  report: (step: Step, uid: string) => void,
): Promise<void> {
  const uids = new Map<Wanted, string>();
  const pending = steps.filter(isChange);
  for (const [index, step] of pending.entries()) {
    try {
      const uid = await writeStep(platform, step, uids);
      uids.set(step.wanted, uid);
      report(step, uid);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      throw partFailure(error, step, pending.slice(0, index), pending.slice(index + 1));
    }
  }
}

async function writeStep(
  platform: PlatformClient,
  step: Step,
  uids: Map<Wanted, string>,
): Promise<string> {
  const { kind } = step.wanted;
  const uidOf = (target: Target): string => {
    const uid = isPlanned(target) ? uids.get(target.planned) : target.uid;
    if (uid === undefined) throw new Error(`${step.wanted.location} is written too early`);
    return uid;
  };
  const fields = writtenFields(step, uidOf);
  if (step.action === "update") {
    const { rpc, body } = methodOf(kind, "update");
    const names = [...step.changes.keys()];
    const changed = Object.fromEntries(names.map((name) => [name, fields[name]]));
    const request = { [body]: { ...changed, uid: step.uid }, updateMask: names.join(",") };
    const updated = await writeUnchanged(
      platform,
      resourceOfKind(kind),
      { ...step.row, uid: step.uid },
      (ifMatch) => platform.call(rpc, request, { ifMatch }),
    );
    return String(updated.uid);
  }
  const { rpc, body } = methodOf(kind, "create");
  const made = await platform.call(rpc, { parent: uidOf(step.parent), [body]: fields });
  return String(made.uid);
}

function partFailure(error: Failure, step: Step, done: Step[], left: Step[]): Failure {
  const [first, ...notes] = error.message.split("\n");
  const lines = (title: string, steps: Step[]) =>
    steps.length === 0
      ? []
      : [title, ...steps.map(({ action, wanted }) => `  ${action} ${titleOf(wanted)}`)];
  const message = [
    `${step.wanted.location}: ${titleOf(step.wanted)} cannot be written: ${first}`,
    ...notes,
    ...lines("Done before:", done),
    ...lines("Not done:", left),
    "After you have corrected the cause, run the same command again. It continues where it stopped.",
  ].join("\n");
  return new Failure(error.exitCode, error.code, message, error.details);
}

/** Returns a line such as `Created repo acme.example/python (UID)`. */
export const doneText = ({ action, wanted }: Step, uid: string) =>
  `${action === "create" ? "Created" : "Updated"} ${titleOf(wanted).replace(/^\w+/, (kind) => kebab(kind))} (${uid})`;

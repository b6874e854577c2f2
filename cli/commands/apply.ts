/** `platformctl apply` and `diff`: bring groups, access, repositories, trust policies and tag rules to the state of files. */
import type { Command } from "commander";
import { checkDocuments } from "../apply/documents.ts";
import { readSources } from "../apply/files.ts";
import { isChange, planOf, type Step } from "../apply/plan.ts";
import { planJson, planText, summaryText } from "../apply/plan_text.ts";
import { doneText, writeSteps } from "../apply/write.ts";
import { exitCodes, usageFailure } from "../failure.ts";
import { canAsk, confirm } from "../question.ts";
import { withoutControls } from "../resources/cells.ts";
import { optionNamed } from "../resources/options.ts";
import { openPlatform, type PlatformClient } from "../resources/platform.ts";
import { explainFailure } from "../resources/refusals.ts";
import { here } from "../surroundings.ts";
import { addJsonOption, type JsonOption, printAnswer } from "./answer.ts";

type ApplyOptions = JsonOption & { file: string[]; group?: string; yes?: boolean };

const format = `The files contain documents in YAML or JSON, of the kinds Group, Identity, Role,
RoleBinding, Repo, TrustPolicy and TagRule. Each has a kind, a group, and the fields of the API:

  kind: Repo
  group: acme.example/payments
  name: python

A field that a document does not name stays as it is. Nothing is ever deleted.
Everything is checked before the first write: unknown fields, documents that
appear twice, and references that lead nowhere.`;

/** Adds `apply` and `diff`. */
export function addApply(program: Command): void {
  const add = (name: string, summary: string, text: string) =>
    program
      .command(name)
      .summary(summary)
      .description(`${text}\n\n${format}`)
      .requiredOption(
        "-f, --file <path...>",
        "File, folder with .yaml, .yml and .json files, or `-` for standard input. Repeat it for several.",
        collect,
      )
      .addOption(optionNamed("group"));
  addJsonOption(
    add(
      "apply",
      "Create and update resources from files.",
      "Create and update resources until they are as in files. The command shows what\n" +
        "it will do first. Running it again changes nothing.",
    ).addOption(optionNamed("yes")),
    "platformctl apply -f payments.yaml",
    "platformctl apply -f access/ --yes    # in CI",
    "generate | platformctl apply -f - --yes",
  ).action(apply);
  addJsonOption(
    add(
      "diff",
      "Show what apply would change.",
      "Show what apply would change, and change nothing. The exit code is 0 if there is\n" +
        "nothing to change, and 1 if there is something. An error ends with 1, 2 or 3.",
    ),
    "platformctl diff -f payments.yaml",
    "platformctl diff -f access/ || echo changed",
  ).action(diff);
}

const collect = (path: string, before: string[] = []) => [...before, path];

/** Reads the files before the platform, so that mistakes in them cost no call. */
async function readPlan(options: ApplyOptions): Promise<[PlatformClient, Step[]]> {
  const group = options.group ?? (here().env.PLATFORM_GROUP || undefined);
  const documents = checkDocuments(readSources(options.file), group);
  const platform = await openPlatform();
  const steps = await explainFailure({ verb: "call", platform }, () => planOf(platform, documents));
  return [platform, steps];
}

async function diff(options: ApplyOptions): Promise<void> {
  const [, steps] = await readPlan(options);
  printAnswer(options, { changes: planJson(steps) }, planText(steps, here().stdout));
  if (steps.some(isChange)) here().exitCode = exitCodes.refused;
}

async function apply(options: ApplyOptions): Promise<void> {
  if (!options.yes && !canAsk())
    throw usageFailure(
      "There is no terminal to ask for confirmation. To write without confirmation, add --yes. To see the changes, use diff.",
    );
  if (!options.yes && options.file.includes("-"))
    throw usageFailure("With -f -, there is no input left for your answer. Add --yes.");
  const [platform, steps] = await readPlan(options);
  // Programs read the document, and people read the plan on standard error.
  const out = options.json ? here().stderr : here().stdout;
  if (!options.json || here().stderr.isTTY) out.write(`${planText(steps, out)}\n`);
  if (!options.yes && steps.some(isChange)) await confirm("Apply? [y/N] ", "Nothing was changed.");
  const uids = new Map<Step, string>();
  await explainFailure({ verb: "call", platform }, () =>
    writeSteps(platform, steps, (step, uid) => {
      uids.set(step, uid);
      if (!options.json) out.write(`${withoutControls(doneText(step, uid))}\n`);
    }),
  );
  if (!options.json) return;
  const applied = planJson(steps).map((planned, index) => {
    const step = steps[index];
    const uid = step && uids.get(step);
    return { ...planned, ...(uid === undefined ? {} : { uid }) };
  });
  printAnswer(options, { applied }, summaryText(steps));
}

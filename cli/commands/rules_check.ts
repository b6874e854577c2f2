/** `platformctl rules check`: says whether the tag rules would allow a change of a tag, and what a pull of it gets. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { exitCodes, usageFailure } from "../failure.ts";
import { findNamedTag } from "../history/repository.ts";
import { withoutControls } from "../resources/cells.ts";
import type { JsonObject } from "../resources/flags.ts";
import { openPlatform } from "../resources/platform.ts";
import { explainFailure } from "../resources/refusals.ts";
import { here } from "../surroundings.ts";
import { addJsonOption, type JsonOption, printAnswer } from "./answer.ts";

const rpc = "platform.registry.v2.TagRulesService/CheckTag";

type Options = JsonOption & { moveTo?: string; delete?: boolean; pull?: boolean };

/** The question of the request, and the words for it. */
type Question = { change: JsonObject; words: string };

const description = `Say whether the tag rules would allow you to change a tag, or which image a pull
of it gets. Nothing is changed.

The tag need not exist, and the repository need not have the digest yet. For a
digest that it does not have, a rule that needs to know the image refuses. The
exit code is 0 if the change is allowed, and 1 if it is refused. With --pull, it
is 0 if your pull gets an image, and 1 if it gets none.`;

/** Adds `rules check`. */
export function addRulesCheck(rules: Command): void {
  addJsonOption(
    rules
      .command("check")
      .summary(
        "Say whether the tag rules would allow you to move or delete a tag, or what a pull gets.",
      )
      .description(description)
      .argument("<image>", "Image such as python:3.12 or acme.example/python:3.12.")
      .option("--move-to <digest>", "Ask about a move of the tag to this digest.", parseDigest)
      .addOption(new Option("--delete", "Ask about its deletion.").conflicts("moveTo"))
      .addOption(
        new Option("--pull", "Ask which image a pull of the tag gets.").conflicts([
          "moveTo",
          "delete",
        ]),
      ),
    "platformctl rules check acme.example/python:3.12 --delete",
    `platformctl rules check acme.example/python:latest --move-to sha256:${"0".repeat(12)}…`,
    "platformctl rules check acme.example/python:3.12 --delete --json | jq .overridable",
    "platformctl rules check acme.example/python:latest --pull",
  ).action(check);
}

function parseDigest(value: string): string {
  if (/^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/.test(value)) return value;
  throw new InvalidArgumentError("It must be a digest: sha256: and 64 hexadecimal digits.");
}

async function check(image: string, options: Options): Promise<void> {
  const { change, words } = questionOf(options);
  const platform = await openPlatform();
  await explainFailure({ verb: "call", platform }, async () => {
    const { repoUid, name, tag } = await findNamedTag(platform, image);
    const answer = await platform.call(rpc, { repoUid, tag, ...change });
    const named = `${name}:${tag}`;
    const lines = options.pull ? pullLines(named, answer) : changeLines(named, words, answer);
    printAnswer(options, answer, lines.map(withoutControls).join("\n"));
    if (!answer.allowed) here().exitCode = exitCodes.refused;
  });
}

function questionOf({ moveTo, delete: isDeletion, pull }: Options): Question {
  if (moveTo !== undefined) return { change: { moveTo }, words: `point to ${moveTo}` };
  if (isDeletion) return { change: { delete: true }, words: "be deleted" };
  if (pull) return { change: { pull }, words: "be pulled" };
  throw usageFailure("Add --move-to DIGEST, --delete or --pull.");
}

const ruleLines = ({ tagRuleUid }: JsonObject) =>
  tagRuleUid ? [`To see the rule, run: platformctl get tag-rule ${tagRuleUid}`] : [];

function changeLines(image: string, change: string, answer: JsonObject): string[] {
  const { allowed, reason, currentDigest, overridable } = answer;
  const lines = allowed
    ? [`${image} may ${change}: ${reason}.`, ...ruleLines(answer)]
    : [
        `${image} may not ${change}: ${reason}`,
        ...(overridable
          ? ["You have the capability tag.override, so you can make the change with a reason."]
          : []),
      ];
  return [
    ...lines,
    currentDigest ? `It points to ${currentDigest} now.` : "It points nowhere now.",
  ];
}

/** The reason names the rule if the rule holds an image back. */
function pullLines(image: string, answer: JsonObject): string[] {
  const { servedDigest, currentDigest, reason } = answer;
  const gets = servedDigest ? `gets ${servedDigest}` : "gets nothing";
  const isHeldBack = servedDigest !== currentDigest;
  return [
    `A pull of ${image} ${gets}: ${reason}${isHeldBack ? "" : "."}`,
    ...(isHeldBack ? [] : ruleLines(answer)),
    ...(isHeldBack && currentDigest ? [`The tag points to ${currentDigest}.`] : []),
  ];
}

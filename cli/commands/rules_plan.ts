/** `platformctl rules plan` and `rules show`: what would expire in a repository, and what has become of it. */
import { type Command, InvalidArgumentError } from "commander";
import { uidPattern } from "../../client/request.ts";
import { type Failure, failureViolations, toFailure } from "../failure.ts";
import { findRepo } from "../history/repository.ts";
import { valuesOf } from "../resources/catalog.ts";
import type { JsonObject } from "../resources/flags.ts";
import { requireResourceNamed } from "../resources/names.ts";
import { optionNamed } from "../resources/options.ts";
import { openPlatform, type PlatformClient } from "../resources/platform.ts";
import { explainFailure, shellQuote } from "../resources/refusals.ts";
import { addJsonOption, type JsonOption, printAnswer } from "./answer.ts";
import {
  enumValueOf,
  expiryText,
  itemsText,
  nextStepOf,
  openStates,
  type PlanItems,
  paragraphs,
  planLines,
  planRpc,
  readItems,
  repoNameOf,
  withCommand,
} from "./expiry_plan.ts";

/** The tags and images that `plan` prints, and the most that `show` prints without --limit. */
const firstItems = 20;
const _defaultLimit = 1000;

type PlanOptions = JsonOption & { dryRun?: boolean; description?: string };
type ShowOptions = JsonOption & { outcome?: string; limit: number; all?: boolean };

const planDescription = `Make a plan of what expires in a repository by its tag rules of the kind expire.
Nothing is deleted before you carry the plan out.

The command prints the first ${firstItems} tags and images, each with its rule, the
reason and its last pull, and the command that comes next. A repository has one
plan at a time.`;

const showDescription = `Show an expiry plan, and its tags and images in the order in which they are
deleted. With --outcome, show only those of which this has become.`;

/** The help of the argument that names a plan. */
export const planHelp = "The uid of the plan, as platformctl rules plans shows it.";

/** Parses the uid of a plan: that of a repository, and 16 digits more. */
export function parsePlan(value: string): string {
  if (uidPattern.test(value) && value.split("/").length > 2) return value;
  throw new InvalidArgumentError(
    "It must be the uid of a plan. To list them: platformctl rules plans",
  );
}

/** Adds `rules plan`. */
export function addRulesPlan(rules: Command): void {
  addJsonOption(
    rules
      .command("plan")
      .summary("Make a plan of the tags and images that expire in a repository.")
      .description(planDescription)
      .argument("<repo>", "NAMESPACE/NAME of the repository, its name alone, or its uid.")
      .addOption(optionNamed("dryRun"))
      .option("--description <text>", "Why you make it, for those who approve it."),
    "platformctl rules plan acme.example/shop",
    "platformctl rules plan acme.example/shop --dry-run",
    "platformctl rules plan acme.example/shop --json | jq -r .plan.uid",
  ).action(makePlan);
}

/** Adds `rules show`. */
export function addRulesShow(rules: Command): void {
  const words = valuesOf("platform.registry.v2.ExpiryOutcome").map(({ word }) => word);
  addJsonOption(
    rules
      .command("show")
      .summary("Show an expiry plan, with its tags and images.")
      .description(showDescription)
      .argument("<plan>", planHelp, parsePlan)
      .option(
        "--outcome <outcome>",
        `Show only those with this outcome: ${words.join(", ")}.`,
        outcomeOf,
      )
      .addOption(optionNamed("limit"))
      .addOption(optionNamed("all")),
    "platformctl rules show UID",
    "platformctl rules show UID --outcome left",
    "platformctl rules show UID --all --json | jq -r '.items[].tag'",
  ).action(show);
}

function outcomeOf(word: string): string {
  const value = enumValueOf("ExpiryOutcome", word);
  if (value !== undefined) return value;
  throw new InvalidArgumentError("It must be an outcome, such as left.");
}

async function makePlan(repo: string, options: PlanOptions): Promise<void> {
  const { dryRun: isDry = false, description } = options;
  const platform = await openPlatform();
  await explainFailure({ verb: "call", platform }, async () => {
    const parent = await findRepo(platform, repo);
    const plan = await create(platform, repo, {
      parent,
      ...(description === undefined ? {} : { expiryPlan: { description } }),
      ...(isDry ? { validateOnly: true } : {}),
    });
    const listed: PlanItems = isDry
      ? { items: [], more: false }
      : await readItems(platform, String(plan.uid), firstItems);
    const text = isDry ? dryText(plan, repo) : planText(plan, repo, listed);
    printAnswer(options, { plan, ...listed }, text);
  });
}

const dryText = (plan: JsonObject, repo: string) =>
  paragraphs(
    expiryText(plan),
    `To make this plan, run: platformctl rules plan ${shellQuote(repo)}`,
  );

function planText(plan: JsonObject, repo: string, { items, more }: PlanItems): string {
  const rest = more
    ? `There are more. To see all, run: platformctl rules show ${plan.uid} --all`
    : undefined;
  return paragraphs(planLines(plan, repo).join("\n"), itemsText(items), rest, nextStepOf(plan));
}

/** Creates a plan. If the platform refuses, the error says which command helps. */
async function create(
  platform: PlatformClient,
  repo: string,
  request: JsonObject,
): Promise<JsonObject> {
  try {
    return await platform.call(planRpc("CreateExpiryPlan"), request);
  } catch (thrown) {
    const failure = toFailure(thrown, platform.url);
    if (failure.code !== "FAILED_PRECONDITION") throw failure;
    throw withCommand(failure, await adviceFor(platform, repo, String(request.parent), failure));
  }
}

async function adviceFor(
  platform: PlatformClient,
  repo: string,
  parent: string,
  failure: Failure,
): Promise<string | undefined> {
  if (failureViolations(failure).some(({ field }) => field === "NO_EXPIRE_RULE"))
    return `To create one, run: platformctl create tag-rule NAME --repo ${shellQuote(repo)} --expire.unpulled-days 90`;
  const { list } = requireResourceNamed("expiryPlan").methods;
  const plans = await platform.rows(list?.rpc ?? "", { uidp: { childrenOf: parent } }, 20);
  const open = plans.find(({ state }) => openStates.includes(String(state)));
  return open && `To see the plan of the repository, run: platformctl rules show ${open.uid}`;
}

async function show(uid: string, options: ShowOptions): Promise<void> {
  const platform = await openPlatform();
  const resource = requireResourceNamed("expiryPlan");
  await explainFailure({ verb: "call", resource, platform }, async () => {
    const plan = await platform.call(planRpc("GetExpiryPlan"), { uid });
    const listed = await readItems(
      platform,
      uid,
      options.all ? Number.POSITIVE_INFINITY : options.limit,
      options.outcome,
    );
    const repo = options.json ? "" : await repoNameOf(platform, plan);
    const rest = listed.more ? "There are more. To see all, add --all." : undefined;
    const lines = planLines(plan, repo).join("\n");
    const text = paragraphs(lines, itemsText(listed.items), rest, nextStepOf(plan));
    printAnswer(options, { plan, ...listed }, text);
  });
}

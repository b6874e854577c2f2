/** `platformctl rules plans`: lists expiry plans, the newest first. */
import type { Command } from "commander";
import { bytesText } from "../byte_counts.ts";
import { usageFailure } from "../failure.ts";
import { findRepo } from "../history/repository.ts";
import { computedColumn as column, columnAt, type TableColumn } from "../resources/columns.ts";
import type { JsonObject } from "../resources/flags.ts";
import { parentOf, readNames, requireResourceNamed } from "../resources/names.ts";
import { optionNamed } from "../resources/options.ts";
import type { OutputOptions } from "../resources/output.ts";
import { openPlatform, type PlatformClient } from "../resources/platform.ts";
import { explainFailure } from "../resources/refusals.ts";
import { tableText, tsvText } from "../resources/table.ts";
import { groupOption } from "../resources/where.ts";
import { here } from "../surroundings.ts";
import { addRowOptions, printRowsAnswer } from "./answer.ts";
import { makerOf, nextStepOf, openStates, paragraphs, planRpc, stateOf } from "./expiry_plan.ts";

const resourceName = "expiryPlan";

type Options = OutputOptions & { group?: string; limit: number; all?: boolean };

const description = `List expiry plans, the newest first: their states, who made them, and until when
they can be undone. A plan that is finished stays in the list for 30 days.`;

/** Adds `rules plans`. */
export function addRulesPlans(rules: Command): void {
  addRowOptions(
    rules
      .command("plans")
      .summary("List expiry plans, the newest first.")
      .description(description)
      .argument(
        "[repo]",
        "Only those of this repository: NAMESPACE/NAME, its name alone, or its uid.",
      )
      .addOption(optionNamed("group"))
      .addOption(optionNamed("limit"))
      .addOption(optionNamed("all")),
    resourceName,
    "platformctl rules plans --group acme.example",
    "platformctl rules plans acme.example/shop",
    "platformctl rules plans acme.example/shop -o uid --limit 1",
  ).action(listPlans);
}

async function listPlans(repo: string | undefined, options: Options): Promise<void> {
  const { group } = options;
  const limit = options.all ? Number.POSITIVE_INFINITY : options.limit;
  if (repo !== undefined && group !== undefined)
    throw usageFailure("Name a repository or --group, and not both.");
  const platform = await openPlatform();
  await explainFailure({ verb: "call", platform }, async () => {
    const uidp = await scopeOf(platform, repo, group);
    const rows = await platform.rows(planRpc("ListExpiryPlans"), uidp ? { uidp } : {}, limit + 1);
    const expiryPlans = rows.slice(0, limit);
    const more = rows.length > limit;
    const repos = await readNames(platform, options.json ? [] : expiryPlans.map(repoUidOf));
    printRowsAnswer(options, resourceName, expiryPlans, { expiryPlans, more }, (isForPeople) =>
      isForPeople
        ? textOf(expiryPlans, more, repos)
        : tsvText(expiryPlans, columnsOf(repos, false), new Date()).trimEnd(),
    );
  });
}

async function scopeOf(
  platform: PlatformClient,
  repo: string | undefined,
  group: string | undefined,
): Promise<JsonObject | undefined> {
  if (repo !== undefined) return { childrenOf: await findRepo(platform, repo) };
  const below = await groupOption(platform, group);
  return below === undefined ? undefined : { descendantsOf: below };
}

const repoUidOf = ({ uid }: JsonObject) => parentOf(String(uid)) ?? "";

function textOf(plans: JsonObject[], more: boolean, repos: Map<string, string>): string {
  if (plans.length === 0) return "There is no expiry plan.";
  const table = tableText(plans, columnsOf(repos, true), here().stdout, new Date()).trimEnd();
  // On most terminals the table has no room for uids.
  const steps = plans
    .filter(({ state }) => openStates.includes(String(state)))
    .map((plan) => `${repos.get(repoUidOf(plan)) ?? repoUidOf(plan)}: ${nextStepOf(plan)}`);
  const rest = more ? "There are more plans. To show all, add --all." : undefined;
  return paragraphs(table, rest, steps.join("\n"));
}

/** The columns: exact values for programs, and short ones for a terminal. */
function columnsOf(repos: Map<string, string>, isShort: boolean): TableColumn[] {
  const resource = requireResourceNamed(resourceName);
  return [
    column("repo", 0, (row) => repos.get(repoUidOf(row)) ?? repoUidOf(row)),
    column("state", 1, stateOf),
    column("made by", 4, makerOf),
    column("tags", 5, ({ tagCount }) => String(tagCount ?? 0)),
    column("images", 6, ({ manifestCount }) => String(manifestCount ?? 0)),
    column("bytes", 3, ({ bytes }) =>
      isShort ? bytesText(Number(bytes ?? 0)) : String(bytes ?? 0),
    ),
    columnAt(resource, "undoExpireTime", 2),
    columnAt(resource, "uid", 50),
  ];
}

/** `platformctl moves`: lists how tags moved, the newest first. */
import { type Command, InvalidArgumentError } from "commander";
import { usageFailure } from "../failure.ts";
import { overrideOf, overrideText } from "../history/overrides.ts";
import { shortDigest } from "../history/timeline.ts";
import { parseEnd, parseTime, relativeTime } from "../history/times.ts";
import { computedColumn as column, type TableColumn } from "../resources/columns.ts";
import type { JsonObject } from "../resources/flags.ts";
import type { OutputOptions } from "../resources/output.ts";
import { openPlatform } from "../resources/platform.ts";
import { explainFailure } from "../resources/refusals.ts";
import { tableText, tsvText } from "../resources/table.ts";
import { groupForms, requireGroup } from "../resources/where.ts";
import { here } from "../surroundings.ts";
import { addRowOptions, printRowsAnswer } from "./answer.ts";

const rpc = "platform.registry.history.v2.TagHistoryService/ListTagMoves";

/** The rows in the catalog. */
const resourceName = "recordedTagMove";

/** The most moves without --limit. */
const defaultLimit = 50;

/** The kinds as a person types them, with the values of the API. */
const kinds: Record<string, string> = {
  created: "TAG_MOVE_KIND_CREATED",
  moved: "TAG_MOVE_KIND_MOVED",
  "rolled-back": "TAG_MOVE_KIND_ROLLED_BACK",
  deleted: "TAG_MOVE_KIND_DELETED",
};

const warnings: Record<string, string> = {
  TAG_MOVE_WARNING_RELEASE_MOVED: "a release moved",
  TAG_MOVE_WARNING_OLDER_DIGEST: "older digest",
  TAG_MOVE_WARNING_MANY_TAGS: "many tags at once",
};

type Options = OutputOptions & {
  since?: string;
  until?: string;
  repo?: string;
  tag?: string;
  kind?: string[];
  warnings?: boolean;
  limit: number;
};

const description = `Show how tags moved, the newest first: what moved, when, from which digest to
which, and who moved it.

A change that leaves the digest as it was, such as a deprecation, is not a move.
WARNING names moves that can be a mistake or an attack: a tag of a release that
moved, a tag that went back to an older digest, and many tags at once.
OVERRIDES names the tag rule that refused a move, and why someone made it.

A time is a timestamp such as 2026-01-31T12:00:00Z, a date in UTC, or an age
such as 12h, 30d, 2w or 1y. In a pattern, * stands for any characters.`;

/** Adds `moves`. */
export function addMoves(program: Command): void {
  addRowOptions(
    program
      .command("moves")
      .summary("Show which tags moved, and who moved them.")
      .description(description)
      .argument("[group]", `Only below this group: ${groupForms} (default: PLATFORM_GROUP).`)
      .option("--since <time>", "Show only moves at or after this time.")
      .option("--until <time>", "Show only moves before the end of this time.")
      .option("--repo <pattern>", "Show only repositories with such a name.")
      .option("--tag <pattern>", "Show only tags with such a name.")
      .option("--kind <kinds...>", `Show only ${Object.keys(kinds).join(", ")}.`, kindsOf)
      .option("--warnings", "Show only moves with a warning.")
      .option("--limit <n>", "Show at most n moves.", limitOf, defaultLimit),
    resourceName,
    "platformctl moves example.com --since 7d",
    "platformctl moves example.com --since 30d --warnings",
    "platformctl moves example.com --repo 'team/*' --tag '1.*' --kind rolled-back deleted",
    "platformctl moves example.com --json | jq -r '.tagMoves[] | [.repo, .tag, .digest] | @tsv'",
  ).action(moves);
}

function kindsOf(text: string, before: string[] = []): string[] {
  const value = kinds[text];
  if (value !== undefined) return [...before, value];
  throw new InvalidArgumentError(`It must be one of ${Object.keys(kinds).join(", ")}.`);
}

function limitOf(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1 to 999999.");
}

async function moves(asked: string | undefined, options: Options): Promise<void> {
  const now = new Date();
  const period = periodOf(options, now);
  const platform = await openPlatform();
  const { repo, tag, kind, warnings: hasWarnings, limit } = options;
  const listed = await explainFailure({ verb: "call", platform }, async () => {
    const request = {
      uidp: { descendantsOf: await requireGroup(platform, asked) },
      ...period,
      ...(repo === undefined ? {} : { repo }),
      ...(tag === undefined ? {} : { tag }),
      ...(kind === undefined ? {} : { kinds: kind }),
      ...(hasWarnings ? { hasWarnings } : {}),
    };
    const rows: JsonObject[] = [];
    // Whole pages, because filters can leave few moves of each.
    for await (const page of platform.pages(rpc, request)) {
      rows.push(...page);
      if (rows.length > limit) break;
    }
    return rows;
  });
  const tagMoves = listed.slice(0, limit);
  const more = listed.length > limit;
  printRowsAnswer(options, resourceName, tagMoves, { tagMoves, more }, (isForPeople) =>
    isForPeople
      ? textOf(tagMoves, more, now)
      : tsvText(tagMoves, columnsOf(now, false), now).trimEnd(),
  );
}

function periodOf({ since, until }: Options, now: Date): { since?: string; until?: string } {
  const start = since === undefined ? undefined : parseTime(since, now);
  // The API leaves out the end of a period, and a date includes its whole day.
  const end = until === undefined ? undefined : new Date(parseEnd(until, now).getTime() + 1);
  if (start && end && start > end) throw usageFailure("--since must not be after --until.");
  return {
    ...(start && { since: start.toISOString() }),
    ...(end && { until: end.toISOString() }),
  };
}

function textOf(tagMoves: JsonObject[], more: boolean, now: Date): string {
  if (tagMoves.length === 0) return "No tag moved.";
  const table = tableText(tagMoves, columnsOf(now, true), here().stdout, now).trimEnd();
  const note = more ? "\n\nThere are more moves. To show them, set --since or --limit." : "";
  return `${table}${note}`;
}

/** The columns: exact values for programs, and short ones for a terminal. */
function columnsOf(now: Date, isShort: boolean): TableColumn[] {
  const digest = (value: unknown) =>
    isShort ? shortDigest(String(value ?? "")) : String(value ?? "");
  return [
    column("when", 0, ({ updateTime }) =>
      isShort ? relativeTime(new Date(String(updateTime)), now) : String(updateTime),
    ),
    column("image", 0, ({ repo, tag }) => `${repo ?? "?"}:${tag}`),
    column("move", 1, ({ kind }) => kindText(kind)),
    column("from", 5, ({ previousDigest }) => digest(previousDigest)),
    column("to", 3, ({ digest: now }) => digest(now)),
    column("by", 4, ({ identityName, identityUid }) => String(identityName || identityUid || "")),
    column("warning", 2, ({ warnings: names }) => warningText(names)),
    column("overrides", 6, (move) => overrideText(overrideOf(move))),
  ];
}

const kindText = (kind: unknown) =>
  Object.entries(kinds)
    .find(([, value]) => value === kind)?.[0]
    .replace("-", " ") ?? String(kind);

const warningText = (names: unknown) =>
  (Array.isArray(names) ? names : [])
    .map((name) => warnings[String(name)] ?? String(name))
    .join(", ");

/** `platformctl rules preview`: shows what a tag rule would do that does not exist yet. */
import type { Command } from "commander";
import { checkDocuments, type Wanted } from "../apply/documents.ts";
import { readSources, type Source } from "../apply/files.ts";
import { isPlanned, type Target } from "../apply/lookup.ts";
import { planOf, writtenFields } from "../apply/plan.ts";
import { usageFailure } from "../failure.ts";
import { shortDigest } from "../history/timeline.ts";
import { fieldsOf } from "../resources/catalog.ts";
import { withoutControls } from "../resources/cells.ts";
import { isObject, type JsonObject } from "../resources/flags.ts";
import { parentOf, requireResourceNamed } from "../resources/names.ts";
import { optionNamed } from "../resources/options.ts";
import { maxPageSize, openPlatform, type PlatformClient } from "../resources/platform.ts";
import { explainFailure } from "../resources/refusals.ts";
import { here } from "../surroundings.ts";
import { addJsonOption, countText, type JsonOption, printAnswer } from "./answer.ts";

const rpc = "platform.registry.v2.TagRulesService/PreviewTagRule";

/** The most matched tags without --limit, and the most pages of tags that one command reads. */
const _defaultLimit = 1000;
const maxPages = 500;

type Options = JsonOption & { group?: string; rule?: string; limit: number; all?: boolean };

const description = `Show what a tag rule would do, before you create it. Nothing is changed.

The file contains a document of the kind TagRule, as for apply, or a rule as
get tag-rule --json prints it. For each tag that the rule matches, the command
says whether the rule would let you set the tag to its image now, and which
moves of the last 90 days it would have refused. For a rule that chooses the image
of a pull, it says which image you would get, and for one by which tags expire,
which tags would expire. The other rules do not count.`;

/** Adds `rules preview`. */
export function addRulesPreview(rules: Command): void {
  addJsonOption(
    rules
      .command("preview")
      .summary("Show which tags a rule would match, and which moves it would have refused.")
      .description(description)
      .argument("<file>", "YAML or JSON file with the rule, or `-` for standard input.")
      .addOption(optionNamed("group"))
      .option("--rule <name>", "The name of the rule, if the file has several.")
      .addOption(optionNamed("limit"))
      .addOption(optionNamed("all")),
    "platformctl rules preview releases.yaml",
    "platformctl rules preview releases.yaml --json | jq '.tags[] | select(.allowed | not) | .tag'",
    "platformctl get tag-rule releases --json | platformctl rules preview -",
  ).action(preview);
}

async function preview(file: string, options: Options): Promise<void> {
  const group = options.group ?? (here().env.PLATFORM_GROUP || undefined);
  const documents = checkDocuments(readSources([file]).map(asDocument), group);
  const wanted = onlyRule(file, documents, options.rule);
  const platform = await openPlatform();
  await explainFailure({ verb: "call", platform }, async () => {
    const steps = await planOf(platform, documents);
    const step = steps.find((one) => one.wanted === wanted);
    if (!step) throw new Error("the rule has no step");
    const uidOf = (target: Target) => existingUid(wanted, target);
    const request = { parent: uidOf(step.parent), tagRule: writtenFields(step, uidOf) };
    const { tags, more } = await readTags(
      platform,
      request,
      options.all ? Number.POSITIVE_INFINITY : options.limit,
    );
    const kind = Object.keys(wordings).find((one) => isObject(wanted.fields[one])) ?? "";
    printAnswer(options, { tags, more }, textOf(tags, more, kind));
  });
}

/** Returns a rule without a kind as a document, with its own group or repository. */
function asDocument(source: Source): Source {
  const { value } = source;
  if (!isObject(value) || "kind" in value) return source;
  const { message } = requireResourceNamed("tagRule");
  const outputs = fieldsOf(message).filter(({ isOutput }) => isOutput);
  const kept = Object.entries(value).filter(([key]) => !outputs.some(({ name }) => name === key));
  const above = typeof value.uid === "string" ? parentOf(value.uid) : undefined;
  const { keep, serve } = value;
  return {
    ...source,
    value: {
      ...{ kind: "TagRule", ...(above && { group: above }), ...Object.fromEntries(kept) },
      ...(isObject(keep) && { keep: withRole(keep, "roleUid", "role") }),
      ...(isObject(serve) && { serve: withRole(serve, "exemptRoleUid", "exemptRole") }),
    },
  };
}

/** A document has its roles under other keys than the API, which take a uid too. */
function withRole(condition: JsonObject, field: string, key: string): JsonObject {
  const { [field]: uid, ...others } = condition;
  return uid === undefined ? others : { ...others, [key]: uid };
}

function onlyRule(file: string, documents: Wanted[], name: string | undefined): Wanted {
  const rules = documents.filter(
    (one) => one.kind === "TagRule" && (name === undefined || one.name === name),
  );
  const [only] = rules;
  if (only && rules.length === 1) return only;
  const source = file === "-" ? "Standard input" : file;
  const named = name === undefined ? "" : ` with the name ${JSON.stringify(name)}`;
  throw usageFailure(
    only
      ? `${source} has ${rules.length} tag rules${named}. Choose one with --rule, or put it into a file of its own.`
      : `${source} has no tag rule${named}.`,
  );
}

function existingUid({ location }: Wanted, target: Target): string {
  if (!isPlanned(target)) return target.uid;
  const { kind, name } = target.planned;
  throw usageFailure(
    `${location}: The ${kind} ${JSON.stringify(name)} does not exist yet. Create it first: platformctl apply -f FILE`,
  );
}

async function readTags(platform: PlatformClient, request: JsonObject, limit: number) {
  const tags: JsonObject[] = [];
  let pageToken: unknown;
  for (let page = 0; page < maxPages && tags.length <= limit; page += 1) {
    const answer = await platform.call(rpc, {
      ...{ ...request, pageSize: maxPageSize },
      ...(pageToken ? { pageToken } : {}),
    });
    tags.push(...((answer.tags as JsonObject[] | undefined) ?? []));
    pageToken = answer.nextPageToken;
    if (!pageToken) break;
  }
  const more = tags.length > limit || Boolean(pageToken);
  return { tags: tags.slice(0, limit), more };
}

const movesOf = ({ refusedMoves }: JsonObject) => (refusedMoves as JsonObject[] | undefined) ?? [];

/** The texts for one kind of rule: for a tag, and for all. */
interface Wording {
  lines: (row: JsonObject) => string[];
  summary: (tags: JsonObject[]) => string;
}

const wordings: Record<string, Wording> = {
  keep: { lines: keptLines, summary: keptSummary },
  serve: { lines: servedLines, summary: servedSummary },
  expire: { lines: expiryLines, summary: expirySummary },
};

function textOf(tags: JsonObject[], more: boolean, kind: string): string {
  // A kind that this version does not know keeps tags as far as the answer says.
  const wording = wordings[kind] ?? { lines: keptLines, summary: keptSummary };
  const lines = tags.flatMap(wording.lines);
  const count = `The rule matches ${countText(tags.length, "tag")}.`;
  const matched =
    tags.length === 0 ? "The rule matches no tag." : `${count} ${wording.summary(tags)}`;
  const rest = more ? ["There are more tags. To see them, add --all or narrow the rule."] : [];
  return [...lines.map(withoutControls), ...(lines.length > 0 ? [""] : []), matched, ...rest].join(
    "\n",
  );
}

function keptLines(row: JsonObject): string[] {
  const name = `${row.repo}:${row.tag}`;
  return [
    row.allowed ? `${name}  allowed` : `${name}  refused: ${row.reason}`,
    ...movesOf(row).map(moveLine),
  ];
}

function keptSummary(tags: JsonObject[]): string {
  const refused = tags.filter(({ allowed }) => !allowed).length;
  const moves = tags.reduce((sum, row) => sum + movesOf(row).length, 0);
  return `It would refuse the current image of ${refused}, and would have refused ${countText(moves, "move")} of the last 90 days.`;
}

const isAsItIs = ({ digest, servedDigest }: JsonObject) => servedDigest === digest;

function servedLines(row: JsonObject): string[] {
  const { repo, tag, servedDigest, reason } = row;
  const gets = servedDigest ? `gets ${shortDigest(String(servedDigest))}` : "gets nothing";
  return [isAsItIs(row) ? `${repo}:${tag}  as it is` : `${repo}:${tag}  a pull ${gets}: ${reason}`];
}

function servedSummary(tags: JsonObject[]): string {
  const nothing = tags.filter(({ servedDigest }) => !servedDigest).length;
  const other = tags.filter((row) => !isAsItIs(row)).length - nothing;
  return `Your pulls would get an earlier image of ${other}, and nothing of ${nothing}.`;
}

function expiryLines({ repo, tag, allowed, reason }: JsonObject): string[] {
  return [`${repo}:${tag}  ${allowed ? "stays" : "expires"}: ${reason}`];
}

function expirySummary(tags: JsonObject[]): string {
  const expiring = tags.filter(({ allowed }) => !allowed).length;
  return `${expiring} would expire. A plan also looks at the other rules and at what images need: platformctl rules plan`;
}

function moveLine({ updateTime, digest, identityUid, reason }: JsonObject): string {
  const change = digest ? `move to ${shortDigest(String(digest))}` : "deletion";
  const by = identityUid ? ` by ${identityUid}` : "";
  return `    ${updateTime}  ${change}${by}: ${reason}`;
}

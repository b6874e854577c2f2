/** `platformctl quota`: how much organizations may have of each kind, and how much they have. */
import { type Command, InvalidArgumentError } from "commander";
import { parseBytes } from "../byte_counts.ts";
import { usageFailure } from "../failure.ts";
import { computedColumn as column, type TableColumn } from "../resources/columns.ts";
import type { JsonObject } from "../resources/flags.ts";
import { groupForms } from "../resources/options.ts";
import { openPlatform, type PlatformClient } from "../resources/platform.ts";
import { explainFailure } from "../resources/refusals.ts";
import { tableText } from "../resources/table.ts";
import { requireGroup } from "../resources/where.ts";
import { here } from "../surroundings.ts";
import { addJsonOption, type JsonOption, printAnswer, withExamples } from "./answer.ts";

const service = "platform.iam.quotas.v2.QuotasService";

/** The word that stands for the defaults instead of an organization. */
const defaults = "default";

const prefix = "QUOTA_KIND_";

/** Adds `quota list` and `quota set`. */
export function addQuota(program: Command): void {
  const quota = withExamples(
    program
      .command("quota")
      .description("Show what organizations may have and use, or change it as the operator."),
    "platformctl quota list acme.example",
  );
  addJsonOption(
    quota
      .command("list")
      .summary("List the quotas of an organization, and how much of each it uses.")
      .description(
        "List the quotas of an organization, and how much of each it uses. The operator can\n" +
          "list the defaults, which apply to all organizations without a quota of their own.",
      )
      .argument(
        "[organization]",
        `The organization: ${groupForms}, or ${defaults} (default: PLATFORM_GROUP).`,
      ),
    "platformctl quota list acme.example",
    `platformctl quota list ${defaults}`,
  ).action(listQuotas);
  addJsonOption(
    quota
      .command("set")
      .summary("Change a quota of an organization, or a default.")
      .description(
        "Change a quota of an organization, or a default. Only the operator can do that. A\n" +
          "limit below the use keeps what is there, and refuses more.",
      )
      .argument("<organization>", `The organization: ${groupForms}, or ${defaults}.`)
      .argument("<kind>", "The kind as quota list shows it, such as repos.", kindOf)
      .argument(
        "<limit>",
        "A number, bytes with a unit such as 500GB, unlimited, or default for the default again.",
      ),
    "platformctl quota set acme.example tags 500000",
    "platformctl quota set acme.example tags default",
    `platformctl quota set ${defaults} owned_organizations 3`,
  ).action(setQuota);
}

function kindOf(text: string): string {
  if (/^[a-z]+(_[a-z]+)*$/.test(text)) return `${prefix}${text.toUpperCase()}`;
  throw new InvalidArgumentError("It must be a kind such as repos. See platformctl quota list.");
}

function limitValue(name: string, text: string): JsonObject {
  if (text === "unlimited") return { unlimited: true };
  if (text === defaults) return { useDefault: true };
  const isBytes = name.endsWith("_BYTES");
  const number = isBytes || /^\d+$/.test(text) ? parseBytes(text) : undefined;
  if (number !== undefined) return { limit: String(number) };
  const forms = isBytes ? "bytes such as 500GB" : "a whole number";
  throw usageFailure(`The limit must be ${forms}, unlimited or ${defaults}, and not ${text}.`);
}

/** Runs a call about an organization, or about the defaults as the operator of PLATFORM_GROUP. */
async function atQuotas<Result>(
  asked: string | undefined,
  work: (platform: PlatformClient, isDefault: boolean, parent: string) => Promise<Result>,
): Promise<Result> {
  const platform = await openPlatform();
  return explainFailure({ verb: "call", platform }, async () => {
    const isDefault = asked === defaults;
    const way = isDefault
      ? "where you are the operator with PLATFORM_GROUP"
      : "or set PLATFORM_GROUP";
    const group = await requireGroup(platform, isDefault ? undefined : asked, way);
    return work(platform, isDefault, group.slice(0, 40));
  });
}

async function listQuotas(asked: string | undefined, options: JsonOption): Promise<void> {
  const answer = await atQuotas(asked, (platform, isDefault, parent) =>
    platform.call(`${service}/${isDefault ? "ListDefaultQuotas" : "ListQuotas"}`, { parent }),
  );
  const quotas = (answer.quotas ?? []) as JsonObject[];
  const shown = asked === defaults ? [kind, limit] : [kind, used, limit, note];
  const table = tableText(quotas, shown, here().stdout, new Date()).trimEnd();
  printAnswer(options, answer, table);
}

const nameOf = (quota: JsonObject) => String(quota.kind).replace(prefix, "").toLowerCase();

const limitText = ({ limit: most }: JsonObject) =>
  most === undefined ? "unlimited" : Number(most).toLocaleString("en");

function noteText({ own, nearLimit }: JsonObject): string {
  const notes = [...(own ? ["own limit"] : []), ...(nearLimit ? ["80 % used"] : [])];
  return notes.join(", ");
}

const kind: TableColumn = column("kind", 0, nameOf);
const used: TableColumn = column("used", 1, (row) => Number(row.used ?? 0).toLocaleString("en"));
const limit: TableColumn = column("limit", 2, limitText);
const note: TableColumn = column("note", 3, noteText);

async function setQuota(
  asked: string,
  name: string,
  text: string,
  options: JsonOption,
): Promise<void> {
  const value = limitValue(name, text);
  const answer = await atQuotas(asked, (platform, isDefault, parent) =>
    platform.call(`${service}/${isDefault ? "UpdateDefaultQuota" : "UpdateQuota"}`, {
      parent,
      kind: name,
      ...value,
    }),
  );
  const whose = asked === defaults ? "The default" : asked;
  const most = answer.limit === undefined ? "is unlimited" : `is ${limitText(answer)}`;
  const done =
    asked === defaults
      ? `${whose} of ${nameOf(answer)} ${most}.`
      : `The quota ${nameOf(answer)} of ${whose} ${most}.`;
  printAnswer(options, answer, done);
}

/** `platformctl affected`: finds the images that a vulnerability affects. */
import { type Command, Option } from "commander";
import { usageFailure } from "../failure.ts";
import { parseTime } from "../history/times.ts";
import type { JsonObject } from "../resources/flags.ts";
import {
  groupedText,
  groupRows,
  type ImageLine,
  tabbed,
  tagsOf,
} from "../resources/images_found.ts";
import { openPlatform } from "../resources/platform.ts";
import { explainFailure } from "../resources/refusals.ts";
import { here } from "../surroundings.ts";
import { addRowOptions, countText, printRowsAnswer } from "./answer.ts";
import { showContaining } from "./contains.ts";
import {
  addFoundOptions,
  endWith,
  type FoundOptions,
  foundScope,
  imageFilters,
  moreText,
  mostRows,
} from "./found_images.ts";

const rpc = "platform.registry.findings.v2.FindingsService/ListFindings";

const severities = ["unknown", "negligible", "low", "medium", "high", "critical"];

/** The sources of findings, with their values in a request. */
const sources: Record<string, string[]> = {
  sbom: ["FOUND_BY_SBOM", "FOUND_BY_BOTH"],
  scanner: ["FOUND_BY_SCANNER", "FOUND_BY_BOTH"],
  both: ["FOUND_BY_BOTH"],
};

type Options = FoundOptions & {
  severity?: string;
  foundBy?: string;
  foundSince?: string;
  fixable?: boolean;
  open?: boolean;
  package?: string;
};

const description = `Find the images that a vulnerability affects, by repository and tag. The answer
comes from the SBOM of each image, which is matched with the records of your groups
and of the public organization, and from its newest scan report.

Each line shows the package, the versions that fix it, who found it, and the VEX
statement that applies. Where a version cannot be compared, the line says so, and
does not count for --fail. Images that are not affected or fixed according to VEX are shown dimmed,
and do not count for --fail. Without a vulnerability, the command shows all
findings that match the options.

With --package, the answer comes from SBOMs alone, for a day on which no advisory
exists yet. With --at, the answer is about the images to which tags led at that
time, and the vulnerabilities that are known now. A time is a timestamp such as
2026-01-31T12:00:00Z, a date (its first moment in UTC), or an age such as 7d.

On a terminal, the images are grouped. Elsewhere, each finding is a line of
REPOSITORY, TAGS, DIGEST, VULNERABILITY, SEVERITY, PACKAGE, VERSION, FIX, VEX,
FOUND_BY and STATE, separated by tabs.`;

/** Adds `affected`. */
export function addAffected(program: Command): void {
  addRowOptions(
    addFoundOptions(
      program
        .command("affected")
        .summary("Find the images that a vulnerability affects.")
        .description(description)
        .argument(
          "[vulnerability]",
          "Id such as CVE-2021-44228 or GHSA-jfh8-c2jp-5v3q, or a package URL such as pkg:npm/lodash.",
        )
        .addOption(
          new Option("--severity <severity>", "Show only this severity and higher ones.").choices(
            severities,
          ),
        )
        .addOption(
          new Option("--found-by <source>", "Show only what this source found.").choices(
            Object.keys(sources),
          ),
        )
        .addOption(
          new Option(
            "--package <package>",
            "Find the images that contain a package, such as 'pkg:npm/lodash@<4.17.21'. No advisory is needed.",
          ).conflicts(["severity", "foundBy", "foundSince", "fixable", "open"]),
        )
        .option(
          "--found-since <time>",
          "Show only what the platform knows since this time, such as 1d.",
        )
        .option("--fixable", "Show only findings with a version that fixes them.")
        .option("--open", "Leave out what is not affected or fixed according to VEX."),
    ),
    "finding",
    "platformctl affected CVE-2021-44228",
    "platformctl affected CVE-2021-44228 --group acme.example/team-a --tagged",
    "platformctl affected --severity critical --fixable --open",
    "platformctl affected --severity high --open --found-since 1d    # new since yesterday",
    "platformctl affected CVE-2021-44228 --pulled-since 7d",
    "platformctl affected CVE-2021-44228 --at 2026-01-31    # what ran on that day",
    "platformctl affected --package 'pkg:npm/lodash@<4.17.21' --tagged",
    "platformctl affected --found-by sbom    # whether or not a scanner found it too",
    "platformctl affected CVE-2021-44228 --open --fail    # in CI",
    "platformctl affected CVE-2021-44228 --json | jq -r '.findings[].repoName' | sort -u",
  ).action(showAffected);
}

function requestOf(asked: string | undefined, options: Options): JsonObject {
  const isPackage = asked?.startsWith("pkg:");
  return {
    ...(asked === undefined ? {} : isPackage ? { purl: asked } : { vulnerability: asked }),
    ...(options.severity && {
      minSeverity: `FINDING_SEVERITY_${options.severity.toUpperCase()}`,
    }),
    ...(options.foundBy === undefined ? {} : { foundBy: sources[options.foundBy] ?? [] }),
    ...(options.foundSince === undefined
      ? {}
      : { foundSince: parseTime(options.foundSince, new Date()).toISOString() }),
    ...(options.fixable ? { hasFix: true } : {}),
    ...imageFilters(options),
    ...(options.open ? { excludeResolved: true } : {}),
  };
}

async function showAffected(asked: string | undefined, options: Options): Promise<void> {
  if (options.package !== undefined) {
    if (asked !== undefined) throw usageFailure("Name a vulnerability or --package, not both.");
    return showContaining(options.package, options);
  }
  const platform = await openPlatform();
  const rows = await explainFailure({ verb: "call", platform }, async () => {
    const request = { ...(await foundScope(platform, options)), ...requestOf(asked, options) };
    return platform.rows(rpc, request, mostRows(options) + 1);
  });
  const findings = rows.slice(0, mostRows(options));
  const hasMore = rows.length > findings.length;
  printRowsAnswer(options, "finding", findings, { findings, more: hasMore }, (isForPeople) =>
    isForPeople ? textOf(asked, findings, hasMore) : tabbed(findings.map(cellsOf)),
  );
  if (!here().stdout.isTTY && !options.json && hasMore)
    here().stderr.write(`${moreText(true).trim()}\n`);
  endWith(options, findings.some(isOpen));
}

const objectAt = (row: JsonObject, name: string) => (row[name] ?? {}) as JsonObject;
const textAt = (row: JsonObject, name: string) => String(row[name] ?? "");
/** The value of an enum without its prefix, in words: `not affected`. */
const wordOf = (value: string, prefix: string) =>
  value.replace(prefix, "").replaceAll("_", " ").toLowerCase();

const severityOf = (row: JsonObject) => wordOf(textAt(row, "severity"), "FINDING_SEVERITY_");
const statusOf = (row: JsonObject) => wordOf(textAt(objectAt(row, "vex"), "status"), "VEX_STATUS_");
const isResolved = (row: JsonObject) => ["not affected", "fixed"].includes(statusOf(row));
const isUnknown = (row: JsonObject) => row.state === "FINDING_STATE_UNKNOWN";
const isOpen = (row: JsonObject) => !isResolved(row) && !isUnknown(row);
const sourceOf = (row: JsonObject) => wordOf(textAt(row, "foundBy"), "FOUND_BY_");
const fixesOf = ({ fixedVersions }: JsonObject) =>
  Array.isArray(fixedVersions) ? fixedVersions.join(", ") : "";

function cellsOf(row: JsonObject): string[] {
  const { name, version } = objectAt(row, "package");
  return [
    textAt(row, "repoName"),
    tagsOf(row).join(","),
    textAt(row, "digest"),
    textAt(row, "vulnerabilityId"),
    severityOf(row),
    String(name ?? ""),
    String(version ?? ""),
    fixesOf(row),
    statusOf(row),
    sourceOf(row),
    wordOf(textAt(row, "state"), "FINDING_STATE_"),
  ];
}

/** The sources in words. */
const sourceTexts: Record<string, string> = {
  sbom: "found by SBOM",
  scanner: "found by scanner",
  both: "found by SBOM and scanner",
};

function lineOf(row: JsonObject): ImageLine {
  const { name, version } = objectAt(row, "package");
  const vex = objectAt(row, "vex");
  const reason = textAt(vex, "justification");
  const fixes = fixesOf(row);
  const parts = [
    textAt(row, "vulnerabilityId"),
    severityOf(row),
    [name, version].filter(Boolean).join(" "),
    isUnknown(row) && `not known whether affected: ${textAt(row, "unknownReason")}`,
    fixes === "" ? fixStateOf(row) : `fixed in ${fixes}`,
    sourceTexts[sourceOf(row)],
    statusOf(row) &&
      `VEX: ${statusOf(row)}${reason && ` (${reason})`}, ${textAt(vex, "advisoryId")}`,
    ...unappliedTexts(row),
  ];
  return { text: parts.filter(Boolean).join("  "), isDim: isResolved(row) };
}

/** The statements that would end a finding, and why they do not: `VEX not applied: it is about distro=debian-11…`. */
function unappliedTexts({ unappliedVex, vex }: JsonObject): string[] {
  if (vex !== undefined || !Array.isArray(unappliedVex)) return [];
  return (unappliedVex as JsonObject[]).map(
    (statement) =>
      `VEX not applied: ${textAt(statement, "reason")}, ${textAt(statement, "advisoryId")}`,
  );
}

/** The state of a finding without a fixed version. */
function fixStateOf(row: JsonObject): string {
  const state = wordOf(textAt(row, "fixState"), "FIX_STATE_");
  return ["not fixed", "wont fix"].includes(state) ? state : "no fix known";
}

function textOf(asked: string | undefined, findings: JsonObject[], hasMore: boolean): string {
  const what = asked ?? "These findings";
  const open = findings.filter(isOpen);
  const count = (rows: JsonObject[]) => {
    const repos = groupRows(rows);
    const images = repos.reduce((sum, { images: rows }) => sum + rows.length, 0);
    return `${countText(images, "image")} in ${countText(repos.length, "repository")}`;
  };
  if (findings.length === 0)
    return `No image with an SBOM or a report that you can see has ${asked ?? "such a finding"}.`;
  const verb = asked === undefined ? "affect" : "affects";
  const resolved = findings.filter(isResolved).length;
  const unknown = findings.length - open.length - resolved;
  const unclear = unknown === 0 ? "" : ` For ${countText(unknown, "finding")} this is not known.`;
  const rest =
    resolved === 0 ? "" : ` VEX resolves ${countText(resolved, "finding")}, shown dimmed.`;
  const sentence =
    open.length === 0 ? `${what} ${verb} no image.` : `${what} ${verb} ${count(open)}.`;
  return `${sentence}${unclear}${rest}\n\n${groupedText(findings, here().stdout, lineOf)}${moreText(hasMore)}`;
}

/** `platformctl import`: imports data from files. */
import type { Command } from "commander";
import { openClient } from "../account/client.ts";
import { findAccount } from "../account/credentials.ts";
import { Failure, toFailure } from "../failure.ts";
import { type BadLine, badLineText, type SkippedLine } from "../import/batches.ts";
import { type InputSource, openSource } from "../import/lines.ts";
import { watchMatching } from "../import/matching.ts";
import { importOsv } from "../import/osv.ts";
import { showProgress } from "../import/progress.ts";
import { importVex, type VexFormat } from "../import/vex.ts";
import { findResourceRow, isUid, requireResourceNamed } from "../resources/names.ts";
import { optionNamed } from "../resources/options.ts";
import { type PlatformClient, platformOf } from "../resources/platform.ts";
import { requireGroup } from "../resources/where.ts";
import { here, print } from "../surroundings.ts";
import { addJsonOption, countText, type JsonOption, withExamples } from "./answer.ts";
import { addImageImports } from "./import_images.ts";
import { addRegistryImport } from "./import_registry.ts";
import { type FoundGroup, finishLines, skippedText } from "./import_report.ts";

const skipHelp = "Skip bad lines and documents, list them and exit with 4.";
const strictHelp = "Leave nothing out: the first one that cannot be read ends the import with 2.";

type LinesOptions = JsonOption & { group?: string; skipBadLines?: boolean; strict?: boolean };

/** Adds `import` and its subcommands. */
export function addImport(program: Command): void {
  const load = withExamples(
    program
      .command("import")
      .description("Import data from files. Importing the same file again changes nothing."),
    "platformctl import tag-moves tag-moves.jsonl.gz --group acme.example",
    "platformctl import osv osv-pypi.jsonl.gz --group acme.example",
    "platformctl import sbom python.spdx.json --image python@$DIGEST",
  );
  const lines = (command: Command) =>
    command
      .argument("<file>", "File of JSON lines, plain or gzip, or `-` for standard input.")
      .addOption(optionNamed("group"))
      .option("--skip-bad-lines", skipHelp);
  addJsonOption(
    lines(
      load
        .command("tag-moves")
        .summary("Import the history of tags.")
        .description(
          'Import the history of tags.\n\nEach line of the file is a JSON object with the fields "updateTimestamp", "repo", "tag" and "digest". The lines must be in order of time, oldest first.',
        ),
    ),
    "platformctl import tag-moves tag-moves.jsonl.gz --group acme.example",
    "zcat tag-moves.jsonl.gz | grep '\"python\"' | platformctl import tag-moves - --group acme.example",
  ).action(loadTagMoves);
  addJsonOption(
    lines(
      load
        .command("osv")
        .description(
          "Import security advisories in the OSV format, one per line.\n\nRecords that the platform cannot read, such as those without a package, are left out and listed.\n\nThe platform then matches the records with the SBOMs of images. With --watch, the command shows how many are left, and ends when none is. If you stop it, the platform continues. To see the rest, run the command again.",
        )
        .option("--strict", strictHelp)
        .addOption(optionNamed("watch")),
    ),
    "platformctl import osv osv-pypi.jsonl.gz --group acme.example",
    "platformctl import osv osv-pypi.jsonl.gz --group acme.example --watch",
  ).action(loadOsv);
  addVexImports(load);
  addImageImports(load);
  addRegistryImport(load);
}

function addVexImports(load: Command): void {
  for (const [format, name] of Object.entries(vexFormats) as [VexFormat, string][]) {
    addJsonOption(
      load
        .command(format)
        .description(
          `Import ${name} documents, which state whether vulnerabilities affect a product.\n\nDocuments that the platform cannot read are left out and listed.`,
        )
        .argument(
          "<file...>",
          "Files with one JSON document, a JSON array or JSON lines, plain or gzip, or `-` for standard input.",
        )
        .addOption(optionNamed("group"))
        .option("--skip-bad-lines", skipHelp)
        .option("--strict", strictHelp),
      `platformctl import ${format} app.${format}.json --group acme.example`,
      `platformctl import ${format} vex/*.json --group acme.example --skip-bad-lines`,
    ).action((files: string[], options: LinesOptions) => loadVex(format, files, options));
  }
}

async function loadTagMoves(file: string, options: LinesOptions): Promise<void> {
  // The module checks lines with the rules of the protos, which take a while to load.
  const { importTagMoves } = await import("../import/tag_moves.ts");
  const { group, source, account, client, progress } = await openImport(file, options);
  const done = await importTagMoves({
    source,
    group: group.uid,
    client,
    url: account.url,
    skipBadLines: options.skipBadLines ?? false,
    onBatch: (sum) => progress.draw(sum.recordedMoves + sum.unchangedMoves, "moves"),
  }).finally(progress.end);
  finishLines(options, { group, ...done }, [
    `${source.name} into ${group.name ?? group.uid}:`,
    `  ${countText(done.createdRepos, "new repository")}, ${countText(done.createdTags, "new tag")}`,
    `  ${countText(done.recordedMoves, "move")} recorded, ${done.unchangedMoves.toLocaleString("en")} unchanged`,
  ]);
}

async function loadOsv(file: string, options: LinesOptions & { watch?: boolean }): Promise<void> {
  const { group, source, account, client, progress } = await openImport(file, options);
  const done = await importOsv({
    source,
    group: group.uid,
    client,
    url: account.url,
    skipBadLines: options.skipBadLines ?? false,
    strict: options.strict ?? false,
    onBatch: (sum) => progress.draw(sum.created + sum.updated + sum.unchanged, "records"),
  }).finally(progress.end);
  finishLines(options, { group, ...done }, [
    `${source.name} into ${group.name ?? group.uid}:`,
    countsText(done),
  ]);
  if (!options.watch) return;
  const records = done.created + done.updated;
  const total = await watchMatching({ client, group: group.uid, records });
  if (!options.json) print(total === 0 ? "No record is left to match." : allMatchedText(total));
}

const allMatchedText = (total: number) =>
  total === 1 ? "The record is matched." : `All ${total.toLocaleString("en")} records are matched.`;

/** `  3 created, 0 updated, 12 unchanged, 2 left out`. */
const countsText = (done: Record<"created" | "updated" | "unchanged" | "skippedCount", number>) =>
  `  ${done.created} created, ${done.updated} updated, ${done.unchanged} unchanged${done.skippedCount > 0 ? `, ${done.skippedCount} left out` : ""}`;

const vexFormats: Record<VexFormat, string> = { openvex: "OpenVEX", csaf: "CSAF" };

async function loadVex(format: VexFormat, files: string[], options: LinesOptions): Promise<void> {
  const sum = {
    created: 0,
    updated: 0,
    unchanged: 0,
    lines: 0,
    badLineCount: 0,
    skippedCount: 0,
  };
  const badLines: VexBadLine[] = [];
  const skipped: (SkippedLine & { file: string; unit: string })[] = [];
  const texts: string[] = [];
  const { account, client, group } = await connect(options);
  for (const file of files) {
    try {
      const source = await openSource(file);
      const progress = showProgress(source);
      const done = await importVex(format, {
        source,
        group: group.uid,
        client,
        url: account.url,
        skipBadLines: options.skipBadLines ?? false,
        strict: options.strict ?? false,
        onBatch: ({ created, updated, unchanged }) =>
          progress.draw(created + updated + unchanged, "advisories"),
      }).finally(progress.end);
      for (const key of Object.keys(sum) as (keyof typeof sum)[]) sum[key] += done[key];
      badLines.push(
        ...done.badLines.map((bad) => ({ ...bad, file: source.name, unit: done.unit })),
      );
      skipped.push(
        ...done.skipped.map((record) => ({ ...record, file: source.name, unit: done.unit })),
      );
      texts.push(`${source.name} into ${group.name ?? group.uid}:`, countsText(done));
    } catch (thrown) {
      const failure = toFailure(thrown, account.url);
      throw files.length > 1 ? withFileName(failure, file, texts.length > 0) : failure;
    }
  }
  const several = files.length > 1;
  const inFile = (record: { file: string }, text: string) =>
    several ? `${record.file}: ${text}` : text;
  finishLines(options, { group, ...sum, badLines, skipped }, texts, {
    describe: (bad) => inFile(bad, badLineText(bad, bad.unit)),
    describeSkipped: (record) => inFile(record, skippedText(record, record.unit)),
    noun: badLines[0]?.unit ?? "line",
  });
}

type VexBadLine = BadLine & { file: string; unit: string };

/**
 * Returns the failure of one of several files. It names the file and says whether earlier files are already imported.
 */
function withFileName(
  { exitCode, code, message, details }: Failure,
  name: string,
  isLater: boolean,
) {
  const before = isLater ? "\nThe files before it are already imported." : "";
  return new Failure(exitCode, code, `${name}: ${message}${before}`, details);
}

async function openImport(file: string, options: LinesOptions) {
  const source: InputSource = await openSource(file);
  const { account, client, group } = await connect(options);
  const progress = showProgress(source);
  return { source, account, client, group, progress };
}

async function connect(options: LinesOptions) {
  const account = await findAccount();
  const client = openClient(account);
  const group = await findGroup(platformOf(client, account), options.group);
  return { account, client, group };
}

async function findGroup(platform: PlatformClient, asked: string | undefined): Promise<FoundGroup> {
  const text = asked ?? (here().env.PLATFORM_GROUP || (await requireGroup(platform, undefined)));
  if (isUid(text)) return { uid: text };
  const { uid, name } = await findResourceRow(platform, requireResourceNamed("group"), text, {});
  return { uid: String(uid), name: String(name) };
}

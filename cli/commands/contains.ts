/** `platformctl contains`: finds the images that contain a package, from their SBOMs. */
import type { Command } from "commander";
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
import {
  addFoundOptions,
  endWith,
  type FoundOptions,
  foundScope,
  imageFilters,
  moreText,
  mostRows,
} from "./found_images.ts";

const rpc = "platform.registry.findings.v2.PackagesService/ListPackages";

type Options = FoundOptions & { from?: string; below?: string };

const description = `Find the images that contain a package, by repository and tag. The answer comes
from the SBOMs of the images.

A version is compared in the order of its ecosystem: apk, deb, rpm, Maven, PyPI, or
semantic versions. A version that has no place in that order is shown with "?",
because you have to check it yourself.

On a terminal, the images are grouped. Elsewhere, each package is a line of
REPOSITORY, TAGS, DIGEST, NAME, VERSION, PURL, LICENSE and MARK, separated by tabs.
MARK is "?" if the version cannot be compared.`;

/** Adds `contains`. */
export function addContains(program: Command): void {
  addRowOptions(
    addFoundOptions(
      program
        .command("contains")
        .summary("Find the images that contain a package.")
        .description(description)
        .argument(
          "[package]",
          "Name such as log4j-core, or package URL such as pkg:npm/lodash, with a version, a range or neither.",
        )
        .option("--from <version>", "Show only this version and later ones.")
        .option("--below <version>", "Show only versions before this one."),
    ),
    "package",
    "platformctl contains log4j-core --below 2.17",
    "platformctl contains pkg:deb/debian/openssl --from 3.0.0 --below 3.0.7-1 --tagged",
    "platformctl contains 'pkg:npm/lodash@>=4.0 <4.17.21' --pulled-since 7d",
    "platformctl contains @angular/core --group acme.example/team-a",
    "platformctl contains log4j-core --below 2.17 --fail    # in CI",
  ).action(showContaining);
}

/** Prints the images that contain a package: a name, or a package URL with or without a range of versions. */
export async function showContaining(asked: string | undefined, options: Options): Promise<void> {
  const platform = await openPlatform();
  const { from, below } = options;
  const rows = await explainFailure({ verb: "call", platform }, async () => {
    const request = {
      ...(await foundScope(platform, options)),
      ...packageFilter(asked),
      ...(from === undefined ? {} : { from }),
      ...(below === undefined ? {} : { below }),
      ...imageFilters(options),
    };
    return platform.rows(rpc, request, mostRows(options) + 1);
  });
  const packages = rows.slice(0, mostRows(options));
  const hasMore = rows.length > packages.length;
  printRowsAnswer(options, "package", packages, { packages, more: hasMore }, (isForPeople) =>
    isForPeople ? textOf(asked, packages, hasMore) : tabbed(packages.map(cellsOf)),
  );
  if (!here().stdout.isTTY && !options.json && hasMore)
    here().stderr.write(`${moreText(true).trim()}\n`);
  endWith(options, packages.length > 0);
}

function packageFilter(asked: string | undefined): JsonObject {
  if (asked === undefined) return {};
  return asked.startsWith("pkg:") ? { purl: asked } : { name: asked };
}

const textAt = (row: JsonObject, name: string) => String(row[name] ?? "");

const cellsOf = (row: JsonObject): string[] => [
  textAt(row, "repoName"),
  tagsOf(row).join(","),
  textAt(row, "digest"),
  textAt(row, "name"),
  textAt(row, "version"),
  textAt(row, "purl"),
  textAt(row, "license"),
  row.versionUnordered ? "?" : "",
];

function lineOf(row: JsonObject): ImageLine {
  const version = `${textAt(row, "version")}${row.versionUnordered ? " ?" : ""}`;
  const parts = [
    `${textAt(row, "name")} ${version}`.trim(),
    textAt(row, "type"),
    textAt(row, "license"),
  ];
  return { text: parts.filter(Boolean).join("  "), isDim: false };
}

function textOf(asked: string | undefined, packages: JsonObject[], hasMore: boolean): string {
  if (packages.length === 0)
    return `No SBOM that you can see contains ${asked ?? "a package"} in such a version.`;
  const what = asked ?? countText(packages.length, "package");
  const repos = groupRows(packages);
  const images = repos.reduce((sum, { images: rows }) => sum + rows.length, 0);
  const unordered = packages.filter((row) => row.versionUnordered).length;
  const note =
    unordered === 0 ? "" : ` Check ${countText(unordered, "version")} marked "?" yourself.`;
  const sentence = `${countText(images, "image")} in ${countText(repos.length, "repository")} ${images === 1 ? "contains" : "contain"} ${what}.${note}`;
  return `${sentence}\n\n${groupedText(packages, here().stdout, lineOf)}${moreText(hasMore)}`;
}

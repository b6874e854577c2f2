/** The subcommands of `platformctl import` for one image. Each takes one file. */
import type { Command } from "commander";
import { type Client, withAccount } from "../account/client.ts";
import type { Account } from "../account/credentials.ts";
import { usageFailure } from "../failure.ts";
import { type ImageDigest, parseImageDigest } from "../import/image_digest.ts";
import { openSource, readAllBytes } from "../import/lines.ts";
import { importManifest, maxManifestBytes } from "../import/manifest.ts";
import { importSbom } from "../import/sbom.ts";
import { importVulns, parseTimeOption } from "../import/vulns.ts";
import { findUid, requireResourceNamed } from "../resources/names.ts";
import { platformOf } from "../resources/platform.ts";
import { addJsonOption, countText, type JsonOption, printAnswer } from "./answer.ts";

/** Adds these subcommands to `import`. */
export function addImageImports(load: Command): void {
  addJsonOption(
    load
      .command("manifest")
      .description("Store an OCI image manifest or image index, with its exact bytes.")
      .argument("<file>", "JSON file, or `-` for standard input.")
      .requiredOption(
        "--repo <repo>",
        "Repository: its name, uid, or path such as acme.example/python.",
      )
      .option("--config <file>", "File with the image configuration that the manifest names."),
    "platformctl import manifest index.json --repo acme.example/python",
    "platformctl import manifest manifest.json --repo python --config config.json",
  ).action(loadManifest);
  addJsonOption(
    load
      .command("sbom")
      .description("Store an SBOM of an image, in SPDX or CycloneDX JSON.")
      .argument("<file>", "JSON file, plain or gzip, or `-` for standard input.")
      .requiredOption(
        "--image <repo@digest>",
        "Repository, by its name, uid or path, then @ and the digest of the image.",
        parseImageDigest,
      ),
    "platformctl import sbom python.spdx.json --image python@$DIGEST",
    "syft -o cyclonedx-json $IMAGE | platformctl import sbom - --image $REPO_UID@$DIGEST",
  ).action(loadSbom);
  addJsonOption(
    load
      .command("vulns")
      .description(
        "Store the vulnerabilities that a scan found in an image, as a Grype report in JSON.",
      )
      .argument("<file>", "Output of `grype -o json`, plain or gzip, or `-` for standard input.")
      .requiredOption(
        "--image <repo@digest>",
        "Repository, by its name, uid or path, then @ and the digest of the image.",
        parseImageDigest,
      )
      .option(
        "--scan-time <time>",
        "Time of the scan, if the report does not contain it.",
        parseTimeOption,
      ),
    "platformctl import vulns python.grype.json --image python@$DIGEST",
    "grype -o json $IMAGE@$DIGEST | platformctl import vulns - --image $REPO_UID@$DIGEST",
  ).action(loadVulns);
}

const repoUid = (client: Client, account: Account, text: string) =>
  findUid(platformOf(client, account), requireResourceNamed("repo"), text);

type ManifestOptions = JsonOption & { repo: string; config?: string };

async function loadManifest(file: string, options: ManifestOptions): Promise<void> {
  if (file === "-" && options.config === "-")
    throw usageFailure("Only one of the files can be standard input.");
  const content = await readAllBytes(await openSource(file), maxManifestBytes);
  const config =
    options.config === undefined
      ? undefined
      : await readAllBytes(await openSource(options.config), maxManifestBytes);
  const made = await withAccount(async (client, account) =>
    importManifest({
      content,
      client,
      repo: await repoUid(client, account, options.repo),
      config,
    }),
  );
  const { uid, digest = "", mediaType, architectures = [], size } = made;
  const bytes = size === "0" ? [] : [`${size} bytes`];
  const about = [architectures.join(", "), ...bytes].filter(Boolean).join("  ");
  printAnswer(
    options,
    { uid, digest, mediaType, architectures, size },
    `${digest}  ${mediaType}  ${about}`,
  );
}

async function loadSbom(file: string, options: JsonOption & { image: ImageDigest }): Promise<void> {
  const source = await openSource(file);
  const { repo, digest: imageDigest } = options.image;
  const sbom = await withAccount(async (client, account) =>
    importSbom({
      source,
      client,
      repo: await repoUid(client, account, repo),
      digest: imageDigest,
    }),
  );
  const { uid, digest, specVersion, name = "", packageCount, size, contentDigest } = sbom;
  const format = sbom.format === "SBOM_FORMAT_SPDX" ? "SPDX" : "CycloneDX";
  printAnswer(
    options,
    { uid, digest, format, specVersion, name, packageCount, size, contentDigest },
    `${digest}  ${format} ${specVersion}  ${countText(packageCount, "package")}`,
  );
}

type VulnsOptions = JsonOption & { image: ImageDigest; scanTime?: Date };

async function loadVulns(file: string, options: VulnsOptions): Promise<void> {
  const source = await openSource(file);
  const { image, scanTime } = options;
  const report = await withAccount(async (client, account) =>
    importVulns({
      source,
      client,
      repo: await repoUid(client, account, image.repo),
      digest: image.digest,
      scanTime,
    }),
  );
  const { uid, digest, scanner, scannerVersion, vulnerabilityCount: count } = report;
  const times = { scanTime: report.scanTime ?? null, dbBuildTime: report.dbBuildTime ?? null };
  const counted = `${count.toLocaleString("en")} ${count === 1 ? "vulnerability" : "vulnerabilities"}`;
  printAnswer(
    options,
    { uid, digest, scanner, scannerVersion, ...times, vulnerabilityCount: count },
    `${digest}  ${scanner} ${scannerVersion}  ${times.scanTime}  ${counted}`,
  );
}

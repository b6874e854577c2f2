/** `platformctl inspect`: the content of an image, and the facts that the platform has about it. */
import type { Command } from "commander";
import { findImage } from "../history/found_image.ts";
import { readImage } from "../history/named_image.ts";
import { platformText } from "../images/descriptor.ts";
import { type RemoteManifest, readRemoteImage } from "../images/remote_image.ts";
import { openSession, requireStatus, type Session } from "../images/session.ts";
import { showWaiting } from "../import/progress.ts";
import { requireMethod } from "../resources/catalog.ts";
import { withoutControls } from "../resources/cells.ts";
import { type DetailLine, detailText } from "../resources/details.ts";
import type { JsonObject } from "../resources/flags.ts";
import { manifestUidOf, requireResourceNamed } from "../resources/names.ts";
import { openPlatform, type PlatformClient } from "../resources/platform.ts";
import { explainFailure } from "../resources/refusals.ts";
import { sizeText } from "../resources/related.ts";
import { verdictsOf, verdictText } from "../resources/verdicts.ts";
import { here } from "../surroundings.ts";
import { addJsonOption, countText, type JsonOption, printAnswer } from "./answer.ts";

/** The most findings that are counted. */
const maxFindings = 10_000;

/** Adds `inspect`. */
export function addInspect(program: Command): void {
  addJsonOption(
    program
      .command("inspect")
      .summary("Show the content of an image, and its tags, signatures and findings.")
      .description(
        "Show the platforms, layers and labels of an image, its tags, signatures, SBOMs\n" +
          "and findings, and who set its newest tag.",
      )
      .argument("<image>", "Image such as python:3.12 or python@sha256:…"),
    "platformctl inspect python:3.12",
    "platformctl inspect acme.example/python:3.12 --json | jq '.platforms[].labels'",
  ).action(inspect);
}

async function inspect(asked: string, options: JsonOption): Promise<void> {
  const platform = await openPlatform();
  const session = await openSession();
  await explainFailure({ verb: "call", platform }, async () => {
    const { repoUid, name, digest } = await findImage(platform, asked);
    const image = await readImage(platform, name, session.host);
    const [platforms, known] = await showWaiting(
      `reading ${asked}`,
      Promise.all([
        readPlatforms(session, image.name, digest, (part) => readExamined(platform, repoUid, part)),
        readKnown(platform, repoUid, digest),
      ]),
    );
    const answer = {
      image: `${session.host}/${image.name}@${digest}`,
      digest,
      platforms,
      ...known,
    };
    printAnswer(options, answer, detailText(linesOf(answer), here().stdout).trimEnd());
  });
}

type PlatformPart = {
  platform: string;
  digest: string;
  bytes: number;
  layers: { digest: string; bytes: number }[];
  labels: Record<string, string>;
  examined: Examined;
};

/** Reads the manifest of each platform with its configuration. */
async function readPlatforms(
  session: Session,
  name: string,
  digest: string,
  examine: (digest: string) => Promise<Examined>,
): Promise<PlatformPart[]> {
  const { manifests } = await readRemoteImage(session, name, digest, undefined);
  const parts = manifests.filter(({ content }) => content.config && content.layers);
  return Promise.all(
    parts.map(async (part) => ({
      ...(await readPlatform(session, name, part)),
      examined: await examine(part.descriptor.digest),
    })),
  );
}

async function readPlatform(
  session: Session,
  name: string,
  { descriptor, content }: RemoteManifest,
): Promise<Omit<PlatformPart, "examined">> {
  const path = `/v2/${name}/blobs/${content.config?.digest}`;
  const response = await session.send(name, { method: "GET", path });
  await requireStatus(response, 200);
  // An artifact may have a configuration that is not one of an image.
  const config = (await response.json().catch(() => ({}))) as JsonObject;
  const { os, architecture, variant } = config;
  const inner = (config.config ?? {}) as { Labels?: Record<string, string> };
  const layers = (content.layers ?? []).map(({ digest, size }) => ({ digest, bytes: size }));
  const isNamed = typeof os === "string" && typeof architecture === "string";
  return {
    platform: isNamed
      ? platformText({ os, architecture, ...(variant ? { variant: String(variant) } : {}) })
      : "",
    digest: descriptor.digest,
    bytes: layers.reduce((sum, { bytes }) => sum + bytes, 0),
    layers,
    labels: inner.Labels ?? {},
  };
}

/** The findings of the image of one platform. Without a report and an SBOM, nothing was looked for. */
type Examined = { sboms: number; reports: number; findings: Record<string, number> };

type Known = { tags: string[]; movedBy?: string; verdicts: JsonObject[] };

const rowsAbout = (
  platform: PlatformClient,
  kind: string,
  { repo, digest, ...more }: JsonObject,
  limit: number,
) => {
  const request = { uidp: { childrenOf: repo }, digest, ...more };
  return platform.rows(requireMethod(requireResourceNamed(kind), "list").rpc, request, limit);
};

async function readExamined(platform: PlatformClient, repo: string, digest: string) {
  const about = { repo, digest };
  const [sboms, reports, findings] = await Promise.all([
    rowsAbout(platform, "sbom", about, 200),
    rowsAbout(platform, "vulnReport", about, 200),
    rowsAbout(platform, "finding", about, maxFindings),
  ]);
  const severities = findings.map(({ severity }) =>
    String(severity).replace("FINDING_SEVERITY_", "").toLowerCase(),
  );
  const counts = [...Map.groupBy(severities, (one) => one)].map(([one, all]) => [one, all.length]);
  const examined: Examined = {
    ...{ sboms: sboms.length, reports: reports.length },
    findings: Object.fromEntries(counts),
  };
  return examined;
}

/** Reads what the platform knows about a digest. */
async function readKnown(platform: PlatformClient, repo: string, digest: string): Promise<Known> {
  const about = { repo, digest };
  const uid = manifestUidOf(repo, digest);
  const [tags, moves, manifest] = await Promise.all([
    rowsAbout(platform, "tag", { ...about, includeDates: true, includeEpochs: true }, 200),
    rowsAbout(platform, "recordedTagMove", about, 1),
    platform.call(requireMethod(requireResourceNamed("manifest"), "get").rpc, { uid }),
  ]);
  const mover = moves[0]?.identityName || moves[0]?.identityUid;
  return {
    tags: tags.map(({ name }) => String(name)),
    ...(mover ? { movedBy: String(mover) } : {}),
    verdicts: verdictsOf(manifest),
  };
}

function foundText({ sboms, reports, findings }: Examined): string {
  if (sboms + reports === 0) return "not scanned";
  const found = Object.entries(findings).map(([severity, count]) => `${count} ${severity}`);
  return found.join(", ") || "nothing found";
}

function linesOf({
  image,
  platforms,
  tags,
  movedBy,
  verdicts,
}: Known & { image: string; platforms: PlatformPart[] }): DetailLine[] {
  const line = (name: string, value: string): DetailLine => ({
    name,
    value: withoutControls(value),
  });
  const parts = platforms.map(
    ({ platform, digest, bytes, layers, labels, examined }): DetailLine => ({
      name: withoutControls(platform || "artifact"),
      value: [
        line("Digest", digest),
        line("Size", `${sizeText(bytes)} in ${countText(layers.length, "layer")}`),
        line("SBOMs", String(examined.sboms)),
        line("Findings", foundText(examined)),
        ...Object.entries(labels).map(([name, value]) =>
          line(`Label ${withoutControls(name)}`, value),
        ),
      ],
    }),
  );
  return [
    line("Image", image),
    line("Tags", tags.join(", ") || "none"),
    ...(movedBy ? [line("Tagged by", movedBy)] : []),
    { name: "Platforms", value: parts },
    line("Signatures", verdicts.map((one) => verdictText(one)).join(", ") || "none that counts"),
  ];
}

/** Cells about the image of a tag: what the platform knows about it in short, or a dash. */
import { Link } from "wouter-preact";
import type { FindingCounts, ImagePlatform } from "../../client/index.ts";
import { useImageSummary } from "../data/image_summaries.ts";
import { useMay } from "../data/may.ts";
import { Badge } from "../elements/badge.tsx";
import { formatBytes, formatCount } from "../elements/bytes.ts";
import { exactTime } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";

interface ImageProps {
  repoUid: string;
  digest: string | undefined;
}

const Dash = ({ why }: { why: string }) => (
  <span class="pale" title={why}>
    –
  </span>
);

/** Such as `amd64` or `linux/arm/v7`. Linux goes without saying. */
function platformName({ os, architecture }: ImagePlatform): string {
  const name = architecture || "unknown";
  return os && os !== "linux" ? `${os}/${name}` : name;
}

const sizeText = ({ size }: ImagePlatform) =>
  Number(size) > 0 ? formatBytes(size) : "size not known";

export function Platforms({ repoUid, digest }: ImageProps) {
  const summary = useImageSummary(repoUid, digest);
  if (summary === undefined) return <span class="bar" />;
  const platforms = (summary?.platforms ?? []).filter(({ architecture }) => architecture);
  if (platforms.length === 0) return <Dash why="The platforms are not known" />;
  return <span title={listOf(platforms)}>{platforms.map(platformName).join(", ")}</span>;
}

const listOf = (platforms: readonly ImagePlatform[]) =>
  platforms.map((platform) => `${platformName(platform)}: ${sizeText(platform)}`).join("\n");

/** The size of an image for `amd64`, otherwise for its first platform. */
export function ImageSize({ repoUid, digest }: ImageProps) {
  const summary = useImageSummary(repoUid, digest);
  if (summary === undefined) return <span class="bar" />;
  const known = (summary?.platforms ?? []).filter(({ size }) => Number(size) > 0);
  const shown = known.find(({ architecture }) => architecture === "amd64") ?? known[0];
  if (!shown) return <Dash why="The size is not known" />;
  return <span title={listOf(known)}>{formatBytes(shown.size)}</span>;
}

const severities = [
  ["critical", "C"],
  ["high", "H"],
  ["medium", "M"],
  ["low", "L"],
  ["negligible", "N"],
  ["unknown", "U"],
] as const;

/** The numbers of the worst severities, or that no one has scanned the image. They lead to the findings of the image. */
export function Findings({ repoUid, digest }: ImageProps) {
  const summary = useImageSummary(repoUid, digest);
  const isVisible = useMay(repoUid).may("CAP_VULN_REPORT_LIST");
  if (summary === undefined) return <span class="bar" />;
  if (!summary || digest === undefined || isVisible === false)
    return <Dash why="The scans are not known, or you may not see them" />;
  const { findings } = summary;
  const address = addresses.image(repoUid, digest, { view: "vulnerabilities" });
  if (!findings)
    return (
      <Link class="pale" href={address} title="No scan report is stored. See how to store one">
        Not scanned
      </Link>
    );
  const present = severities.filter(([severity]) => Number(findings[severity]) > 0);
  const words = wordsOf(findings, present);
  return (
    <Link class="repositories-findings" href={address} title={words}>
      <span class="out-of-sight">{words}</span>
      <span class="repositories-counts" aria-hidden="true">
        {present.length === 0 ? (
          <Badge tone="good">None</Badge>
        ) : (
          present.slice(0, 3).map(([severity, letter]) => (
            <span key={severity} class={`badge severity-${severity}`}>
              {letter} {formatCount(findings[severity] ?? 0)}
            </span>
          ))
        )}
      </span>
    </Link>
  );
}

function wordsOf(
  findings: FindingCounts,
  present: readonly (readonly [(typeof severities)[number][0], string])[],
): string {
  const counts = present.map(([severity]) => `${formatCount(findings[severity] ?? 0)} ${severity}`);
  const what = counts.length === 0 ? "No findings" : counts.join(", ");
  return findings.scanTime ? `${what}. Scanned ${exactTime(findings.scanTime)}` : what;
}

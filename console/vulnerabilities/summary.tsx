/** A vulnerability in a few lines: its severity, its other ids, its scores, its fixes, and the words of others about it. */
import type { Advisory, Finding } from "../../client/index.ts";
import { severityRank } from "../data/severities.ts";
import { Severity } from "../elements/badge.tsx";
import { Facts, Section } from "../elements/page.tsx";
import { baseScore } from "./cvss.ts";
import { Description, useWords, type Words } from "./description.tsx";

interface KnownProps {
  /** The ids of the vulnerability. The first one is that of the page. */
  ids: readonly string[];
  findings: readonly Finding[];
  advisories: readonly Advisory[];
}

/** The section. Nothing if nothing is known, as for an id that no one has published. */
export function Summary({ ids, findings, advisories }: KnownProps) {
  const words = useWords(ids, advisories);
  const isKnown = findings.length > 0 || advisories.length > 0 || words;
  if (!isKnown) return null;
  return (
    <Section title="Summary">
      <Lines ids={ids} findings={findings} advisories={advisories} words={words} />
      {words && <Description words={words} />}
    </Section>
  );
}

const scoreNames: Record<string, string> = {
  TYPE_CVSS_V2: "CVSS 2",
  TYPE_CVSS_V3: "CVSS 3",
  TYPE_CVSS_V4: "CVSS 4",
};

interface LinesProps extends KnownProps {
  words: Words | null | undefined;
}

function Lines({ ids: [id = ""], findings, advisories, words }: LinesProps) {
  const [worst] = findings.toSorted((a, b) => severityRank(a.severity) - severityRank(b.severity));
  const names = new Set([
    ...findings.flatMap(({ vulnerabilityId = "", aliases = [] }) => [vulnerabilityId, ...aliases]),
    ...advisories.flatMap(({ aliases = [], advisoryId = "" }) => [...aliases, advisoryId]),
  ]);
  const others = [...names]
    .sort()
    .filter((other) => other !== "" && other.toUpperCase() !== id.toUpperCase());
  const rated = advisories.flatMap(({ severities = [] }) => severities);
  const scores = new Map(
    [...rated, ...(words?.severities ?? [])].map(({ type = "", score = "" }) => [
      score,
      scoreNames[type] ?? "Score",
    ]),
  );
  const fixes = fixesOf(findings, words?.fixes ?? []);
  return (
    <Facts
      facts={[
        ["Severity", worst && <Severity severity={worst.severity ?? ""} />],
        ["Also known as", others.length > 0 && <bdi>{others.join(", ")}</bdi>],
        ...[...scores].map(([score, name]) => [name, <Score key={score} score={score} />] as const),
        ["Fixed in", fixes !== "" && <bdi>{fixes}</bdi>],
      ]}
    />
  );
}

/** The fixes that show. A record can have many. */
const maxFixes = 20;

/** Such as `log4j-core 2.15.0`. The record counts if the images say nothing, because it names packages in its own way. */
function fixesOf(findings: readonly Finding[], recorded: Words["fixes"]): string {
  const found = findings.flatMap(({ package: affected, fixedVersions = [] }) =>
    fixedVersions.map((version) => `${affected?.name ?? ""} ${version}`),
  );
  const all = found.length > 0 ? found : recorded.map(([name, version]) => `${name} ${version}`);
  const distinct = [...new Set(all)];
  const left = distinct.length - maxFixes;
  return distinct.slice(0, maxFixes).join(", ") + (left > 0 ? `, and ${left} more` : "");
}

function Score({ score }: { score: string }) {
  const base = baseScore(score);
  return (
    <>
      {base !== undefined && <strong>{base.toFixed(1)} </strong>}
      <code>{score}</code>
    </>
  );
}

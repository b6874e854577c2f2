/** The properties of two images, the layers that they have in common, and the contents that differ. */
import type { ComponentChildren } from "preact";
import { Link } from "wouter-preact";
import type { ImageContents, ImageSummary } from "../../client/index.ts";
import { useParameters } from "../data/parameters.ts";
import { formatBytes, formatCount } from "../elements/bytes.ts";
import { Digest } from "../elements/copy.tsx";
import { SelectField } from "../elements/fields.tsx";
import { Section } from "../elements/page.tsx";
import { Loading } from "../elements/states.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { buildSteps, factsOf, isUnset } from "../images/documents.ts";
import { type ImageAddress, useContents, useSummaries } from "../images/use_image.ts";
import { ContentDifferences } from "../timeline/differences.tsx";
import { namesOf, platformFor, platformsOf } from "../timeline/platforms.ts";
import { commonLayers } from "./layers.ts";
import type { Side } from "./sides.ts";

type Known = Side & { image: ImageAddress };

interface Sides {
  first: Known;
  second: Known;
}

/** The image of one platform of a side. For an image of one platform, it is the same. */
interface Part extends Known {
  /** Undefined if the person may not see it. */
  summary: ImageSummary | undefined;
  own: ImageAddress;
}

export function Comparison({ first, second }: Sides) {
  const { get, set } = useParameters();
  const queries = [useSummary(first), useSummary(second)] as const;
  const [one, other] = [summaryOf(queries[0], first), summaryOf(queries[1], second)];
  const sides = [platformsOf(one?.platforms), platformsOf(other?.platforms)];
  const names = namesOf(sides);
  const platform = platformFor(get("platform"), sides);
  const partOf = (side: Known, summary: ImageSummary | undefined, at: number): Part => {
    const digest = sides[at]?.find(({ name }) => name === platform)?.digest ?? side.image.digest;
    return { ...side, summary, own: { repo: side.image.repo, digest } };
  };
  const parts = [partOf(first, one, 0), partOf(second, other, 1)] as const;
  if (first.image.digest === second.image.digest)
    return <p>Both are the same image. Choose another one to see what differs.</p>;
  if (queries.some(({ isPending }) => isPending)) return <Loading lines={8} />;
  return (
    <>
      {names.length > 1 && (
        <div class="compare-platform">
          <SelectField
            label="Platform"
            value={platform}
            options={names.map((name) => [name, name] as const)}
            onChange={(name) => set({ platform: name })}
          />
        </div>
      )}
      <Section title="Images">
        <Lines parts={parts} />
      </Section>
      <Section title="Contents">
        <ContentDifferences before={placeOf(parts[0])} after={placeOf(parts[1])} />
      </Section>
    </>
  );
}

/** The index can have an SBOM or a report too, if the platform has none. */
const placeOf = ({ image: { repo, digest }, own }: Part) => ({
  repo,
  digests: own.digest === digest ? [digest] : [own.digest, digest],
});

const useSummary = ({ image: { repo, digest } }: Known) => useSummaries(repo, [digest]);

const summaryOf = ({ data }: ReturnType<typeof useSummary>, { image: { digest } }: Known) =>
  data?.get(digest);

/** The lines of the table. Each has a value for both images. */
function Lines({ parts }: { parts: readonly [Part, Part] }) {
  const [first, second] = parts;
  const isKnown = (part: Part) => part.repoName !== "";
  const contents = [
    useContents(first.own, first.repoName, isKnown(first)).data,
    useContents(second.own, second.repoName, isKnown(second)).data,
  ] as const;
  const line = (title: string, cell: (part: Part, at: 0 | 1) => ComponentChildren) => (
    <tr>
      <th scope="row">{title}</th>
      <td>{cell(first, 0)}</td>
      <td>{cell(second, 1)}</td>
    </tr>
  );
  return (
    <table class="compare-lines">
      <thead>
        <tr>
          <th scope="col">
            <span class="out-of-sight">Property</span>
          </th>
          {parts.map(({ name, tag, image }) => (
            <th scope="col" key={`${tag} ${image.digest}`}>
              <Link href={tag ? addresses.tag(tag) : addresses.image(image.repo, image.digest)}>
                <bdi>{name}</bdi>
              </Link>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {line("Digest", ({ image }) => (
          <Digest digest={image.digest} />
        ))}
        {line("Built", (_, at) => builtText(contents[at]))}
        {line("Size to pull", (part) => sizeText(part))}
        {line("Platforms", ({ summary }) => platformsText(summary))}
        <tr>
          <th scope="row">Layers in common</th>
          <td colSpan={2}>{layersText(contents)}</td>
        </tr>
      </tbody>
    </table>
  );
}

const notKnown = <span class="pale">not known</span>;

function builtText(contents: ImageContents | null | undefined): ComponentChildren {
  const created = contents ? factsOf(contents).created : undefined;
  if (created === undefined) return notKnown;
  return isUnset(created) ? "not recorded" : <Time time={created} />;
}

function sizeText({ summary, own }: Part): ComponentChildren {
  const size = summary?.platforms?.find(({ digest }) => digest === own.digest)?.size;
  return Number(size ?? 0) > 0 ? formatBytes(size) : notKnown;
}

const platformsText = (summary: ImageSummary | undefined): ComponentChildren =>
  namesOf([platformsOf(summary?.platforms)]).join(", ") || notKnown;

function layersText(
  contents: readonly [ImageContents | null | undefined, ImageContents | null | undefined],
): ComponentChildren {
  const [first, second] = contents;
  if (!first || !second) return notKnown;
  const layersOf = (of: ImageContents) => buildSteps(of).flatMap(({ layer }) => layer ?? []);
  const shared = commonLayers(layersOf(first), layersOf(second));
  const { common, bytes } = shared;
  const all = `${formatCount(shared.first)} and ${formatCount(shared.second)} layers`;
  return `${formatCount(common)}, with ${formatBytes(bytes)}. The images have ${all}.`;
}

/** The manifests of an index. */
import { Link } from "wouter-preact";
import type { ImageContents, ImageSummary } from "../../client/index.ts";
import { formatBytes } from "../elements/bytes.ts";
import { Digest } from "../elements/copy.tsx";
import { SeverityCounts } from "../elements/finding_marks.tsx";
import { Section } from "../elements/page.tsx";
import { Empty } from "../elements/states.tsx";
import { type Column, rowsOf, Table } from "../elements/table.tsx";
import { addresses } from "../frame/addresses.ts";
import { type Part, partsOf } from "./documents.ts";
import { type ImageAddress, useSummaries } from "./use_image.ts";

/** The platforms come before the attestations. */
export function Platforms({ image, contents }: { image: ImageAddress; contents: ImageContents }) {
  const parts = partsOf(contents);
  const platforms = parts.filter(({ platform }) => platform !== undefined);
  const others = parts.filter(({ platform }) => platform === undefined);
  const { data } = useSummaries(
    image.repo,
    platforms.map(({ digest }) => digest),
  );
  return (
    <Section title="Platforms">
      <Table
        label="Platforms"
        columns={columnsOf(image, data)}
        rows={rowsOf([...platforms, ...others])}
        keyOf={({ digest, platform }) => `${digest} ${platform}`}
        empty={<Empty title="The index is empty" />}
      />
    </Section>
  );
}

/** The columns of the table of platforms. */
function columnsOf(
  { repo, digest: index }: ImageAddress,
  summaries: Map<string, ImageSummary> | undefined,
): Column<Part>[] {
  return [
    {
      title: "Platform",
      cell: ({ digest, platform, about }) => (
        <Link href={addresses.image(repo, digest, { index })}>
          <bdi>{platform ?? (about === undefined ? "no platform" : "attestation")}</bdi>
        </Link>
      ),
    },
    { title: "Digest", width: "14rem", from: "medium", cell: (row) => <Digest {...row} /> },
    {
      title: "Size to pull",
      width: "7rem",
      align: "end",
      cell: ({ digest }) => {
        const size = Number(summaries?.get(digest)?.platforms?.[0]?.size ?? 0);
        return size > 0 ? formatBytes(size) : <span class="pale">unknown</span>;
      },
    },
    {
      title: "Vulnerabilities",
      width: "minmax(8rem, 2fr)",
      from: "medium",
      cell: ({ digest, platform }) => {
        if (platform === undefined) return null;
        const findings = summaries?.get(digest)?.findings;
        return (
          <Link
            class="images-counts"
            href={addresses.image(repo, digest, { view: "vulnerabilities", index })}
          >
            {findings ? <SeverityCounts counts={findings} /> : "Not scanned"}
          </Link>
        );
      },
    },
  ];
}

/** Manifests that refer to an image: signatures, SBOMs, scan reports and whatever else people attach. */
import { useQuery } from "@tanstack/preact-query";
import { Link } from "wouter-preact";
import type { Referrer, Tag } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import { parentOf } from "../data/uids.ts";
import { formatBytes, formatCount } from "../elements/bytes.ts";
import { Digest } from "../elements/copy.tsx";
import { Section } from "../elements/page.tsx";
import { Answer, Empty } from "../elements/states.tsx";
import { type Column, rowsOf, Table } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import type { ViewProps } from "./part_links.tsx";
import { useManifest } from "./use_image.ts";
import { Verdicts } from "./verdicts.tsx";

/** More are not read. */
const maxReferrers = 1_000;

export function Attachments({ image, name }: ViewProps) {
  const client = useClient();
  const { repo, digest } = image;
  const { data: manifest } = useManifest(image);
  const referrers = useQuery({
    queryKey: ["referrers", repo, digest],
    queryFn: () => readReferrers(client.referrers(`${parentOf(repo)}/${name}@${digest}`)),
  });
  const tags = useQuery({
    queryKey: ["tags", { repo, attachedTo: digest }],
    queryFn: () => {
      const namePrefix = `${digest.replace(":", "-")}.`;
      return client.tags.list({ childrenOf: repo, namePrefix, includeReferrers: true }).all(20);
    },
  });
  return (
    <>
      {manifest && <Verdicts manifest={manifest} />}
      <Section title="Attachments">
        <Answer query={referrers} lines={6}>
          {(rows) => (
            <>
              <Table
                label="Attachments"
                columns={columnsOf(repo)}
                rows={rowsOf(rows)}
                keyOf={(row) => row.digest}
                empty={<NoAttachments />}
              />
              {rows.length === maxReferrers && (
                <p class="pale">Only the first {formatCount(maxReferrers)} are shown.</p>
              )}
            </>
          )}
        </Answer>
      </Section>
      {tags.data && tags.data.length > 0 && (
        <Section title="Attached by a tag">
          <p class="pale">Older tools attach with a tag that contains the digest.</p>
          <Table
            label="Attached by a tag"
            columns={tagColumns(repo)}
            rows={rowsOf(tags.data)}
            keyOf={({ uid }) => uid}
            empty={null}
          />
        </Section>
      )}
    </>
  );
}

async function readReferrers(referrers: AsyncIterable<Referrer>): Promise<Referrer[]> {
  const rows: Referrer[] = [];
  for await (const referrer of referrers) if (rows.push(referrer) >= maxReferrers) break;
  return rows;
}

function NoAttachments() {
  return (
    <Empty title="Nothing is attached to this image">
      <p>
        Tools attach signatures, SBOMs and scan reports when they push them. Read{" "}
        <a href="/docs/push-and-pull">what the platform does with them</a>.
      </p>
    </Empty>
  );
}

/** The meanings of the most frequent types. */
const meanings: [RegExp, string][] = [
  [/cyclonedx/, "SBOM (CycloneDX)"],
  [/spdx/, "SBOM (SPDX)"],
  [/openvex/, "VEX (OpenVEX)"],
  [/grype/, "Scan report"],
  [/sigstore\.bundle|cosign.*sig|notary\.signature/, "Signature"],
  [/in-toto|dsse/, "Attestation"],
  [/helm/, "Helm chart"],
];

const meaningOf = ({ artifactType = "" }: Referrer) =>
  meanings.find(([type]) => type.test(artifactType))?.[1];

const createdOf = ({ annotations }: Referrer): string | undefined => {
  const created = annotations?.["org.opencontainers.image.created"];
  return created !== undefined && Date.parse(created) > 0 ? created : undefined;
};

const columnsOf = (repo: string): Column<Referrer>[] => [
  {
    title: "Kind",
    width: "minmax(9.5rem, 1fr)",
    cell: (row) => (
      <Link href={addresses.image(repo, row.digest)}>
        <bdi>{meaningOf(row) ?? row.artifactType ?? "Unknown"}</bdi>
      </Link>
    ),
  },
  {
    title: "Artifact type",
    width: "minmax(9rem, 1.5fr)",
    from: "wide",
    cell: ({ artifactType, mediaType }) => (
      <code title={artifactType ?? mediaType}>{artifactType ?? mediaType}</code>
    ),
  },
  { title: "Digest", width: "14rem", from: "medium", cell: (row) => <Digest {...row} /> },
  { title: "Size", width: "5rem", align: "end", cell: ({ size }) => formatBytes(size) },
  {
    title: "Created",
    width: "8rem",
    from: "medium",
    cell: (row) => <Time time={createdOf(row)} absent="not recorded" />,
  },
];

const tagColumns = (repo: string): Column<Tag>[] => [
  {
    title: "Tag",
    width: "minmax(10rem, 2fr)",
    cell: ({ name, digest = "" }) => (
      <Link href={addresses.image(repo, digest)}>
        <bdi title={name}>{name}</bdi>
      </Link>
    ),
  },
  { title: "Moved", width: "8rem", cell: ({ updateTime }) => <Time time={updateTime} /> },
];

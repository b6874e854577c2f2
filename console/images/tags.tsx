/** The tags that point to an image now, and when tags began and ceased to. */
import { Link } from "wouter-preact";
import type { RecordedTagMove, Tag } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import { useUncountedRows } from "../data/rows.ts";
import { Badge } from "../elements/badge.tsx";
import { Digest } from "../elements/copy.tsx";
import { Section } from "../elements/page.tsx";
import { Answer } from "../elements/states.tsx";
import { type Column, rowsOf, Table } from "../elements/table.tsx";
import { Mover } from "../elements/tag_moves.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import type { ViewProps } from "./part_links.tsx";
import { type ImageAddress, useIndex, useTagsNow } from "./use_image.ts";

export function ImageTags({ image }: ViewProps) {
  const tags = useTagsNow(image);
  const index = useIndex(image);
  return (
    <>
      {index && (
        <p class="pale">
          This image is one platform of an{" "}
          <Link href={addresses.image(image.repo, index, { view: "tags" })}>index</Link>, which has
          tags of its own.
        </p>
      )}
      <Section title="Tags that point here now">
        <Answer query={tags}>
          {(loaded) => (
            <Table
              label="Tags"
              columns={tagColumns}
              rows={rowsOf(loaded)}
              keyOf={({ uid }) => uid}
              empty={<p class="pale">No tag points here now.</p>}
            />
          )}
        </Answer>
      </Section>
      <Section title="When tags pointed here">
        <Moves image={image} />
      </Section>
    </>
  );
}

const tagColumns: Column<Tag>[] = [
  {
    title: "Tag",
    cell: ({ uid, name, deprecated }) => (
      <>
        <Link href={addresses.tag(uid)}>
          <bdi>{name}</bdi>
        </Link>{" "}
        {deprecated && <Badge tone="warn">End of life</Badge>}
      </>
    ),
  },
  { title: "Since", width: "9rem", cell: ({ updateTime }) => <Time time={updateTime} /> },
];

function Moves({ image: { repo, digest } }: { image: ImageAddress }) {
  const client = useClient();
  const rows = useUncountedRows<RecordedTagMove>({
    key: ["tags", "moves", { repo, digest }],
    list: (position) => client.tagHistory.listTagMoves({ childrenOf: repo, digest, ...position }),
  });
  return (
    <Table
      label="Moves of tags to this image and away from it"
      columns={moveColumns(repo, digest)}
      rows={rows}
      keyOf={({ tag, updateTime }) => `${tag} ${updateTime}`}
      empty={<p class="pale">No tag has ever pointed here.</p>}
    />
  );
}

const moveColumns = (repo: string, digest: string): Column<RecordedTagMove>[] => [
  {
    title: "When",
    width: "minmax(5rem, 8rem)",
    cell: ({ updateTime }) => <Time time={updateTime} />,
  },
  { title: "Tag", width: "minmax(4rem, 1fr)", cell: ({ tag }) => <bdi title={tag}>{tag}</bdi> },
  {
    title: "What happened",
    width: "minmax(7rem, 2fr)",
    cell: (move) => <WhatHappened move={move} repo={repo} digest={digest} />,
  },
  {
    title: "By",
    width: "minmax(6rem, 1fr)",
    from: "medium",
    cell: (move) => <Mover move={move} />,
  },
];

function WhatHappened({
  move,
  repo,
  digest,
}: {
  move: RecordedTagMove;
  repo: string;
  digest: string;
}) {
  const { kind, digest: after = "", previousDigest: before = "" } = move;
  if (after === digest) {
    if (kind === "TAG_MOVE_KIND_CREATED") return <>Created here</>;
    return (
      <>
        {kind === "TAG_MOVE_KIND_ROLLED_BACK" ? "Rolled back to here" : "Moved here"}
        {before !== "" && <Other verb="from" repo={repo} digest={before} />}
      </>
    );
  }
  if (after === "") return <>Deleted</>;
  return (
    <>
      Moved away
      <Other verb="to" repo={repo} digest={after} />
    </>
  );
}

function Other({ verb, repo, digest }: { verb: string; repo: string; digest: string }) {
  return (
    <>
      {" "}
      <Link href={addresses.image(repo, digest)}>{verb}</Link> <Digest digest={digest} />
    </>
  );
}

/** The columns of the table of tags. */
import { Link, useLocation } from "wouter-preact";
import type { Tag, TagReplacement } from "../../client/index.ts";
import { shortDigest } from "../data/digests.ts";
import type { Permissions } from "../data/may.ts";
import { refusalOf } from "../data/refusals.ts";
import { CopyButton } from "../elements/copy.tsx";
import { Icon } from "../elements/icon.tsx";
import { Menu } from "../elements/menu.tsx";
import type { Column } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { EndOfLifeMark } from "./end_of_life_mark.tsx";
import { Findings, ImageSize, Platforms } from "./image_cells.tsx";

interface Shown {
  repoUid: string;
  /** The replacement of each tag at the end of its life that has one, by the uid of the tag. */
  replacements: ReadonlyMap<string, TagReplacement | undefined>;
  permissions: Permissions;
  /** Whether the list is a search, which can only be sorted by name. */
  isSearch: boolean;
  onPull: (tag: Tag) => void;
  onDelete: (tag: Tag) => void;
  onDeprecate: (tag: Tag) => void;
}

export function tagColumns(shown: Shown): Column<Tag>[] {
  const { repoUid, replacements, isSearch } = shown;
  return [
    {
      title: "Tag",
      sort: "name",
      width: "minmax(6rem, 2fr)",
      cell: (tag) => <TagName tag={tag} replacement={replacements.get(tag.uid)} />,
    },
    {
      title: "Digest",
      width: "11.5rem",
      from: "medium",
      cell: ({ digest }) => <ImageLink repoUid={repoUid} digest={digest} />,
    },
    {
      title: "Findings",
      width: "9.5rem",
      from: "medium",
      cell: ({ digest }) => <Findings repoUid={repoUid} digest={digest} />,
    },
    {
      title: "Platforms",
      width: "minmax(7rem, 1fr)",
      from: "wide",
      cell: ({ digest }) => <Platforms repoUid={repoUid} digest={digest} />,
    },
    {
      title: "Size",
      align: "end",
      width: "4.75rem",
      from: "wide",
      cell: ({ digest }) => <ImageSize repoUid={repoUid} digest={digest} />,
    },
    {
      title: "Changed",
      ...(isSearch ? {} : { sort: "update_time" }),
      width: "8rem",
      cell: ({ updateTime }) => <Time time={updateTime} />,
    },
    {
      title: "Actions",
      isTitleHidden: true,
      width: "1.75rem",
      cell: (tag) => <TagMenu tag={tag} shown={shown} />,
    },
  ];
}

/** The name with a link to the life of the tag, and the mark of its end with what replaces it. */
function TagName({
  tag: { uid, name, deprecated },
  replacement,
}: {
  tag: Tag;
  replacement: TagReplacement | undefined;
}) {
  return (
    <span class="repositories-name">
      <Link href={addresses.tag(uid)}>
        <bdi>{name}</bdi>
      </Link>
      {deprecated && <EndOfLifeMark replacement={replacement?.tag} />}
      {deprecated && replacement?.uid && (
        <span class="repositories-more pale">
          use{" "}
          <Link href={addresses.tag(replacement.uid)}>
            <bdi>{replacement.tag}</bdi>
          </Link>
        </span>
      )}
    </span>
  );
}

/** A digest that leads to its image, and can be copied. */
export function ImageLink({ repoUid, digest }: { repoUid: string; digest: string | undefined }) {
  if (!digest)
    return (
      <span class="pale" title="The tag points to no image yet">
        –
      </span>
    );
  return (
    <span class="copyable">
      <Link href={addresses.image(repoUid, digest)}>
        <code title={digest}>{shortDigest(digest)}</code>
      </Link>
      <CopyButton text={digest} what="digest" />
    </span>
  );
}

const target = "this repository";

function TagMenu({ tag, shown }: { tag: Tag; shown: Shown }) {
  const [, navigate] = useLocation();
  const { permissions, onPull, onDelete, onDeprecate } = shown;
  const isWithoutImage = tag.digest === undefined ? "It points to no image yet." : undefined;
  const mayCreate = refusalOf(permissions, target, "CAP_TAG_CREATE");
  return (
    <Menu
      quiet
      label={`Actions for ${tag.name}`}
      actions={[
        {
          text: "Open the image",
          run: () => navigate(addresses.image(shown.repoUid, tag.digest ?? "")),
          refusal: isWithoutImage,
        },
        { text: "Pull", run: () => onPull(tag), refusal: isWithoutImage },
        {
          text: tag.deprecated ? "Remove the end of life" : "Mark as end of life",
          run: () => onDeprecate(tag),
          refusal: isWithoutImage ?? mayCreate,
        },
        {
          text: "Delete",
          danger: true,
          run: () => onDelete(tag),
          refusal: refusalOf(permissions, target, "CAP_TAG_DELETE"),
        },
      ]}
    >
      <Icon name="more" />
    </Menu>
  );
}

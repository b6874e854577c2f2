/** The columns of the list of repositories. */
import { Link } from "wouter-preact";
import type { EndOfLifeTag, Repo } from "../../client/index.ts";
import { useGroup } from "../data/group.ts";
import { useMay } from "../data/may.ts";
import { refusalOf } from "../data/refusals.ts";
import { parentOf } from "../data/uids.ts";
import { formatBytes, formatCount } from "../elements/bytes.ts";
import { Icon } from "../elements/icon.tsx";
import { Menu } from "../elements/menu.tsx";
import { useNotify } from "../elements/notices.tsx";
import type { Column } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { EndOfLifeMark } from "./end_of_life_mark.tsx";

interface Shown {
  /** The uid of the group that the list is about. */
  group: string;
  /** Undefined while they are on their way. */
  sizes: { bytes: ReadonlyMap<string, number>; below: number | undefined } | undefined;
  endOfLife: { tags: readonly EndOfLifeTag[]; isComplete: boolean } | undefined;
  /** Whether the list is a search, which can only be sorted by name. */
  isSearch: boolean;
  onDelete: (repo: Repo) => void;
}

/** Returns the columns with what is known about the repositories. */
export function repositoryColumns(shown: Shown): Column<Repo>[] {
  const counts = new Map<string, number>();
  for (const { repoUid = "" } of shown.endOfLife?.tags ?? [])
    counts.set(repoUid, (counts.get(repoUid) ?? 0) + 1);
  const sort = (field: string) => (shown.isSearch ? {} : { sort: field });
  return [
    {
      title: "Name",
      sort: "name",
      width: "minmax(9rem, 2fr)",
      cell: ({ uid, name }) => (
        <span class="repositories-name">
          <Link href={addresses.repository(uid)}>
            <bdi>{name}</bdi>
          </Link>
          {parentOf(uid) !== shown.group && <GroupName uid={parentOf(uid)} />}
          <EndOfLifeLink uid={uid} count={counts.get(uid) ?? 0} />
        </span>
      ),
    },
    {
      title: "Description",
      from: "medium",
      width: "minmax(8rem, 3fr)",
      cell: ({ description }) =>
        description ? <bdi title={description}>{description}</bdi> : <span class="pale">–</span>,
    },
    {
      title: "Size",
      align: "end",
      width: "5.5rem",
      from: "medium",
      cell: ({ uid }) => <Size uid={uid} sizes={shown.sizes} />,
    },
    {
      title: "Created",
      ...sort("create_time"),
      from: "wide",
      width: "8rem",
      cell: ({ createTime }) => <Time time={createTime} />,
    },
    {
      title: "Changed",
      ...sort("update_time"),
      width: "7.5rem",
      cell: ({ updateTime }) => <Time time={updateTime} />,
    },
    {
      title: "Actions",
      isTitleHidden: true,
      width: "1.75rem",
      cell: (repo) => <RepoMenu repo={repo} onDelete={() => shown.onDelete(repo)} />,
    },
  ];
}

/** The group of a repository that is not in the group of the list itself. */
function GroupName({ uid }: { uid: string }) {
  const { data: group } = useGroup(uid);
  if (!group) return null;
  return (
    <span class="repositories-group pale">
      in <bdi title={group.name}>{group.name}</bdi>
    </span>
  );
}

/** The number of tags at the end of their life, with a link to them. */
function EndOfLifeLink({ uid, count }: { uid: string; count: number }) {
  if (count === 0) return null;
  return (
    <Link
      class="repositories-mark-link"
      href={addresses.repository(uid, undefined, { show: "end-of-life" })}
      title="Tags that get no new builds"
    >
      <EndOfLifeMark count={formatCount(count)} />
    </Link>
  );
}

function Size({ uid, sizes }: { uid: string; sizes: Shown["sizes"] }) {
  if (sizes === undefined) return <span class="pale">–</span>;
  const bytes = sizes.bytes.get(uid);
  if (bytes !== undefined) return <>{formatBytes(bytes)}</>;
  if (sizes.below === undefined)
    return (
      <span class="pale" title="No image was pushed to it">
        empty
      </span>
    );
  return <span class="pale">{`< ${formatBytes(sizes.below)}`}</span>;
}

function RepoMenu({ repo: { uid, name }, onDelete }: { repo: Repo; onDelete: () => void }) {
  const permissions = useMay(parentOf(uid));
  const notify = useNotify();
  return (
    <Menu
      quiet
      label={`Actions for ${name}`}
      actions={[
        {
          text: "Copy the uid",
          run: async () => {
            await navigator.clipboard.writeText(uid);
            notify({ text: `Copied the uid of ${name}.` });
          },
        },
        {
          text: "Delete",
          danger: true,
          run: onDelete,
          refusal: refusalOf(permissions, "its group", "CAP_REPO_DELETE"),
        },
      ]}
    >
      <Icon name="more" />
    </Menu>
  );
}

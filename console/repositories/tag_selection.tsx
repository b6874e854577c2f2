/** The tags that the person has selected in the table, and what they can do with them. */
import { useMemo, useState } from "preact/hooks";
import type { Repo, Tag } from "../../client/index.ts";
import type { Permissions } from "../data/may.ts";
import { refusalOf } from "../data/refusals.ts";
import type { RowWindow } from "../data/rows.ts";
import { Button } from "../elements/button.tsx";
import { formatCount } from "../elements/bytes.ts";
import type { Column } from "../elements/table.tsx";
import { countTags, DeleteTagsDialog, EndOfLifeDialog } from "./bulk_dialog.tsx";

/** The most tags of one action. Each is a call or two. */
const maxTags = 200;

/** The selected tags by their uids. */
export interface Selection {
  tags: ReadonlyMap<string, Tag>;
  select: (tags: readonly Tag[]) => void;
}

const none: ReadonlyMap<string, Tag> = new Map();

/** `filters` is the choice of the rows. Another choice selects nothing, because the rows of the old one can be hidden. */
export function useSelection(filters: object): Selection {
  const key = JSON.stringify(filters);
  const [state, setState] = useState({ key, tags: none });
  const tags = state.key === key ? state.tags : none;
  return useMemo(
    () => ({
      tags,
      select: (chosen) => setState({ key, tags: new Map(chosen.map((tag) => [tag.uid, tag])) }),
    }),
    [tags, key],
  );
}

/** Whether the person can do anything with selected tags. */
export const maySelect = ({ may }: Permissions): boolean =>
  may("CAP_TAG_DELETE") === true || may("CAP_TAG_CREATE") === true;

/** The column with a box in each row. */
export const selectionColumn = ({ tags, select }: Selection): Column<Tag> => ({
  title: "Selected",
  isTitleHidden: true,
  width: "1.5rem",
  cell: (tag) => (
    <input
      type="checkbox"
      class="repositories-select"
      aria-label={`Select ${tag.name}`}
      checked={tags.has(tag.uid)}
      onChange={({ currentTarget }) => {
        const others = [...tags.values()].filter(({ uid }) => uid !== tag.uid);
        select(currentTarget.checked ? [...others, tag] : others);
      }}
    />
  ),
});

interface BarProps {
  repo: Repo;
  rows: RowWindow<Tag>;
  selection: Selection;
  permissions: Permissions;
}

/** The rows that have arrived, as many as an action can have. */
function loadedRows({ count, row }: RowWindow<Tag>): Tag[] {
  const loaded: Tag[] = [];
  for (let index = 0; index < count && loaded.length < maxTags; index += 1) {
    const tag = row(index);
    if (tag) loaded.push(tag);
  }
  return loaded;
}

export function SelectionBar({ repo, rows, selection, permissions }: BarProps) {
  const [task, setTask] = useState<"delete" | "end of life">();
  // The dialog keeps its tags while the table below changes.
  const [chosen, setChosen] = useState<readonly Tag[]>([]);
  const { tags, select } = selection;
  const count = tags.size;
  const tooMany = count > maxTags ? `Select at most ${formatCount(maxTags)} tags.` : undefined;
  const refusal = (capability: "CAP_TAG_DELETE" | "CAP_TAG_CREATE") =>
    tooMany ?? refusalOf(permissions, "this repository", capability);
  const begin = (next: "delete" | "end of life") => {
    setChosen([...tags.values()]);
    setTask(next);
  };
  const dialog = { repo, tags: chosen, onTried: select, onClose: () => setTask(undefined) };
  return (
    <>
      <fieldset class="toolbar repositories-selection" aria-label="Selected tags">
        <Button onClick={() => select(loadedRows(rows))}>Select all shown</Button>
        {count > 0 && (
          <>
            <Button onClick={() => select([])}>Select none</Button>
            <Button
              kind="danger"
              refusal={refusal("CAP_TAG_DELETE")}
              onClick={() => begin("delete")}
            >
              Delete {countTags(count)}
            </Button>
            <Button refusal={refusal("CAP_TAG_CREATE")} onClick={() => begin("end of life")}>
              Mark {countTags(count)} as end of life
            </Button>
          </>
        )}
        <span class="out-of-sight" role="status">
          {count > 0 && `${countTags(count)} selected`}
        </span>
      </fieldset>
      {task === "delete" && <DeleteTagsDialog {...dialog} />}
      {task === "end of life" && <EndOfLifeDialog {...dialog} />}
    </>
  );
}

/** Checks what the platform reads from the names of tags, and the times of deprecations. */
import { tagLineOf } from "../../src/packages/tag_lines.ts";
import { sqlLiteral } from "../bootstrap.ts";
import {
  type CheckFinding,
  type DamagedRow,
  type FsckCheck,
  forRows,
  maxExamples,
  maxRowsPerRepair,
} from "./check.ts";
import { isPresent } from "./deletions.ts";

/** The rows of one response. */
const pageSize = 10_000;

type Stored = {
  id: number;
  uid: string;
  name: string;
  line: string;
  line_key: string;
  is_timed: number;
};

/** A damaged row with its rowid, because the uids of tags have no index. */
type DamagedTag = DamagedRow & { id: number; line: string; lineKey: string };

const isTimed = "deprecated = 0 AND deprecated_time <> 0";

const page = (after: number) =>
  `SELECT rowid AS id, uid, name, line, line_key, ${isTimed} AS is_timed FROM tags
  WHERE rowid > ${after} AND ${isPresent("parent")}
  ORDER BY rowid LIMIT ${pageSize}`;

async function compare({ query }: Parameters<FsckCheck["look"]>[0]) {
  const misread: DamagedTag[] = [];
  const mistimed: DamagedTag[] = [];
  let rows = 0;
  let last: number | undefined = 0;
  while (last !== undefined) {
    const [stored = []] = (await query([page(last)])) as Stored[][];
    rows += stored.length;
    for (const { id, uid, name, line, line_key: lineKey, is_timed: timed } of stored) {
      const wanted = tagLineOf(name);
      const tag = { id, uid, ...wanted };
      if (line !== wanted.line || lineKey !== wanted.lineKey)
        misread.push({ ...tag, wrong: `${name} is in the line ${JSON.stringify(line)}` });
      if (timed)
        mistimed.push({ ...tag, wrong: `${name} is not deprecated, and has a time of it` });
    }
    last = stored.length < pageSize ? undefined : stored.at(-1)?.id;
  }
  return { rows, misread, mistimed };
}

/** The statements that repair tags. Another tag can have the rowid of one that is gone, so they compare uids too. */
const updates = (set: string, damaged: DamagedTag[]): string[] =>
  forRows(damaged.slice(0, maxRowsPerRepair), (part) => {
    const rows = part.map(
      ({ id, ...tag }) =>
        `(${id}, ${[tag.uid, tag.line, tag.lineKey].map((text) => sqlLiteral(text)).join(", ")})`,
    );
    return `UPDATE tags SET ${set} FROM (VALUES ${rows.join(", ")}) AS found
      WHERE tags.rowid = found.column1 AND tags.uid = found.column2`;
  });

export const tagLinesCheck: FsckCheck = {
  name: "lines",
  promise:
    "Each tag is in the line of its name, and has a time of deprecation only if it is deprecated.",
  remedy: "reads the name again, and removes the time",
  async look(store): Promise<CheckFinding> {
    const { rows, misread, mistimed } = await compare(store);
    const damaged = [...misread, ...mistimed];
    return {
      rows,
      problems: damaged.length,
      examples: damaged.slice(0, maxExamples).map(({ uid, wrong }) => ({ uid, wrong })),
      repair: [
        ...updates("line = found.column3, line_key = found.column4", misread),
        ...updates("deprecated_time = 0", mistimed),
      ],
    };
  },
};

/** Checks what the platform reads from the names of tags, and the times of deprecations. */
import { tagLineOf } from "../../src/packages/tag_lines.ts";
import { sqlLiteral } from "../bootstrap.ts";
import {
  type CheckFinding,
  type DamagedRow,
  type FsckCheck,
  forUids,
  maxExamples,
  maxRowsPerRepair,
} from "./check.ts";

/** The rows of one response. */
const pageSize = 10_000;

type Stored = { uid: string; name: string; line: string; line_key: string; is_timed: number };

const page = (after: string) =>
  `SELECT uid, name, line, line_key, deprecated = 0 AND deprecated_time <> 0 AS is_timed FROM tags
  WHERE uid > ${sqlLiteral(after)} AND (line IS NOT NULL OR deprecated = 0 AND deprecated_time <> 0)
  ORDER BY uid LIMIT ${pageSize}`;

/** Reads the tags whose names the platform has read. */
async function compare({ query }: Parameters<FsckCheck["look"]>[0]) {
  const misread: DamagedRow[] = [];
  const mistimed: DamagedRow[] = [];
  let rows = 0;
  let last: string | undefined = "";
  while (last !== undefined) {
    const [found = []] = (await query([page(last)])) as Stored[][];
    rows += found.length;
    for (const { uid, name, line, line_key: lineKey, is_timed: isTimed } of found) {
      const wanted = tagLineOf(name);
      const isRead = line === null || (line === wanted.line && lineKey === wanted.lineKey);
      if (!isRead) misread.push({ uid, wrong: `${name} is in the line ${JSON.stringify(line)}` });
      if (isTimed) mistimed.push({ uid, wrong: `${name} is not deprecated, and has a time of it` });
    }
    last = found.length < pageSize ? undefined : found.at(-1)?.uid;
  }
  return { rows, misread, mistimed };
}

const updates = (set: string, damaged: DamagedRow[]): string[] =>
  forUids(
    damaged.slice(0, maxRowsPerRepair).map(({ uid }) => uid),
    (isOne) => `UPDATE tags SET ${set} WHERE ${isOne}`,
  );

export const tagLinesCheck: FsckCheck = {
  name: "lines",
  promise:
    "Each tag is in the line of its name, and has a time of deprecation only if it is deprecated.",
  remedy: "removes the line or the time; the schedule of the registry then reads the name again",
  async look(store): Promise<CheckFinding> {
    const { rows, misread, mistimed } = await compare(store);
    const damaged = [...misread, ...mistimed];
    return {
      rows,
      problems: damaged.length,
      examples: damaged.slice(0, maxExamples),
      repair: [
        ...updates("line = NULL, line_key = ''", misread),
        ...updates("deprecated_time = 0", mistimed),
      ],
    };
  },
};

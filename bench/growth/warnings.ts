/** How many moves of an imported history have a warning. */
import type { Findings } from "../report/findings.ts";

type Move = { kind: string; warnings?: string[] };

const warnings = ["RELEASE_MOVED", "OLDER_DIGEST", "MANY_TAGS"];
const text =
  "The warnings of ListTagMoves for all records of the import. A created tag cannot have one. A move can have several.";

/** Reads all moves below `group`, page by page. `token` is an access token of someone who may list them. */
async function readMoves(url: string, token: string, group: string): Promise<Move[]> {
  const moves: Move[] = [];
  let pageToken = "";
  do {
    const query = new URLSearchParams({
      "uidp.descendants_of": group,
      page_size: "200",
      page_token: pageToken,
    });
    const answer = await fetch(`${url}/registry/v2/tagMoves?${query}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    if (!answer.ok) throw new Error(`ListTagMoves: ${answer.status} ${await answer.text()}`);
    const page = (await answer.json()) as { tagMoves?: Move[]; nextPageToken?: string };
    moves.push(...(page.tagMoves ?? []));
    pageToken = page.nextPageToken ?? "";
  } while (pageToken !== "");
  return moves;
}

/** Counts the warnings of all moves below a group. */
export async function measureWarnings(
  url: string,
  token: string,
  group: string,
): Promise<Findings["tables"]> {
  const moves = await readMoves(url, token, group);
  const moved = moves.filter(({ kind }) => kind !== "TAG_MOVE_KIND_CREATED");
  const count = (name: string) =>
    moved.filter((move) => move.warnings?.includes(`TAG_MOVE_WARNING_${name}`)).length;
  const rowOf = (name: string, amount: number) => [
    name,
    amount,
    `${((100 * amount) / Math.max(moved.length, 1)).toFixed(2)} %`,
  ];
  const warned = moved.filter((move) => move.warnings?.length).length;
  return [
    {
      title: `Warnings of ${moves.length} records, of which ${moved.length} are moves of a tag that existed`,
      text,
      head: ["warning", "moves", "of all moves"],
      rows: [...warnings.map((name) => rowOf(name, count(name))), rowOf("any", warned)],
    },
  ];
}

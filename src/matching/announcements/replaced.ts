/** Vulnerabilities that an image has in common with the one that its last tag has moved to. */
import type { Database } from "../../auth/databases.ts";
import { digestsOf, type Image } from "./events.ts";
import { type MovedTag, selectMovedTags } from "./read.ts";
import { type Announced, idsOf, stateOf, type Vulnerability } from "./vulnerabilities.ts";

/** An image with its vulnerabilities, including those that it had. */
export interface ImageState {
  image: Image;
  vulnerabilities: Vulnerability[];
}

/** An announcement that passes from one image to another, and its row then. */
export interface Carried {
  from: Image;
  to: Image;
  before: Announced;
  after: Announced;
}

/**
 * Finds the announcements of images without tags that pass to an image with the same vulnerability, to which one of their
 * tags has moved. The vulnerabilities of both images are then as if that had happened. Images of other pieces are not
 * looked at: their vulnerabilities end and begin.
 */
export async function carryOver(db: Database, states: ImageState[]): Promise<Carried[]> {
  const pairs = [...Map.groupBy(states, ({ image }) => image.repo)].flatMap(([repo, all]) => {
    const replaced = all.filter(
      ({ image, vulnerabilities }) =>
        image.tagCount === 0 && vulnerabilities.some(({ announced }) => announced.length > 0),
    );
    const newer = all.filter(({ vulnerabilities }) => vulnerabilities.some(isNew));
    return replaced.length > 0 && newer.length > 0 ? [{ repo, replaced, newer }] : [];
  });
  const [first, ...rest] = pairs.map(({ repo, replaced }) =>
    selectMovedTags(
      db,
      repo,
      replaced.flatMap(({ image }) => digestsOf(image)),
    ),
  );
  if (!first) return [];
  const moves: MovedTag[][] = await db.batch([first, ...rest]);
  return pairs.flatMap(({ replaced, newer }, at) =>
    replaced.flatMap((from) =>
      newer
        .filter((to) => hasMoved(from.image, to.image, moves[at] ?? []))
        .flatMap((to) => carryTo(from, to)),
    ),
  );
}

const isNew = (vulnerability: Vulnerability) =>
  vulnerability.announced.length === 0 && stateOf(vulnerability) === "affected";

function hasMoved(from: Image, to: Image, moves: MovedTag[]): boolean {
  const [before, now] = [digestsOf(from), digestsOf(to)];
  return moves.some((move) => before.includes(move.before) && now.includes(move.digest));
}

/** Moves what both have from one to the other. A vulnerability that two announcements are about takes both. */
function carryTo(from: ImageState, to: ImageState): Carried[] {
  const byId = new Map(
    to.vulnerabilities
      .filter(isNew)
      .flatMap((one) => idsOf(one.findings).map((id) => [id, one] as const)),
  );
  const carried: Carried[] = [];
  for (const old of from.vulnerabilities) {
    old.announced = old.announced.filter((before) => {
      const same = before.ids.map((id) => byId.get(id)).find((one) => one !== undefined);
      if (!same) return true;
      const ids = idsOf(same.findings, before.vulnerability);
      const after = { ...before, imageUid: to.image.uid, ids };
      same.announced.push(after);
      carried.push({ from: from.image, to: to.image, before, after });
      return false;
    });
  }
  return carried;
}

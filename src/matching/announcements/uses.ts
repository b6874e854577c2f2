/** How affected images are used: who pulls them, and whether a tag has moved on to an image without the vulnerability. */
import type { Database } from "../../auth/databases.ts";
import { digestsOf, type Image, type Use } from "./events.ts";
import {
  type MovedTag,
  type Reference,
  selectIdsBehind,
  selectMovedTags,
  selectPulls,
} from "./read.ts";
import { idsOf, type Vulnerability } from "./vulnerabilities.ts";

/** The most digests of one repository that tags have moved to, and that are looked at. */
const maxNewer = 10;

interface Affected {
  image: Image;
  vulnerability: Vulnerability;
}

/** Reads the uses of these images, and returns a function with the use of one. */
export async function readUses(
  db: Database,
  affected: Affected[],
): Promise<(image: Image, vulnerability: Vulnerability) => Use> {
  const images = [...new Set(affected.map(({ image }) => image))];
  if (images.length === 0) return () => ({});
  const byRepo = Map.groupBy(images, ({ repo }) => repo);
  const [pulls, ...moved] = await db.batch([
    selectPulls(db, images.flatMap(referencesOf)),
    ...[...byRepo].map(([repo, all]) => selectMovedTags(db, repo, all.flatMap(digestsOf))),
  ]);
  const moves = moved.flat();
  const idsOfDigest = await readIds(db, moves);
  return (image, vulnerability) => {
    const ids = idsOf(vulnerability.findings);
    const clean = moves.find(({ repo, before, digest }) => {
      const found = idsOfDigest.get(`${repo} ${digest}`);
      return (
        repo === image.repo &&
        digestsOf(image).includes(before) &&
        found !== undefined &&
        !ids.some((id) => found.has(id))
      );
    });
    return {
      pull: pulls.find((one) => one.image === image.uid),
      clean: clean && { tag: clean.tag, digest: clean.digest },
    };
  };
}

const referencesOf = (image: Image): Reference[] => [
  ...digestsOf(image).map((digest): Reference => [image.uid, image.repo, digest, 0]),
  ...image.tags.map(([name, since]): Reference => [image.uid, image.repo, name, since]),
];

/** The ids of what is found behind the newer digests. A digest is missing if nothing is known about it. */
async function readIds(db: Database, moves: MovedTag[]): Promise<Map<string, Set<string>>> {
  const byRepo = Map.groupBy(moves, ({ repo }) => repo);
  const asked = [...byRepo].flatMap(([repo, all]) =>
    [...new Set(all.map(({ digest }) => digest))]
      .slice(0, maxNewer)
      .map((digest): [string, string] => [repo, digest]),
  );
  const rows = asked.length === 0 ? [] : await selectIdsBehind(db, asked);
  const byDigest = Map.groupBy(rows, ({ repo, digest }) => `${repo} ${digest}`);
  return new Map(
    [...byDigest].map(([key, all]) => [
      key,
      new Set(
        all.flatMap(({ vulnerabilityId, aliases }) =>
          vulnerabilityId === null
            ? []
            : idsOf([{ vulnerabilityId, aliases: JSON.parse(aliases ?? "[]") }]),
        ),
      ),
    ]),
  );
}

/** Decides what changes in the findings of images, from the facts that end, change and begin. */
import type { Fact } from "../../schema/tables/registry/findings.ts";
import { type Found, findingRows, type Image, packageIdentity } from "./finding_rows.ts";
import {
  changeOf,
  type FindingsChange,
  factsOfStored,
  type Purls,
  type ReadImage,
  type StoredFinding,
} from "./stored_findings.ts";

/** An image as it was read. */
export type ImageState = Image & ReadImage;

/** A fact about a package of an image. */
export interface FoundInImage extends Found {
  image: ImageState;
}

/** A change, and the images that it was decided by. */
export interface DecidedChange {
  change: FindingsChange;
  images: ImageState[];
}

/**
 * Decides the change. `stored` are all findings that have a fact which ends or changes, or an id of one that begins.
 * `revise` returns a stored fact as it is now, or undefined if it has ended. `added` can have facts that are stored.
 */
export async function decideChange(
  stored: StoredFinding[],
  revise: (fact: Fact, row: StoredFinding) => Fact | undefined,
  added: FoundInImage[],
  purls: Purls,
): Promise<DecidedChange> {
  const kept = stored.flatMap((row) =>
    factsOfStored(row, purls).flatMap((found): FoundInImage[] => {
      const fact = revise(found.fact, row);
      return fact ? [{ ...found, fact, image: imageOf(row) }] : [];
    }),
  );
  const facts = new Map([...kept, ...added].map((one) => [keyOf(one), one]));
  const images = new Map(
    [...stored.map(imageOf), ...added.map(({ image }) => image)].map((one) => [one.uid, one]),
  );
  const wanted = [];
  for (const [uid, found] of Map.groupBy(facts.values(), ({ image }) => image.uid)) {
    const image = images.get(uid);
    if (image) wanted.push(...(await findingRows(image, found)));
  }
  return { change: changeOf(stored, wanted), images: [...images.values()] };
}

/** A record makes one fact about a package of an SBOM, and a scanner one for each id. */
function keyOf({ fact, package: of, image }: FoundInImage): string {
  const { advisory, id } = fact;
  if (advisory !== "") return `${image.uid} ${advisory} ${fact.package}`;
  return `${image.uid} ${packageIdentity(of)} ${id}`;
}

const imageOf = ({ imageUid, imageTime, digest, uid }: StoredFinding): ImageState => ({
  uid: imageUid,
  updateTime: imageTime,
  repo: uid.slice(0, -17),
  digest,
});

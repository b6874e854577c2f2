/** The work of a pull from a mirror before it is answered. Other repositories are left alone. */

import type { Reach } from "../access.ts";
import type { RegistryContext } from "../context.ts";
import { isDigest } from "../digest.ts";
import { heldBack } from "../errors.ts";
import { type ReferencedRow, selectReferenced } from "../manifests/rows.ts";
import { type ImageName, selectRepositoryPath, toRepositoryPath } from "../repository.ts";
import { isAbsent, noteAbsent } from "./absent.ts";
import { fetchIsBusy, reasonOf, warningOf } from "./failures.ts";
import { isGone, refresh, requireAsking } from "./refresh.ts";
import { findMirror, type Mirror } from "./setting.ts";
import { takeTurn } from "./turns.ts";

/** For how long a pull waits for other requests that fetch the same manifest, in milliseconds. */
const patience = 20_000;

/** The manifest that a pull gets. */
export interface Mirrored {
  row: ReferencedRow | undefined;
  repo: string | undefined;
  /** The value of the `Warning` header, if what the mirror has is not what the upstream has. */
  warning?: string;
}

/**
 * Fetches the manifest of a tag or a digest that a mirror does not have, and compares a tag that it was not for some time.
 * `stored` is what the mirror has. Returns it with a warning if the comparison fails. Throws the failure if there is none.
 */
export async function mirrored(
  context: RegistryContext,
  { repositoryPath, isPublicOnly }: Reach,
  image: ImageName,
  reference: string,
  stored: ReferencedRow | undefined,
): Promise<Mirrored> {
  const { repo, isMirror } = repositoryPath;
  const present = { row: stored, repo };
  // Bytes that are missing or damaged are fetched again.
  const row = stored?.size === null || stored?.fault ? undefined : stored;
  const isKnown = row !== undefined && isDigest(reference);
  if (isKnown || isPublicOnly || (repo !== undefined && !isMirror)) return present;
  const mirror = await findMirror(context, repositoryPath, reference);
  if (!mirror) return present;
  if (row && isFresh(mirror)) return { ...present, ...staleFor(mirror.tag?.problem ?? "") };
  if (!row) requireNotHeld(mirror, Math.min(mirror.revalidateAfter, heldFor));
  try {
    return await fetchOnce(context, mirror, image, reference, row);
  } catch (thrown) {
    if (!row) throw thrown;
    return { ...present, warning: warningOf(111, `Revalidation failed: ${reasonOf(thrown)}`) };
  }
}

const isFresh = ({ tag, revalidateAfter }: Mirror) =>
  tag !== undefined && tag.checkTime + revalidateAfter > Date.now();

/** For how long a tag that could not be stored is not fetched again, in milliseconds. */
const heldFor = 60_000;

/** Throws MANIFEST_UNKNOWN if a tag rule has refused the tag within `age` milliseconds, or if it could not be stored. */
function requireNotHeld({ tag }: Mirror, age: number): void {
  if (!tag || tag.problem === "" || tag.problem === isGone) return;
  if (tag.checkTime + age > Date.now()) throw heldBack(tag.problem);
}

const staleFor = (problem: string) =>
  problem === "" ? {} : { warning: warningOf(110, `Response is stale: ${problem}`) };

async function fetchOnce(
  context: RegistryContext,
  mirror: Mirror,
  image: ImageName,
  reference: string,
  row: ReferencedRow | undefined,
): Promise<Mirrored> {
  requireAsking(mirror);
  if (isAbsent(mirror, reference)) return { row, repo: mirror.repo };
  const turn = await takeTurn(context, mirror, reference, patience);
  if (turn === "busy")
    throw fetchIsBusy(`another request fetches from ${mirror.address}; try again`);
  if (turn === "after") {
    const found = await afterwards(context, image, reference, row);
    if (found.row || isAbsent(mirror, reference)) return found;
    // The other request was cut off, or failed for a reason of its own.
    return fetchOnce(context, mirror, image, reference, row);
  }
  try {
    const refreshed = await refresh(context, mirror, reference, row?.digest);
    if (refreshed === "unknown") {
      noteAbsent(mirror, reference);
      return { row, repo: mirror.repo };
    }
    const found = await readAgain(context, image, reference);
    if (!found.row && refreshed.problem !== "") throw heldBack(refreshed.problem);
    return { ...found, ...staleFor(refreshed.problem) };
  } finally {
    await turn.release();
  }
}

/** Another request has fetched. If that has failed, the reason is recorded. */
async function afterwards(
  context: RegistryContext,
  image: ImageName,
  reference: string,
  before: ReferencedRow | undefined,
): Promise<Mirrored> {
  const found = await readAgain(context, image, reference);
  const mirror = await findMirror(context, found.path, reference);
  if (mirror && !(found.row && isFresh(mirror))) requireAsking(mirror);
  if (mirror && !found.row) requireNotHeld(mirror, heldFor);
  return { row: found.row ?? before, repo: found.repo, ...staleFor(mirror?.tag?.problem ?? "") };
}

async function readAgain({ db }: RegistryContext, image: ImageName, reference: string) {
  const [[row], rows] = await db.batch([
    selectReferenced(db, image, reference),
    selectRepositoryPath(db, image),
  ]);
  const path = toRepositoryPath(rows);
  return { row, repo: path.repo, path };
}

/** Image holds of lock files: no expiry plan deletes the images in a lock. */
import { Failure } from "../failure.ts";
import { findRepo } from "../history/repository.ts";
import { requireMethod } from "../resources/catalog.ts";
import type { JsonObject } from "../resources/flags.ts";
import {
  organizationOf,
  parentOf,
  readNames,
  requireResourceNamed,
  uidPath,
} from "../resources/names.ts";
import type { PlatformClient } from "../resources/platform.ts";
import { explainFailure } from "../resources/refusals.ts";
import { requireGroup } from "../resources/where.ts";
import type { Lock } from "./lock_file.ts";

/** The hold of a repository, and what a run did to it. `repo` is the name of the repository in the registry. */
export type Held = {
  repo: string;
  kind: "created" | "updated" | "unchanged" | "released";
  digests: string[];
};

/** A repository whose hold could not be written, and why. */
export type NotHeld = { repo: string; failure: Failure };

/** The results for all repositories, in the order of their names. */
export type HoldOutcome = { name: string; held: Held[]; failed: NotHeld[] };

/** The repositories that are written at the same time. */
const width = 8;

const rpcOf = (verb: "list" | "create" | "update" | "delete") =>
  requireMethod(requireResourceNamed("imageHold"), verb).rpc;

/** Gives each repository in the lock a hold with this name and exactly the digests that the lock has there. */
export async function holdImages(
  platform: PlatformClient,
  name: string,
  lock: Lock,
): Promise<HoldOutcome> {
  const named = await each([...digestsByName(lock)], async ([repo, digests]) => ({
    repo,
    digests,
    uid: await findRepo(platform, repo),
  }));
  // A repository can have two names in the lock: that of its organization can be a uid.
  const byUid = Map.groupBy(named.done, ({ uid }) => uid);
  const written = await each([...byUid], async ([uid, parts]): Promise<Held> => {
    const digests = sorted(parts.flatMap((part) => part.digests));
    const repo = parts[0]?.repo ?? uid;
    return { repo, digests, kind: await writeHold(platform, uid, { name, digests }) };
  });
  return outcomeOf(name, written.done, [
    ...named.failed.map(({ item: [repo], failure }) => ({ repo, failure })),
    ...written.failed.map(({ item: [, [part]], failure }) => ({ repo: part?.repo ?? "", failure })),
  ]);
}

/**
 * Deletes the holds with this name in the organizations of the images in the lock. Without a lock, it deletes those of
 * PLATFORM_GROUP, or of the only organization that the caller sees.
 */
export async function releaseImages(
  platform: PlatformClient,
  name: string,
  lock: Lock | undefined,
): Promise<HoldOutcome> {
  const rows = await explainFailure({ verb: "call", platform }, async () => {
    const way = "in PLATFORM_GROUP, because there is no lock";
    const place = lock
      ? {}
      : { uidp: { descendantsOf: await requireGroup(platform, undefined, way) } };
    const found: JsonObject[] = [];
    for await (const page of platform.pages(rpcOf("list"), { name, ...place })) found.push(...page);
    return found;
  });
  const names = await readNames(
    platform,
    rows.flatMap(({ uid }) => uidPath(String(uid))),
  );
  const spaces = lock && new Set([...digestsByName(lock).keys()].map((repo) => repo.split("/")[0]));
  const isMeant = ({ uid }: JsonObject) => {
    const root = organizationOf(String(uid));
    return !spaces || spaces.has(root) || spaces.has(names.get(root));
  };
  const pathOf = (uid: unknown) =>
    uidPath(parentOf(String(uid)) ?? "")
      .map((part) => names.get(part) ?? "…")
      .join("/");
  const released = await each(rows.filter(isMeant), async ({ uid, digests }): Promise<Held> => {
    await explainFailure({ verb: "call", platform }, () => platform.call(rpcOf("delete"), { uid }));
    return { repo: pathOf(uid), kind: "released", digests: digests as string[] };
  });
  const failed = released.failed.map(({ item, failure }) => ({ repo: pathOf(item.uid), failure }));
  return outcomeOf(name, released.done, failed);
}

/** The digests of the lock by the name of their repository in the registry. */
function digestsByName({ registry, images }: Lock): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [reference, { tag, digest }] of images) {
    const repo = reference.slice(registry.length + 1, -(tag.length + 1));
    found.set(repo, [...(found.get(repo) ?? []), digest]);
  }
  return found;
}

const sorted = (digests: string[]) => [...new Set(digests)].sort();

async function writeHold(
  platform: PlatformClient,
  repo: string,
  hold: { name: string; digests: string[] },
): Promise<Held["kind"]> {
  return explainFailure({ verb: "call", platform }, async () => {
    const request = { name: hold.name, uidp: { childrenOf: repo } };
    const [row] = await platform.rows(rpcOf("list"), request, 1);
    if (!row) {
      await platform.call(rpcOf("create"), { parent: repo, imageHold: hold });
      return "created";
    }
    const { uid, digests } = row as { uid: string; digests: string[] };
    if (sorted(digests).join() === hold.digests.join()) return "unchanged";
    const imageHold = { uid, digests: hold.digests };
    await platform.call(rpcOf("update"), { imageHold, updateMask: "digests" });
    return "updated";
  });
}

const byRepo = (one: { repo: string }, other: { repo: string }) => (one.repo < other.repo ? -1 : 1);

const outcomeOf = (name: string, held: Held[], failed: NotHeld[]): HoldOutcome => ({
  name,
  held: held.sort(byRepo),
  failed: failed.sort(byRepo),
});

/** Does the work for each item, a few at a time. A Failure is a result. */
async function each<Item, Done>(items: Item[], work: (item: Item) => Promise<Done>) {
  const [done, failed]: [Done[], { item: Item; failure: Failure }[]] = [[], []];
  const queue = items.values();
  const run = async () => {
    for (const item of queue) {
      try {
        done.push(await work(item));
      } catch (failure) {
        if (!(failure instanceof Failure)) throw failure;
        failed.push({ item, failure });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, run));
  return { done, failed };
}

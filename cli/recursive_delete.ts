/**
 * Deletes a group with everything in it, through the public API. The platform reports what prevents the deletion of a
 * group, and this module deletes that first, beginning with the groups below. A second run therefore continues where an
 * interrupted one stopped, and it also finds resources that were created in the meantime.
 */
import { decodeJwt } from "jose/jwt/decode";
import {
  exitCodes,
  type Failure,
  failureViolations,
  refusedFailure,
  toFailure,
} from "./failure.ts";
import { purgeSteps } from "./purge_steps.ts";
import { requireMethod } from "./resources/catalog.ts";
import type { JsonObject } from "./resources/flags.ts";
import { requireResourceNamed } from "./resources/names.ts";
import type { PlatformClient } from "./resources/platform.ts";

/** A resource that was not deleted, and the reason. */
export type KeptResource = { uid: string; kind: string; code: string; message: string };

/** The number of deleted resources by their plural name, and the resources that were not deleted. */
export type DeletionOutcome = { deleted: Record<string, number>; kept: KeptResource[] };

export type DeletionJob = {
  platform: PlatformClient;
  /** Called after each deletion. */
  onDeleted(kind: string, count: number, group: string): void;
  /** Whether to stop before the next call. */
  isStopped(): boolean;
};

/** The number of concurrent calls. */
const maxConcurrentCalls = 4;
const pageSize = 200;

/** The kinds that a purge of advisories deletes. */
const purgedKinds = ["advisories", "advisory documents", "artifacts", "vulnerability metadata"];

/**
 * The kinds of children in the order in which they are deleted, with the names that the platform uses. Subscriptions
 * come last, so that they receive the events of the other deletions. Roles come after everyone who has them. Tag rules
 * and trust policies come after the repositories that they are about.
 */
const kinds: [string, string][] = [
  ["groups", "group"],
  ["repos", "repo"],
  ["tag rules", "tagRule"],
  ["trust policies", "trustPolicy"],
  ...purgedKinds.map((kind): [string, string] => [kind, ""]),
  ["group invites", "groupInvite"],
  ["account associations", "accountAssociation"],
  ["identity providers", "identityProvider"],
  ["identities", "identity"],
  ["roles", "role"],
  ["subscriptions", "subscription"],
];

type State = DeletionJob & {
  own: Set<string>;
  deleted: Record<string, number>;
  kept: Map<string, KeptResource>;
};

/** Returns the identities and identity providers that the caller's own token depends on. */
export async function ownUids({ account }: PlatformClient): Promise<Set<string>> {
  const { token } = await account.token({ audience: account.audience });
  const { sub, idp, chain } = decodeJwt<{ idp?: string; chain?: { sub?: string; idp?: string }[] }>(
    token,
  );
  const links = (chain ?? []).flatMap((link) => [link.sub, link.idp]);
  return new Set([sub, idp, ...links].filter((uid) => uid !== undefined));
}

/** Deletes the group and everything in it. Throws a Failure if it cannot continue. */
export async function deleteGroupRecursively(
  job: DeletionJob,
  uid: string,
): Promise<DeletionOutcome> {
  const own = await ownUids(job.platform);
  const state: State = { ...job, own, deleted: {}, kept: new Map() };
  await removeGroup(state, uid);
  return { deleted: state.deleted, kept: [...state.kept.values()] };
}

/** Returns whether the group is gone. */
async function removeGroup(state: State, uid: string): Promise<boolean> {
  for (;;) {
    const failure = await tryDelete(state, "group", uid);
    if (!failure) {
      note(state, "groups", 1, uid);
      // The group also took the resources that could not be deleted separately.
      for (const [key, row] of state.kept) {
        if (`${row.uid}/`.startsWith(`${uid}/`)) state.kept.delete(key);
      }
      return true;
    }
    const blocking = blockingOf(failure);
    let count = 0;
    for (const [kind, resource] of kinds) {
      if (!blocking.has(kind) || (kind === "tag rules" && holdsRepos(state, uid))) continue;
      count += await deleteKind(state, uid, kind, resource);
    }
    if (count > 0) continue;
    keep(state, uid, "group", failure);
    return false;
  }
}

/** Whether a repository stays, in the group or below it. A rule that keeps its tags must not go before it. */
const holdsRepos = ({ kept }: State, group: string) =>
  [...kept.values()].some(
    ({ kind, uid }) =>
      ["repo", "repos of group", "groups of group"].includes(kind) &&
      `${uid}/`.startsWith(`${group}/`),
  );

/** Returns the kinds of children that prevent the deletion of a group, or none if there is another reason. */
const blockingOf = (failure: Failure) =>
  new Set(
    failureViolations(failure).flatMap(({ field, description }) =>
      field === "RESOURCE_NOT_EMPTY" ? (/with child (.+)$/.exec(description)?.[1] ?? []) : [],
    ),
  );

/** Deletes the children of a kind and returns their number. */
async function deleteKind(
  state: State,
  group: string,
  kind: string,
  resource: string,
): Promise<number> {
  try {
    if (purgedKinds.includes(kind)) return await purge(state, group);
    return await removeChildren(state, group, kind, resource);
  } catch (thrown) {
    // The caller may have no permission for this kind, and may have it for the others.
    keep(state, group, `${kind} of group`, refusalOf(state, thrown));
    return 0;
  }
}

/** Deletes all children that it can, page by page, and skips the others. */
async function removeChildren(state: State, group: string, kind: string, name: string) {
  const list = requireMethod(requireResourceNamed(name), "list");
  const passed = new Set<string>();
  let count = 0;
  for (;;) {
    checkStopped(state);
    const request: JsonObject = { uidp: { childrenOf: group }, orderBy: "uid" };
    const rows = await state.platform.rows(list.rpc, request, pageSize + passed.size);
    const uids = rows.map(({ uid }) => String(uid)).filter((uid) => !passed.has(uid));
    if (uids.length === 0) return count;
    for (let start = 0; start < uids.length; start += maxConcurrentCalls) {
      const batch = uids.slice(start, start + maxConcurrentCalls);
      const gone = await Promise.all(batch.map((uid) => removeChild(state, group, name, uid)));
      for (const [i, uid] of batch.entries()) if (!gone[i]) passed.add(uid);
      const done = gone.filter(Boolean).length;
      count += done;
      if (name !== "group") note(state, kind, done, group);
    }
  }
}

/** Returns whether a child is gone. Resources that the caller's own token depends on are deleted with the group. */
async function removeChild(state: State, group: string, name: string, uid: string) {
  if (name === "group") return removeGroup(state, uid);
  if (state.own.has(uid)) return false;
  let failure = await tryDelete(state, name, uid);
  if (failure && isInUse(failure) && (await unbind(state, group, uid)) > 0) {
    failure = await tryDelete(state, name, uid);
  }
  const { word } = requireResourceNamed(name);
  if (failure) keep(state, uid, word, failure);
  else state.kept.delete(`${word} ${uid}`);
  return !failure;
}

const isInUse = (failure: Failure) =>
  failureViolations(failure).some(({ field }) => field === "RESOURCE_IN_USE");

/** Removes a role of the group from everyone in the group except the caller. Returns the number of role bindings. */
async function unbind(state: State, group: string, role: string): Promise<number> {
  const list = requireMethod(requireResourceNamed("roleBinding"), "list");
  const request: JsonObject = { uidp: { childrenOf: group } };
  const rows = await state.platform.rows(list.rpc, request, Number.POSITIVE_INFINITY);
  const theirs = rows.filter(
    (row) => uidIn(row, "role") === role && !state.own.has(uidIn(row, "identity")),
  );
  let count = 0;
  for (const { uid } of theirs) {
    checkStopped(state);
    if (!(await tryDelete(state, "roleBinding", String(uid)))) count += 1;
  }
  note(state, "role bindings", count, group);
  return count;
}

function uidIn(row: JsonObject, member: string): string {
  const nested = row[member];
  if (typeof nested === "object" && nested !== null && "uid" in nested) return String(nested.uid);
  return String(row[`${member}Uid`] ?? "");
}

async function purge(state: State, group: string): Promise<number> {
  let count = 0;
  checkStopped(state);
  for await (const answer of purgeSteps(state.platform, { parent: group })) {
    const sums = purgedKinds.map((kind) => [kind, Number(answer[fieldName(kind)] ?? 0)] as const);
    for (const [kind, sum] of sums) note(state, kind, sum, group);
    count += sums.reduce((sum, [, part]) => sum + part, 0);
    if (answer.more) checkStopped(state);
  }
  return count;
}

const fields: Record<string, string> = {
  "advisory documents": "documents",
  "vulnerability metadata": "vulnerabilityMetadata",
};
const fieldName = (kind: string) => fields[kind] ?? kind;

/** Failures that affect more than one call. */
const fatalCodes = [
  "INTERRUPTED",
  "UNAUTHENTICATED",
  "UNREACHABLE",
  "UNAVAILABLE",
  "RESOURCE_EXHAUSTED",
];

/** Deletes a resource and returns the error, if there is one. A resource that no longer exists counts as deleted. */
async function tryDelete(state: State, name: string, uid: string): Promise<Failure | undefined> {
  checkStopped(state);
  try {
    await state.platform.call(requireResourceNamed(name).methods.delete?.rpc ?? "", { uid });
    return undefined;
  } catch (thrown) {
    const failure = refusalOf(state, thrown);
    return failure.code === "NOT_FOUND" ? undefined : failure;
  }
}

/** Returns a thrown error as a Failure if it affects only this call. Otherwise throws it again. */
function refusalOf({ platform }: State, thrown: unknown): Failure {
  const failure = toFailure(thrown, platform.url);
  if (failure.exitCode !== exitCodes.refused || fatalCodes.includes(failure.code)) throw failure;
  return failure;
}

function note(state: State, kind: string, count: number, group: string): void {
  if (count === 0) return;
  state.deleted[kind] = (state.deleted[kind] ?? 0) + count;
  state.onDeleted(kind, count, group);
}

function keep(state: State, uid: string, kind: string, { code, message }: Failure): void {
  state.kept.set(`${kind} ${uid}`, { uid, kind, code, message });
}

function checkStopped({ isStopped }: State): void {
  if (isStopped())
    throw refusedFailure("INTERRUPTED", "The command was stopped before it finished.");
}

/**
 * Deletes a group with everything in it, by the public API alone. The platform says what keeps a group from
 * being deleted; that is deleted first, groups below before anything else. So a run that was cut short is
 * continued by another one, and what appears meanwhile is found as well.
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
import type { JsonObject } from "./resources/flags.ts";
import { requireResourceNamed } from "./resources/names.ts";
import type { PlatformClient } from "./resources/platform.ts";

/** What stays, and why. */
export type KeptResource = { uid: string; kind: string; code: string; message: string };

/** How many were deleted, by what they are called in the plural; and what stays. */
export type DeletionOutcome = { deleted: Record<string, number>; kept: KeptResource[] };

export type DeletionJob = {
  platform: PlatformClient;
  /** Called with everything that is deleted, as it is. */
  onDeleted(kind: string, count: number, group: string): void;
  /** Whether to stop before the next call. */
  isStopped(): boolean;
};

/** Calls at a time. */
const maxConcurrentCalls = 4;
const pageSize = 200;

/** What a purge of advisories deletes. */
const purgedKinds = ["advisories", "advisory documents", "artifacts", "vulnerability metadata"];

/**
 * The kinds of children, as the platform calls them, in the order in which they are deleted. Subscriptions
 * go last, so that they receive the events of the rest; roles once nobody has them.
 */
const kinds: [string, string][] = [
  ["groups", "group"],
  ["repos", "repo"],
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

/** The identities and identity providers that the caller's own token depends on. */
export async function ownUids({ account }: PlatformClient): Promise<Set<string>> {
  const { token } = await account.token({ audience: account.audience });
  const { sub, idp, chain } = decodeJwt<{ idp?: string; chain?: { sub?: string; idp?: string }[] }>(
    token,
  );
  const links = (chain ?? []).flatMap((link) => [link.sub, link.idp]);
  return new Set([sub, idp, ...links].filter((uid) => uid !== undefined));
}

/** Deletes the group and all in it. Throws a Failure where nothing more can be done at all. */
export async function deleteGroupRecursively(
  job: DeletionJob,
  uid: string,
): Promise<DeletionOutcome> {
  const own = await ownUids(job.platform);
  const state: State = { ...job, own, deleted: {}, kept: new Map() };
  await removeGroup(state, uid);
  return { deleted: state.deleted, kept: [...state.kept.values()] };
}

/** Whether the group is gone. */
async function removeGroup(state: State, uid: string): Promise<boolean> {
  for (;;) {
    const failure = await tryDelete(state, "group", uid);
    if (!failure) {
      note(state, "groups", 1, uid);
      // What could not be deleted alone went with it.
      for (const [key, one] of state.kept) {
        if (`${one.uid}/`.startsWith(`${uid}/`)) state.kept.delete(key);
      }
      return true;
    }
    const blocking = blockingOf(failure);
    let count = 0;
    for (const [kind, resource] of kinds) {
      if (blocking.has(kind)) count += await deleteKind(state, uid, kind, resource);
    }
    if (count > 0) continue;
    keep(state, uid, "group", failure);
    return false;
  }
}

/** The kinds of children that keep a group from being deleted; none where it is kept for another reason. */
const blockingOf = (failure: Failure) =>
  new Set(
    failureViolations(failure).flatMap(({ field, description }) =>
      field === "RESOURCE_NOT_EMPTY" ? (/with child (.+)$/.exec(description)?.[1] ?? []) : [],
    ),
  );

/** Deletes the children of a kind; how many. */
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
    // They may be out of the caller's reach as a whole, and others not.
    keep(state, group, `${kind} of group`, refusalOf(state, thrown));
    return 0;
  }
}

/** Deletes what can be deleted, page by page; those that stay are passed over. */
async function removeChildren(state: State, group: string, kind: string, name: string) {
  const { list } = requireResourceNamed(name).methods;
  if (!list) throw new Error(`${name} has no List`);
  const passed = new Set<string>();
  let count = 0;
  for (;;) {
    checkStopped(state);
    const request: JsonObject = { uidp: { childrenOf: group }, orderBy: "uid" };
    const rows = await state.platform.rows(list.rpc, request, pageSize + passed.size);
    const uids = rows.map(({ uid }) => String(uid)).filter((uid) => !passed.has(uid));
    if (uids.length === 0) return count;
    for (let at = 0; at < uids.length; at += maxConcurrentCalls) {
      const some = uids.slice(at, at + maxConcurrentCalls);
      const gone = await Promise.all(some.map((uid) => removeChild(state, group, name, uid)));
      for (const [i, uid] of some.entries()) if (!gone[i]) passed.add(uid);
      const done = gone.filter(Boolean).length;
      count += done;
      if (name !== "group") note(state, kind, done, group);
    }
  }
}

/** Whether a child is gone. What the caller's own token depends on goes with the group. */
async function removeChild(state: State, group: string, name: string, uid: string) {
  if (name === "group") return removeGroup(state, uid);
  if (state.own.has(uid)) return false;
  let failure = await tryDelete(state, name, uid);
  if (failure && isInUse(failure) && (await unbind(state, group, uid)) > 0) {
    failure = await tryDelete(state, name, uid);
  }
  if (failure) keep(state, uid, requireResourceNamed(name).word, failure);
  return !failure;
}

const isInUse = (failure: Failure) =>
  failureViolations(failure).some(({ field }) => field === "RESOURCE_IN_USE");

/** Takes a role of the group from everybody there but the caller; from how many. */
async function unbind(state: State, group: string, role: string): Promise<number> {
  const { list } = requireResourceNamed("roleBinding").methods;
  const request: JsonObject = { uidp: { childrenOf: group } };
  const rows = await state.platform.rows(list?.rpc ?? "", request, Number.POSITIVE_INFINITY);
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
    count += sums.reduce((sum, [, one]) => sum + one, 0);
    if (answer.more) checkStopped(state);
  }
  return count;
}

const fields: Record<string, string> = {
  "advisory documents": "documents",
  "vulnerability metadata": "vulnerabilityMetadata",
};
const fieldName = (kind: string) => fields[kind] ?? kind;

/** Failures that are not about one call. */
const fatalCodes = [
  "INTERRUPTED",
  "UNAUTHENTICATED",
  "UNREACHABLE",
  "UNAVAILABLE",
  "RESOURCE_EXHAUSTED",
];

/** Deletes one; the refusal, if there is one. What is gone already is deleted. */
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

/** What was thrown, where it is about this one call only. */
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
  if (isStopped()) throw refusedFailure("INTERRUPTED", "Stopped before the end.");
}

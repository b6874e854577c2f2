/** Decides what `apply` has to do. It reads and never writes. */
import { isObject, type JsonObject } from "../resources/flags.ts";
import type { PlatformClient } from "../resources/platform.ts";
import { changedFields, type FieldChange } from "./difference.ts";
import { problemFailure, type Wanted } from "./documents.ts";
import { bindingReferences, hasName, kindNames, referencesOf, resourceOfKind } from "./kinds.ts";
import { isPlanned, Lookup, LookupProblem, type Target } from "./lookup.ts";

/** A document, and the write that it needs. */
export type Step = {
  action: "create" | "update" | "keep";
  wanted: Wanted;
  /** The group or the repository, and the references, by the field with the uid. */
  parent: Target;
  refers: Record<string, Target>;
  /** The resource as it was read, its uid, and the changes by field, if it exists. */
  row?: JsonObject;
  uid?: string;
  changes: Map<string, FieldChange[]>;
};

/** Whether a step writes something. */
export const isChange = ({ action }: Step): boolean => action !== "keep";

/** How many documents are looked up at the same time. */
const width = 8;

/**
 * Returns the steps in the order in which they are written: a group before what is in it, and what a role binding
 * connects before the role binding. Throws a USAGE Failure with every reference that leads nowhere.
 */
export async function planOf(platform: PlatformClient, documents: Wanted[]): Promise<Step[]> {
  const ordered = documents.toSorted((a, b) => rankOf(a) - rankOf(b));
  const lookup = new Lookup(platform, documents);
  const problems: string[] = [];
  const steps: (Step | undefined)[] = [];
  const waiting = ordered.entries();
  const work = async () => {
    for (const [index, wanted] of waiting) steps[index] = await stepOf(lookup, wanted, problems);
  };
  await Promise.all(Array.from({ length: width }, work));
  const planned = steps.filter((step) => step !== undefined);
  problems.push(...sameResources(planned));
  // The order in which lookups ended is different in every run.
  if (problems.length > 0) throw problemFailure([...new Set(problems)].toSorted());
  return planned;
}

/** Returns a problem for each document of a resource that an earlier one has too, under another path or uid. */
function sameResources(steps: Step[]): string[] {
  const seen = new Map<string, Wanted>();
  const keyOf = (target: Target) => (isPlanned(target) ? target.planned.location : target.uid);
  return steps.flatMap(({ wanted, parent, refers }) => {
    const connected = hasName(wanted.kind) ? [] : Object.values(refers);
    const parts = [wanted.kind, wanted.name, ...[parent, ...connected].map(keyOf)];
    const key = JSON.stringify(parts);
    const first = seen.get(key);
    seen.set(key, first ?? wanted);
    return first ? [`${wanted.location}: This is the same resource as in ${first.location}.`] : [];
  });
}

const rankOf = ({ kind, group }: Wanted): number => {
  const depth = kind === "Group" ? group.split("/").length / 1000 : 0;
  return kindNames.indexOf(kind) + depth;
};

async function stepOf(
  lookup: Lookup,
  wanted: Wanted,
  problems: string[],
): Promise<Step | undefined> {
  const find = async <T>(work: Promise<T>, key?: string): Promise<T | undefined> => {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof LookupProblem)) throw error;
      const location = key === undefined ? wanted.location : wanted.locationOf(key);
      problems.push(`${location}: ${error.message}`);
      return undefined;
    }
  };
  const { kind, group, repo } = wanted;
  const above = await find(lookup.group(group), "group");
  if (!above) return undefined;
  const parent = repo === undefined ? above : await find(lookup.repo(above, group, repo), "repo");
  if (!parent) return undefined;
  const refers: Record<string, Target> = {};
  for (const reference of referencesOf(kind)) {
    const text = wanted.refers[reference.key];
    if (text === undefined) continue;
    const target = await find(lookup.referred(reference.kind, text, group), reference.key);
    if (target) refers[reference.field] = target;
  }
  const step: Step = { action: "create", wanted, parent, refers, changes: new Map() };
  const row = await find(existing(lookup, step));
  return row ? withChanges(step, row) : step;
}

/** Returns the resource of a step, or undefined if it does not exist yet. */
async function existing(
  lookup: Lookup,
  { wanted: { kind, name }, parent, refers }: Step,
): Promise<JsonObject | undefined> {
  if (isPlanned(parent)) return undefined;
  if (hasName(kind)) return lookup.child(kind, parent.uid, name);
  const [identity, role] = bindingReferences.map(({ field }) => refers[field]);
  if (!identity || !role || isPlanned(identity) || isPlanned(role)) return undefined;
  return lookup.binding(parent.uid, identity.uid, role.uid);
}

function withChanges(step: Step, row: JsonObject): Step {
  const { kind, fields: own } = step.wanted;
  const textOf = (target: Target) => (isPlanned(target) ? target.planned.name : target.uid);
  // A role binding is found by its references, so they are as they should be.
  const fields = kind === "RoleBinding" ? own : writtenFields(step, textOf);
  const changes = changedFields(resourceOfKind(kind).message, row, fields);
  const action = changes.size > 0 ? "update" : "keep";
  return { ...step, action, row, uid: String(row.uid), changes };
}

/** Returns a kind of a tag rule with the uid of the trust policy that its requirement names. */
function withPolicy(kind: JsonObject, trustPolicyUid: string | undefined): JsonObject {
  const { requirement } = kind;
  if (trustPolicyUid === undefined || !isObject(requirement)) return kind;
  const signedBy = isObject(requirement.signedBy) ? requirement.signedBy : {};
  return { ...kind, requirement: { ...requirement, signedBy: { ...signedBy, trustPolicyUid } } };
}

/** Returns the fields of a step as the API expects them, with the uids of its references. */
export function writtenFields(
  { wanted: { kind, fields }, refers }: Step,
  uidOf: (target: Target) => string,
): JsonObject {
  const uids = Object.fromEntries(
    Object.entries(refers).map(([field, target]) => [field, uidOf(target)]),
  );
  if (kind === "RoleBinding") return { ...fields, ...uids };
  if (kind !== "TagRule") return fields;
  const { roleUid, exemptRoleUid, trustPolicyUid } = uids;
  const { exemptRole, ...served } = isObject(fields.serve) ? fields.serve : {};
  const serve = { ...served, ...(exemptRoleUid !== undefined && { exemptRoleUid }) };
  return {
    ...fields,
    ...(isObject(fields.keep) && { keep: withPolicy(fields.keep, trustPolicyUid) }),
    ...(roleUid !== undefined && { keep: { roleUid } }),
    ...(isObject(fields.serve) && { serve: withPolicy(serve, trustPolicyUid) }),
  };
}

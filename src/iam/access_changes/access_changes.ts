/** Shows who would gain and lose what by a write, for a call that only validates (AIP-163). */
import { create } from "@bufbuild/protobuf";
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import {
  type AccessChanges,
  AccessChangesSchema,
} from "../../../schema/gen/platform/iam/access_changes/v2/access_changes_pb.js";
import type { Call } from "../../auth/call.ts";
import { type Caller, holds } from "../../auth/grants.ts";
import { type Difference, differenceOf, type HeldGrant } from "./difference.ts";
import {
  countHolders,
  effectiveGroup,
  type HeldRole,
  type Holders,
  holderKey,
  isCut,
  maxHolders,
  selectHeldBindings,
  selectHeldMappings,
  toHeldRoles,
} from "./held_roles.ts";
import { type NamedTokens, readNames, type Unnamed } from "./names.ts";

/** The most changes in a response. */
const maxChanges = 200;

/** The effect of a write on the roles of holders. */
export interface RoleWrite {
  /** The group of the resource. To see changes, the caller needs capabilities there. */
  group: string;
  /** The organization of the groups that are compared. */
  organization: string;
  identities?: Holders<string>;
  externalGroups?: Holders<{ provider: string; externalGroup: string }>;
  /** The uids of bindings and mappings that go or change. */
  removed?: string[];
  /** Whether the identity goes with all its bindings. */
  removesAll?: boolean;
  /** Bindings and mappings that come, or what they change into. */
  added?: HeldRole[];
  /** A role whose capabilities change, and its new ones. */
  role?: { uid: string; capabilities: number[] };
  /** The tokens that the one identity accepts before and after, if they change. */
  tokens?: { before: NamedTokens | undefined; after: NamedTokens | undefined };
}

/**
 * Adds the changes to the response of a call that only validates. Returns other responses as they are. Without a
 * write, there are no changes. It takes at most two round trips.
 */
export async function withAccessChanges<Response extends object>(
  call: Call,
  caller: Caller,
  response: Response,
  write?: RoleWrite,
): Promise<Response & { accessChanges?: AccessChanges }> {
  if (!call.validateOnly) return response;
  const accessChanges = write
    ? await changesOf(call, caller, write)
    : create(AccessChangesSchema, {});
  return Object.assign(response, { accessChanges });
}

async function changesOf(call: Call, caller: Caller, write: RoleWrite): Promise<AccessChanges> {
  const seen = visiblePart(caller, write);
  const { held, skipped, hasMore } = await readHeld(call, seen);
  const differences = compareHolders(held, skipped, seen);
  const shown = differences.slice(0, maxChanges);
  return create(AccessChangesSchema, {
    changes: await readNames(call, shown),
    hasMore: hasMore || differences.length > shown.length,
    hidden: seen.hidden,
  });
}

/** The part of a write that the caller may see: others' roles need the same capabilities as a List of them. */
function visiblePart(caller: Caller, write: RoleWrite): RoleWrite & { hidden: boolean } {
  const { identities, externalGroups, added = [], ...rest } = write;
  const seesBindings = holds(caller, [Capability.CAP_IAM_ROLE_BINDINGS_LIST], write.group);
  const seesMappings =
    seesBindings && holds(caller, [Capability.CAP_IAM_IDENTITY_PROVIDERS_LIST], write.group);
  return {
    ...rest,
    ...(identities && seesBindings ? { identities } : {}),
    ...(externalGroups && seesMappings ? { externalGroups } : {}),
    added: added.filter(({ holder }) => ("identity" in holder ? seesBindings : seesMappings)),
    hidden: Boolean((identities && !seesBindings) || (externalGroups && !seesMappings)),
  };
}

interface Held {
  /** The roles of the holders before the write. */
  held: HeldRole[];
  /** The keys of holders that have more roles than are read. Their access cannot be compared. */
  skipped: Set<string>;
  /** Whether there are holders that were skipped or not read. */
  hasMore: boolean;
}

async function readHeld(
  { db }: Call,
  { organization, identities, externalGroups, role, removesAll, tokens }: RoleWrite,
): Promise<Held> {
  if (!identities && !externalGroups) return { held: [], skipped: new Set(), hasMore: false };
  const [bindings, mappings, [counts]] = await db.batch([
    selectHeldBindings(db, organization, identities ?? { named: [] }),
    selectHeldMappings(db, externalGroups ?? { named: [] }),
    countHolders(db, role?.uid ?? ""),
  ]);
  const lists = [toHeldRoles(bindings, "binding"), toHeldRoles(mappings, "mapping")];
  const cut = lists.filter(isCut);
  const isRoleCut =
    (identities && (counts?.bindings ?? 0) > maxHolders) ||
    (externalGroups && (counts?.mappings ?? 0) > maxHolders);
  // If everything goes, a part of it is right too. Otherwise, a missing role would look like a change.
  const isPartRight = removesAll === true || tokens !== undefined;
  const last = cut.flatMap((list) => list.at(-1)?.holder ?? []);
  const skipped = new Set(isPartRight ? [] : last.map(holderKey));
  return { held: lists.flat(), skipped, hasMore: Boolean(isRoleCut) || cut.length > 0 };
}

/** The changes of each holder, in the order of holders and groups. */
function compareHolders(held: HeldRole[], skipped: Set<string>, write: RoleWrite): Unnamed[] {
  const { added = [] } = write;
  const before = Map.groupBy(held, ({ holder }) => holderKey(holder));
  const come = Map.groupBy(added, ({ holder }) => holderKey(holder));
  const keys = [...new Set([...before.keys(), ...come.keys()])].sort();
  return keys
    .filter((key) => !skipped.has(key))
    .flatMap((key) => {
      const [had, gets] = [before.get(key) ?? [], come.get(key) ?? []];
      if (write.tokens) return compareTokens(had, write.tokens);
      const [first] = [...had, ...gets];
      if (!first) return [];
      return differenceOf(
        had.flatMap(toGrant),
        [...rolesAfter(had, write), ...gets].flatMap(toGrant),
      ).map((difference) => ({ ...difference, holder: first.holder }));
    });
}

/** The roles that a holder keeps, with the capabilities that they then have. */
function rolesAfter(held: HeldRole[], { removed = [], removesAll, role }: RoleWrite): HeldRole[] {
  if (removesAll) return [];
  return held
    .filter(({ uid }) => !removed.includes(uid))
    .map((heldRole) =>
      heldRole.role === role?.uid ? { ...heldRole, capabilities: role.capabilities } : heldRole,
    );
}

/** The identity keeps its roles. The bearers of the old tokens lose them, and those of the new ones gain them. */
function compareTokens(
  held: HeldRole[],
  { before, after }: NonNullable<RoleWrite["tokens"]>,
): Unnamed[] {
  const grants = held.flatMap(toGrant);
  const of = (tokens: NamedTokens | undefined, differences: Difference[]) =>
    tokens ? differences.map((difference) => ({ ...difference, holder: { tokens } })) : [];
  return [...of(before, differenceOf(grants, [])), ...of(after, differenceOf([], grants))];
}

function toGrant(role: HeldRole): HeldGrant[] {
  const group = effectiveGroup(role);
  return group === undefined ? [] : [{ group, capabilities: role.capabilities }];
}

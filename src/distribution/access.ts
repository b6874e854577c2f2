/** Reads from D1, with every request, what an identity may do with an image. */
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import { Capability } from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { PUBLIC_TAGS } from "../../schema/tables/registry/public_digests.ts";
import { isUid, rootOf } from "../aip/uid_path.ts";
import { sealDecision } from "../auth/access_decision.ts";
import type { Call, Credential } from "../auth/call.ts";
import { type Caller, holds, toCaller } from "../auth/grants.ts";
import {
  type FoundGrants,
  grantsOf,
  guardFoundGrants,
  readGrantRows,
} from "../auth/grants_across.ts";
import { recordUse } from "../auth/use.ts";
import { findDatabaseFailure } from "../rpc/database_failure.ts";
import type { RegistryBearer } from "./bearer.ts";
import type { RegistryContext } from "./context.ts";
import { denied, insufficientScope, isMirror, type RegistryError, unauthorized } from "./errors.ts";
import { isFromOpenMirror } from "./mirror/names.ts";
import {
  type ImageName,
  type RepositoryPath,
  scopeOf,
  selectRepositoryPath,
  toRepositoryPath,
} from "./repository.ts";

type Statement = BatchItem<"sqlite">;

/** An action of a token scope (distribution token specification). */
export type Action = "pull" | "push" | "delete";

/** The capabilities that each action of a token scope needs. */
const capabilitiesByAction: Record<Action, number[]> = {
  pull: [Capability.CAP_REPO_LIST, Capability.CAP_TAG_LIST],
  push: [Capability.CAP_MANIFEST_CREATE, Capability.CAP_TAG_CREATE],
  delete: [Capability.CAP_MANIFEST_DELETE, Capability.CAP_TAG_DELETE],
};

/** The text of an error for a caller without access. */
const neededByAction: Record<Action, string> = {
  pull: "repo.list and tag.list",
  push: "manifest.create and tag.create",
  delete: "manifest.delete and tag.delete",
};

/** Whether the text is an action that the registry knows. */
export const isAction = (text: string): text is Action => Object.hasOwn(capabilitiesByAction, text);

/** The capabilities that the actions in a list need. An unknown action needs none. */
export const neededFor = (actions: string[]): number[] =>
  actions.filter(isAction).flatMap((action) => capabilitiesByAction[action]);

/** A repository, or the name that it would have. */
interface Target {
  /** The name of its image, as tokens have it. */
  name: string;
  /** The name that the client uses, if it is another one. Its tokens can have that. */
  asked?: string | undefined;
  /** The uid that decides about access. Empty if the name leads nowhere. */
  accessUid: string;
  /** Whether anyone may see a part of it. */
  isPublic?: boolean;
}

/**
 * A bearer may do everything that the action covers, may see only the public part, or may do nothing. In the last case,
 * the caller's roles do not allow it (`denied`), or the token is for other repositories or actions (`unnamed`).
 */
type Decision = "all" | "public" | "unnamed" | "denied";

/** The images and actions of a token or key. */
type Limits = Pick<RegistryBearer, "access" | "actions">;

/** Whether a token names an action at an image by one of its names. One without an access claim names everything. */
export const isNamed = (
  { access, actions }: Limits,
  names: readonly (string | undefined)[],
  action: Action,
): boolean => {
  if (access === undefined) return actions?.includes(action) ?? true;
  return access.some(
    (entry) =>
      entry.type === "repository" && names.includes(entry.name) && entry.actions.includes(action),
  );
};

/**
 * Decides whether a bearer may take an action at a repository: by the roles of the caller, and by what the token names.
 */
export function decide(
  limits: Limits,
  caller: Caller | undefined,
  action: Action,
  { name, asked, accessUid, isPublic = false }: Target,
): Decision {
  const holdsAll =
    caller !== undefined &&
    accessUid !== "" &&
    holds(caller, capabilitiesByAction[action], accessUid);
  if (!holdsAll && !isPublic) return "denied";
  if (!isNamed(limits, [name, asked], action)) return "unnamed";
  return holdsAll ? "all" : "public";
}

/** Whether anyone may pull the image. */
export const isPublicImage = ({ config }: RegistryContext, { namespace }: ImageName) =>
  namespace === config.publicNamespace;

/** Whether anyone may see the tag of a public image. */
export const isPublicTag = (tag: string) => PUBLIC_TAGS.includes(tag);

/**
 * A hint in the error for an organization that is not named by its uid. It depends only on the name, so it is
 * the same whether or not the organization exists.
 */
export const namingHint = (context: RegistryContext, image: ImageName) =>
  isUid(image.namespace) || isPublicImage(context, image)
    ? ""
    : `; check the spelling of ${image.namespace}, which must be the name of a verified organization; address any other by its uid`;

/** The result of {@link reachRepository}. */
export interface Reach {
  repositoryPath: RepositoryPath;
  /** Undefined for a token that anyone can get. */
  caller: Caller | undefined;
  /** Whether the caller sees only what anyone may see of a public image. */
  isPublicOnly: boolean;
  /**
   * Whether the caller may pull only because anyone may, also from an open mirror. All these callers count as one
   * identity, and learn nothing of the organization's rules.
   */
  isStranger: boolean;
  /** The statement that undoes its batch unless the caller still has the access that was read. */
  guards: Call["guards"];
}

/**
 * Resolves the name, and reads the caller's access and the rows of the statements, in one round trip. Throws
 * DENIED without access to the action, with the same bytes whether or not the image exists. Throws
 * UNAUTHORIZED if a token for the right scope would have access. `isPull` also reads who must know of a pull.
 */
export async function reachRepository<const S extends readonly Statement[]>(
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
  action: Action,
  statements: S,
  { isPull = false } = {},
): Promise<Reach & { rows: BatchResponse<S> }> {
  const { db } = context;
  const { credential } = bearer;
  const path = selectRepositoryPath(db, image, { isPull });
  const isPublic = action === "pull" && isPublicImage(context, image);
  const mayBeOpen = action === "pull" && image.openMirror !== undefined;
  if (!credential && !isPublic && !mayBeOpen)
    throw await refusal(context, credential, image, action);
  const root = context.databases.rootOf(db);
  // With one database, the grants of all organizations are read, because the name is resolved in the same batch.
  const scope = root === undefined ? undefined : { around: root };
  const asked = [path, ...statements] as [typeof path, ...Statement[]];
  const read = credential
    ? await readGrantRows(context, credential, scope, asked)
    : { grants: [], rows: await db.batch(asked) };
  const granted: FoundGrants[] = read.grants;
  const results = read.rows as [Awaited<typeof path>, ...unknown[]];
  const repositoryPath = toRepositoryPath(results[0]);
  const caller = credential && toCaller(grantsOf(granted), credential, scope);
  const { accessUid } = repositoryPath;
  const decideIf = (anyone: boolean) =>
    decide(bearer, caller, action, {
      ...{ name: image.full, asked: image.asked, accessUid },
      isPublic: anyone,
    });
  const own = decideIf(isPublic);
  const isOpen =
    own === "denied" && mayBeOpen && (await isFromOpenMirror(context, image, repositoryPath));
  const decision = isOpen ? decideIf(true) : own;
  if (decision === "denied") {
    const isMember = isInOrganization(granted, accessUid);
    throw await refusal(context, credential, image, action, isMember);
  }
  if (decision === "unnamed") throw unnamed(image, action);
  if (action === "push" && repositoryPath.isMirror) throw isMirror(image);
  if (caller && decision === "all") recordImageUse(context, caller, granted, action, accessUid);
  const guards: Call["guards"] = new Map();
  if (credential) guards.set("grants", () => guardFoundGrants(context, credential, scope, granted));
  // A cast, because the compiler does not know the types in the rest of a batch of unknown length.
  const rows = results.slice(1) as unknown as BatchResponse<S>;
  const isPublicOnly = decision === "public" && !isOpen;
  const isStranger = decision === "public";
  return { repositoryPath, caller, isPublicOnly, isStranger, guards, rows };
}

/**
 * Reads the grants of a caller, and the rows of the statements. The writes of a login are in the same batch. A full
 * database still serves reads, which need tokens. Only then a login leaves no record.
 */
export async function readOwnGrants<const S extends readonly Statement[]>(
  context: RegistryContext,
  credential: Credential,
  { noted = [] }: Pick<RegistryBearer, "noted">,
  statements: S,
): Promise<{ grants: FoundGrants[]; rows: BatchResponse<S> }> {
  const read = async (written: readonly Statement[]) => {
    const { grants, rows } = await readGrantRows(context, credential, undefined, [
      ...statements,
      ...written,
    ]);
    // A cast, because the compiler does not know the types in the rest of a batch of unknown length.
    return { grants, rows: rows as unknown as BatchResponse<S> };
  };
  try {
    return await read(noted);
  } catch (error) {
    if (noted.length === 0 || findDatabaseFailure(error)?.kind !== "full") throw error;
    return read([]);
  }
}

/** Throws UNAUTHORIZED if the identity of a login no longer exists. Otherwise records its use. */
export async function requireIdentity(
  context: RegistryContext,
  credential: Credential,
  login: Pick<RegistryBearer, "noted"> = {},
): Promise<void> {
  const { grants: granted } = await readOwnGrants(context, credential, login, []);
  recordUse(context, toCaller(grantsOf(granted), credential), granted, { capabilities: [] });
}

/** Records that the registry accepted a request for an image (src/auth/use.ts). */
export const recordImageUse = (
  context: RegistryContext,
  caller: Caller,
  granted: FoundGrants[],
  action: Action,
  accessUid: string,
): void =>
  recordUse(context, caller, granted, {
    capabilities: capabilitiesByAction[action],
    scope: accessUid,
  });

/** UNAUTHORIZED for a token that is for other images or actions. The challenge names the scope of one that is not. */
export const unnamed = (image: ImageName, action: Action): RegistryError =>
  insufficientScope(`the token is not for ${scopeOf(image.full, [action])}; get another one`);

/** Whether the caller belongs to the organization of an image, or has a role there, so that it may know the name. */
export const isInOrganization = (granted: FoundGrants[], accessUid: string): boolean =>
  accessUid !== "" &&
  grantsOf(granted).some(({ identity, group }) =>
    [identity, group ?? ""].some((uid) => rootOf(uid) === rootOf(accessUid)),
  );

/** The error for a caller whose roles do not allow an action. `isMember` says whether it may know the name. */
async function refusal(
  context: RegistryContext,
  credential: Credential | undefined,
  image: ImageName,
  action: Action,
  isMember = false,
): Promise<RegistryError> {
  if (!credential) return unauthorized(`to ${action} ${image.full}, log in`);
  const needed = `the capabilities ${neededByAction[action]} on the repository or on a group above it`;
  const hint = isMember ? "" : namingHint(context, image);
  const text = `to ${action} ${image.full} you need ${needed}${hint}`;
  const asked = { image, method: action, capabilities: capabilitiesByAction[action] };
  return deniedTo(context, credential, asked, text);
}

/**
 * DENIED with a decision id, which contains the name of the image as it was sent. It does not contain the
 * repository, so the id is the same whether or not the image exists.
 */
export async function deniedTo(
  { config, now }: RegistryContext,
  credential: Credential,
  { image, ...asked }: { image: ImageName; method: string; capabilities: number[] },
  text: string,
): Promise<RegistryError> {
  if (asked.capabilities.length === 0) return denied(text);
  const decision = { ...asked, credential, time: now, resource: "", image: image.full };
  return Object.assign(denied(text), { decisionId: await sealDecision(config, decision) });
}

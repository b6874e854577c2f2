/**
 * `/token` returns a token for images, or a token that only logs in (distribution token specification;
 * contract: registry token endpoint).
 */
import type { Credential, Database } from "../auth/call.ts";
import { toCaller } from "../auth/grants.ts";
import { grantsOf } from "../auth/grants_across.ts";
import { signToken } from "../auth/keys.ts";
import { chainOf } from "../auth/token_chain.ts";
import { recordUse } from "../auth/use.ts";
import {
  decide,
  deniedTo,
  isAction,
  isInOrganization,
  isPublicImage,
  namingHint,
  neededFor,
  readOwnGrants,
  requireIdentity,
} from "./access.ts";
import {
  anonymousSubject,
  catalogAccess,
  type RegistryAccess,
  type RegistryBearer,
  registryTokenLifetime,
} from "./bearer.ts";
import type { RegistryContext } from "./context.ts";
import { denied, type RegistryError, unauthorized } from "./errors.ts";
import { mirroredName } from "./mirror/names.ts";
import { selectRepositoryPath, toRepositoryPath } from "./repository.ts";
import { readTokenRequest, type TokenScope } from "./token_request.ts";

/** The header that says until when the credential is valid that the client logged in with (RFC 3339). */
const expiryHeader = "platform-credential-expires";

/**
 * Returns `{token, access_token, expires_in, issued_at}`, with `expires_in` in seconds. A client that asks for
 * a refresh token gets the token back that it logged in with, so nothing lives longer than that.
 */
export async function issueRegistryToken(context: RegistryContext): Promise<Response> {
  context.databases.trace?.note({ operation: "registry token" });
  const asked = await readTokenRequest(context);
  context.scope = asked.scope;
  const bearer = await asked.authenticate();
  if (bearer?.access)
    throw denied(
      "a token for one image cannot request another token; send the token that you logged in with",
    );
  const mirroredScope = async ({ name, actions }: TokenScope) => ({
    name: (await mirroredName(context, name.full, "")) ?? name,
    actions,
  });
  const mayList = bearer?.credential && (bearer.actions?.includes("pull") ?? true);
  const lists = asked.isForCatalog && mayList ? [catalogAccess] : [];
  const { access, known = [] } =
    asked.scopes.length > 0
      ? await grantScopes(context, bearer, await Promise.all(asked.scopes.map(mirroredScope)))
      : { access: await grantLogin(context, bearer) };
  if (asked.scopes.length > 0 && access.length + lists.length === 0) {
    throw await refusal(context, bearer, asked.scopes, known);
  }
  return tokenResponse(context, bearer, [...access, ...lists], asked);
}

/**
 * The part of the scopes that the bearer has access to, and of which scopes it may know the name. Whether an image exists is
 * not looked at: a push may create it.
 */
async function grantScopes(
  context: RegistryContext,
  bearer: RegistryBearer | undefined,
  scopes: TokenScope[],
): Promise<{ access: RegistryAccess[]; known: boolean[] }> {
  const { access: named, actions: allowed, credential } = bearer ?? {};
  const limits = { access: named, ...(allowed ? { actions: allowed } : {}) };
  const { granted, accessUids } = credential
    ? await readAccessUids(context, credential, bearer, scopes)
    : { granted: [], accessUids: [] };
  const caller = credential && toCaller(grantsOf(granted), credential);
  let isUsed = false;
  const access = scopes.flatMap(({ name, actions }, index): RegistryAccess[] => {
    const accessUid = accessUids[index] ?? "";
    const granted = actions.filter(isAction).filter((action) => {
      const isPublic =
        action === "pull" && (isPublicImage(context, name) || name.openMirror !== undefined);
      const decision = decide(limits, caller, action, {
        ...{ name: name.full, asked: name.asked, accessUid },
        isPublic,
      });
      isUsed ||= decision === "all";
      return decision === "all" || decision === "public";
    });
    const text = name.asked ?? name.full;
    return granted.length > 0 ? [{ type: "repository", name: text, actions: granted }] : [];
  });
  if (caller && isUsed) recordUse(context, caller, granted, { capabilities: [] });
  return { access, known: accessUids.map((uid) => isInOrganization(granted, uid)) };
}

/** The error if there is access to none of the scopes: UNAUTHORIZED without a login, and otherwise DENIED. */
async function refusal(
  context: RegistryContext,
  bearer: RegistryBearer | undefined,
  scopes: TokenScope[],
  known: boolean[],
): Promise<RegistryError> {
  if (!bearer?.credential) {
    return unauthorized(`without a login, you can pull only ${context.config.publicNamespace}/…`);
  }
  const texts = scopes.map(
    ({ name, actions }, index) =>
      `${name.full} for ${actions.join(", ")}${known[index] ? "" : namingHint(context, name)}`,
  );
  const isBeyond = ({ actions }: TokenScope) =>
    actions.some((action) => bearer.actions?.every((one) => one !== action));
  const only = scopes.some(isBeyond) ? `; the key is only for ${bearer.actions?.join(", ")}` : "";
  const text = `you have no access to ${texts.join(", or to ")}${only}`;
  const [first] = scopes;
  if (!first) return denied(text);
  const asked = { image: first.name, method: "token", capabilities: neededFor(first.actions) };
  return deniedTo(context, bearer.credential, asked, text);
}

/**
 * The grants of the caller, and for each scope the uid that decides about access to its image. The images can be in
 * several databases.
 */
async function readAccessUids(
  context: RegistryContext,
  credential: Credential,
  login: RegistryBearer | undefined,
  scopes: TokenScope[],
) {
  const { db, databases } = context;
  const pathsIn = (database: Database) =>
    scopes.map(({ name }) => selectRepositoryPath(database, name));
  const [first, ...rest] = pathsIn(db);
  const others = await databases.othersThan(db);
  const [{ grants: granted, rows }, ...more] = await Promise.all([
    readOwnGrants(context, credential, login ?? {}, first ? [first, ...rest] : []),
    ...others.map((other) => {
      const [firstPath, ...otherPaths] = pathsIn(other);
      return firstPath ? other.batch([firstPath, ...otherPaths]) : [];
    }),
  ]);
  const answers = [rows, ...more];
  const accessUids = scopes.map((_, index) => {
    const path = answers.find((of) => of[index]?.length)?.[index] ?? [];
    return toRepositoryPath(path).accessUid;
  });
  return { granted, accessUids };
}

/** `docker login`: the token gives access to `/v2/` and to no image. */
async function grantLogin(
  context: RegistryContext,
  bearer: RegistryBearer | undefined,
): Promise<RegistryAccess[]> {
  if (!bearer?.credential) {
    throw unauthorized(
      "without a login, a token needs a scope such as repository:<namespace>/<image>:pull",
    );
  }
  await requireIdentity(context, bearer.credential, bearer);
  return [];
}

async function tokenResponse(
  { config, now }: RegistryContext,
  bearer: RegistryBearer | undefined,
  access: RegistryAccess[],
  { refreshToken }: { refreshToken: string | undefined },
): Promise<Response> {
  const expires = Math.min(
    now + registryTokenLifetime,
    bearer?.expires ?? Number.POSITIVE_INFINITY,
  );
  const { scopes, capabilities, act, email, networks } = bearer?.claims ?? {};
  const chain = chainOf(bearer?.claims ?? {});
  const claims = {
    sub: bearer?.claims.sub ?? anonymousSubject,
    aud: config.registryAudience,
    access,
    ...(scopes && { scopes }),
    ...(capabilities && { capabilities }),
    ...(chain.length > 0 && { chain }),
    ...(networks && { networks }),
    ...(act ? { act } : {}),
    ...(email ? { email } : {}),
  };
  const signed = await signToken(config, claims, { issued: now, expires });
  const body = {
    token: signed,
    access_token: signed,
    expires_in: Math.floor(expires / 1000) - Math.floor(now / 1000),
    issued_at: new Date(now).toISOString(),
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
  };
  const headers = new Headers({ "cache-control": "no-store" });
  if (bearer?.credential) headers.set(expiryHeader, new Date(bearer.expires).toISOString());
  return Response.json(body, { headers });
}

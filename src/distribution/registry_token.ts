/**
 * `GET /token` returns a token for one image, or a token that only logs in (distribution token specification;
 * contract: registry token endpoint).
 */
import { quoted } from "../aip/quoted.ts";
import { selectGrants } from "../auth/grant_rows.ts";
import { toCaller } from "../auth/grants.ts";
import { signToken } from "../auth/keys.ts";
import { chainOf } from "../auth/token_chain.ts";
import { allowedActions, isPublicImage, namingHint } from "./access.ts";
import {
  anonymousSubject,
  type RegistryAccess,
  type RegistryBearer,
  readBearer,
} from "./bearer.ts";
import { isGetOrHead, type RegistryContext } from "./context.ts";
import { denied, methodUnsupported, nameUnknown, queryInvalid, unauthorized } from "./errors.ts";
import {
  type ImageName,
  pullScope,
  readImageName,
  selectRepositoryPath,
  toRepositoryPath,
} from "./repository.ts";

/** The lifetime of a registry token, in milliseconds. */
const tokenLifetime = 5 * 60 * 1000;

/** The access that a client requests. */
interface TokenScope {
  name: ImageName;
  actions: string[];
}

/** Returns `{token, access_token, expires_in, issued_at}`, with `expires_in` in seconds. */
export async function issueRegistryToken(context: RegistryContext): Promise<Response> {
  if (!isGetOrHead(context)) throw methodUnsupported(context.request.method);
  const scope = readScope(context);
  if (scope) context.scope = pullScope(scope.name);
  const bearer = await readBearer(context);
  if (bearer?.access)
    throw denied(
      "a token for one image cannot request another token; send the token that you logged in with",
    );
  const access = scope
    ? [await grantScope(context, bearer, scope)]
    : await grantLogin(context, bearer);
  return tokenResponse(context, bearer, access);
}

function readScope({ url, config }: RegistryContext): TokenScope | undefined {
  for (const service of url.searchParams.getAll("service")) {
    if (service === config.registryAudience) continue;
    throw queryInvalid(`service must be ${config.registryAudience}; you sent ${quoted(service)}`);
  }
  const scopes = url.searchParams.getAll("scope").flatMap((one) => one.split(/\s+/));
  const [scope, ...more] = [...new Set(scopes.filter((one) => one !== ""))];
  if (scope === undefined) return undefined;
  if (more.length > 0) throw queryInvalid("a token has one scope; request one at a time");
  const [, type, name = "", list = ""] = /^([^:]*):(.*):([^:]*)$/.exec(scope) ?? [];
  if (type === undefined) {
    const form = "repository:<namespace>/<image>:pull";
    throw queryInvalid(`scope must have the form ${form}; you sent ${quoted(scope)}`);
  }
  if (type !== "repository") {
    throw queryInvalid(`the type of the scope must be repository; you sent ${quoted(type)}`);
  }
  const actions = [...new Set(list.split(",").filter((action) => action !== ""))];
  if (actions.length === 0) throw queryInvalid("the scope must name an action, such as pull");
  return { name: readImageName(name), actions };
}

/** The part of the scope that the bearer has access to. Throws UNAUTHORIZED or DENIED if there is none. */
async function grantScope(
  context: RegistryContext,
  bearer: RegistryBearer | undefined,
  { name, actions }: TokenScope,
): Promise<RegistryAccess> {
  const open = isPublicImage(context, name) ? actions.filter((action) => action === "pull") : [];
  const access = (held: string[]): RegistryAccess => ({
    type: "repository",
    name: name.full,
    actions: held,
  });
  if (!bearer?.credential) {
    if (open.length === 0) {
      throw unauthorized(`without a login, you can pull only ${context.config.publicNamespace}/…`);
    }
    return access(open);
  }
  const { db } = context;
  const grants = selectGrants(db, bearer.credential);
  const [granted, rows] = await db.batch([grants, selectRepositoryPath(db, name)]);
  const caller = toCaller(granted, bearer.credential);
  const place = toRepositoryPath(rows);
  const held = allowedActions(caller, actions, place.at);
  if (held.length === 0 && open.length === 0) {
    throw denied(
      `you have no access to ${name.full} for ${actions.join(", ")}${namingHint(context, name)}`,
    );
  }
  if (place.repo === undefined && held.length > 0) throw nameUnknown(name.full);
  return access([...new Set([...held, ...open])]);
}

/** `docker login`: the token gives access to `/v2/` and to no image. */
async function grantLogin(
  { db }: RegistryContext,
  bearer: RegistryBearer | undefined,
): Promise<RegistryAccess[]> {
  if (!bearer?.credential) {
    throw unauthorized(
      "without a login, a token needs a scope such as repository:<namespace>/<image>:pull",
    );
  }
  const [granted] = await db.batch([selectGrants(db, bearer.credential)]);
  toCaller(granted, bearer.credential);
  return [];
}

async function tokenResponse(
  { config, now }: RegistryContext,
  bearer: RegistryBearer | undefined,
  access: RegistryAccess[],
): Promise<Response> {
  const expires = Math.min(now + tokenLifetime, bearer?.expires ?? Number.POSITIVE_INFINITY);
  const { scopes, capabilities, act, email } = bearer?.claims ?? {};
  const chain = chainOf(bearer?.claims ?? {});
  const claims = {
    sub: bearer?.claims.sub ?? anonymousSubject,
    aud: config.registryAudience,
    access,
    ...(scopes && { scopes }),
    ...(capabilities && { capabilities }),
    ...(chain.length > 0 && { chain }),
    ...(act ? { act } : {}),
    ...(email ? { email } : {}),
  };
  const signed = await signToken(config, claims, { issued: now, expires });
  const body = {
    token: signed,
    access_token: signed,
    expires_in: Math.floor(expires / 1000) - Math.floor(now / 1000),
    issued_at: new Date(now).toISOString(),
  };
  return Response.json(body, { headers: { "cache-control": "no-store" } });
}

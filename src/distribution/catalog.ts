/** `GET /v2/_catalog`, which is not in the OCI specification: many clients begin there (Docker Registry HTTP API V2). */
import type { Credential } from "../auth/call.ts";
import { scopesOf, toCaller } from "../auth/grants.ts";
import { grantsOf, readGrantRows } from "../auth/grants_across.ts";
import { recordUse } from "../auth/use.ts";
import { neededFor } from "./access.ts";
import { catalogAccess, catalogScope, type RegistryBearer } from "./bearer.ts";
import { selectNames } from "./catalog_rows.ts";
import type { RegistryContext } from "./context.ts";
import { insufficientScope, unauthorized } from "./errors.ts";
import { type NamePage, namesResponse, readNamePage } from "./name_pages.ts";

/**
 * Returns `{repositories}`: the names of the repositories that the caller can pull from, in the order of their bytes,
 * with a Link header if there are more. A page can be shorter than the client asks for. Public images are not listed
 * for callers without a role there.
 */
export async function listCatalog(
  context: RegistryContext,
  bearer: RegistryBearer,
): Promise<Response> {
  const credential = requireCatalog(bearer);
  const page = readNamePage(context);
  const capabilities = neededFor(["pull"]);
  const { grants: granted } = await readGrantRows(context, credential, undefined, []);
  const caller = toCaller(grantsOf(granted), credential);
  recordUse(context, caller, granted, { capabilities });
  const rows = await readRows(context, scopesOf(caller, capabilities), page);
  const cut = rows.findIndex(({ isCut }) => isCut === 1);
  const names = rows
    .slice(0, cut === -1 ? page.count : Math.min(cut, page.count))
    .map(({ name }) => name);
  const isShort = names.length < page.count;
  const end = isShort ? rows[cut]?.name : rows.length > names.length ? names.at(-1) : undefined;
  return namesResponse(context, { repositories: names }, { count: page.count, end });
}

/** Throws UNAUTHORIZED for a token that anyone can get, and for one that is only for images. */
function requireCatalog({ credential, access, actions }: RegistryBearer): Credential {
  if (!credential) throw unauthorized("to list repositories, log in");
  const isForCatalog =
    access === undefined
      ? (actions?.includes("pull") ?? true)
      : access.some(
          (entry) =>
            entry.type === catalogAccess.type &&
            entry.name === catalogAccess.name &&
            entry.actions.includes("*"),
        );
  if (isForCatalog) return credential;
  throw insufficientScope(`the token is not for ${catalogScope}; get another one`);
}

/** The rows of all databases, in the order of their names. */
async function readRows({ databases }: RegistryContext, scopes: string[], page: NamePage) {
  const parts = await databases.split(scopes);
  const read = await Promise.all(
    parts.map(async ({ db, uids }) =>
      uids.length === 0 ? [] : await selectNames(db, [...uids], page),
    ),
  );
  return read.flat().sort((a, b) => (a.name < b.name ? -1 : 1));
}

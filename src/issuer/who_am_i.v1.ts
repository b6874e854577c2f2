/** What a token is good for, told to whoever carries it. */
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { asc, eq, inArray } from "drizzle-orm";
import type { Auth } from "../../schema/gen/platform/auth/auth_pb.js";
import type { IdentityMetadata } from "../../schema/gen/platform/iam/v2/identities_pb.js";
import { groups } from "../../schema/tables/groups.ts";
import { identities } from "../../schema/tables/identities.ts";
import { identityMetadata } from "../../schema/tables/identity_metadata.ts";
import { roles } from "../../schema/tables/roles.ts";
import { anyOf } from "../aip/any_of.ts";
import { unauthenticated } from "../aip/errors.ts";
import { parentOf } from "../aip/uid_path.ts";
import { capabilityText, read } from "../auth/access.ts";
import type { Call, Credential, Database } from "../auth/call.ts";
import { isBearer } from "../auth/grant_rows.ts";
import type { Caller } from "../auth/grants.ts";
import { bearerToken, peek } from "../auth/token.ts";
import type { Handlers } from "../rpc/service.ts";

/** What may be done at a group: numbers, ascending, and the roles that it comes from. */
interface Held {
  capabilities: number[];
  roles: Set<string>;
}

/** By the groups' uids, ascending. */
function heldBy({ grants }: Caller): [string, Held][] {
  return [...Map.groupBy(grants, ({ group }) => group)]
    .map(([group, some]): [string, Held] => [
      group,
      {
        capabilities: [...new Set(some.flatMap((one) => [...one.capabilities]))].sort(
          (a, b) => a - b,
        ),
        roles: new Set(some.map(({ role }) => role)),
      },
    ])
    .filter(([, { capabilities }]) => capabilities.length > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

const selectTold = (db: Database, credential: Credential) =>
  db
    .select({ uid: identityMetadata.uid, metadata: identityMetadata.metadata })
    .from(identities)
    .innerJoin(identityMetadata, eq(identityMetadata.uid, identities.uid))
    .where(isBearer(credential));

const groupColumns = {
  uid: groups.uid,
  name: groups.name,
  description: groups.description,
  resourceLimits: groups.resourceLimits,
  verified: groups.verified,
  kind: groups.kind,
  status: groups.status,
};

const roleColumns = {
  uid: roles.uid,
  name: roles.name,
  description: roles.description,
  capabilities: roles.capabilities,
};

type Role = Pick<typeof roles.$inferSelect, keyof typeof roleColumns>;

const selectBuiltIn = (db: Database) =>
  db.select(roleColumns).from(roles).where(eq(roles.parent, "")).orderBy(asc(roles.uid));

/** Reads what the groups are called, and the roles that may allow just what is held there. */
async function describe({ db }: Call, held: [string, Held][]) {
  if (held.length === 0) return [];
  const uids = oneOf(held.map(([group]) => group));
  const bound = oneOf(held.flatMap(([, { roles }]) => [...roles]));
  const [found, own, builtIn] = await db.batch([
    db.select(groupColumns).from(groups).where(inArray(groups.uid, uids)),
    db.select(roleColumns).from(roles).where(inArray(roles.uid, bound)).orderBy(asc(roles.uid)),
    selectBuiltIn(db),
  ]);
  const known = new Map(found.map((group) => [group.uid, group]));
  return held.map(([uid, here]) => {
    const { uid: _, ...row } = known.get(uid) ?? {};
    const group = { ...row, id: uid };
    // Those of the group only: another may be of an organization that the token does not reach.
    const role = roleOf([...own.filter((one) => here.roles.has(one.uid)), ...builtIn], here);
    const names = here.capabilities.map(capabilityText);
    if (!role) return { group, capabilities: names };
    const told = { id: role.uid, name: role.name, description: role.description };
    return { group, role: { ...told, capabilities: names } };
  });
}

const oneOf = (uids: string[]) => anyOf([...new Set(uids)]);

/** The first role that allows just this. Capabilities of roles are ascending too. */
const roleOf = (candidates: Role[], { capabilities }: Held): Role | undefined =>
  candidates.find((role) => role.capabilities.join() === capabilities.join());

/** Identities under a group have no profile: nobody signs in as them. */
function profileOf(uid: string, told: { uid: string; metadata: unknown }[]) {
  const metadata = told.find((one) => one.uid === uid)?.metadata;
  const {
    name = "",
    givenName = "",
    familyName = "",
  } = (metadata ?? {}) as Partial<IdentityMetadata>;
  const isTold = parentOf(uid) === "" && `${name}${givenName}${familyName}` !== "";
  return isTold ? { profile: { name, givenName, familyName } } : {};
}

/** Seconds may have a fraction of any length, a Timestamp has nanoseconds in whole numbers. */
const timeOf = (seconds: number) => timestampFromMs(Math.floor(seconds * 1000));

/** The Validate RPC. Two D1 round trips; one for whoever holds nothing. */
export const validate: Handlers<typeof Auth>["validate"] = async (_, call) => {
  const { credential, db, headers } = call;
  if (!credential) throw unauthenticated("the call carries no credential");
  const { caller, rows } = await read(call, undefined, [selectTold(db, credential)]);
  const capabilities = await describe(call, heldBy(caller));
  // Verified already: the claims that the credential leaves out.
  const { issuer, claims } = peek(bearerToken(headers));
  const { sub, aud, exp, iat } = claims;
  return {
    issuer,
    subject: sub,
    audience: [aud].flat(),
    expiry: timeOf(exp),
    ...(iat !== undefined && { issuedAt: timeOf(iat) }),
    capabilities,
    email: credential.email?.address ?? "",
    ...profileOf(caller.identity, rows[0]),
  };
};

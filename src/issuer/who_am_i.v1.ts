/** Reports to the bearer of a token what access the token gives. */

import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { asc, eq, inArray } from "drizzle-orm";
import type { Auth } from "../../schema/gen/platform/auth/auth_pb.js";
import type { IdentityMetadata } from "../../schema/gen/platform/iam/v2/identities_pb.js";
import { groups } from "../../schema/tables/iam/groups.ts";
import { identities } from "../../schema/tables/iam/identities.ts";
import { identityMetadata } from "../../schema/tables/iam/identity_metadata.ts";
import { roles } from "../../schema/tables/iam/roles.ts";
import type { RowOf } from "../../schema/tables/list_indexes.ts";
import { repos } from "../../schema/tables/registry/repos.ts";
import { valuesSubselect } from "../aip/any_of.ts";
import { unauthenticated } from "../aip/errors.ts";
import { parentOf } from "../aip/uid_path.ts";
import { capabilityLabel, readWithGrants } from "../auth/access.ts";
import { type Call, type Credential, callAtCaller, type Database } from "../auth/call.ts";
import { inEach } from "../auth/databases.ts";
import { isBearer } from "../auth/grant_rows.ts";
import type { Caller } from "../auth/grants.ts";
import { bearerToken, readUnverified } from "../auth/token.ts";
import type { Handlers } from "../rpc/service.ts";

/** The access at a group: capability numbers in ascending order, and the roles that they come from. */
interface HeldCapabilities {
  capabilities: number[];
  roles: Set<string>;
}

/** In ascending order of the groups' uids. */
function capabilitiesByGroup({ grants }: Caller): [string, HeldCapabilities][] {
  return [...Map.groupBy(grants, ({ group }) => group)]
    .map(([group, grantsOfGroup]): [string, HeldCapabilities] => [
      group,
      {
        capabilities: [...new Set(grantsOfGroup.flatMap((grant) => [...grant.capabilities]))].sort(
          (a, b) => a - b,
        ),
        roles: new Set(grantsOfGroup.map(({ role }) => role)),
      },
    ])
    .filter(([, { capabilities }]) => capabilities.length > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

const selectProfile = (db: Database, credential: Credential) =>
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

type Role = Pick<RowOf<typeof roles>, keyof typeof roleColumns>;

const selectBuiltInRoles = (db: Database) =>
  db.select(roleColumns).from(roles).where(eq(roles.parent, "")).orderBy(asc(roles.uid));

/** Reads the names of the groups, and the roles that can give exactly the access there. */
async function describeGrants({ databases }: Call, capabilities: [string, HeldCapabilities][]) {
  if (capabilities.length === 0) return [];
  const uids = uidsSubselect(capabilities.map(([group]) => group));
  const bound = uidsSubselect(capabilities.flatMap(([, { roles }]) => [...roles]));
  const answers = await inEach(databases, (db) =>
    db.batch([
      db.select(groupColumns).from(groups).where(inArray(groups.uid, uids)),
      db
        .select({ uid: repos.uid, name: repos.name, description: repos.description })
        .from(repos)
        .where(inArray(repos.uid, uids)),
      db.select(roleColumns).from(roles).where(inArray(roles.uid, bound)).orderBy(asc(roles.uid)),
      selectBuiltInRoles(db),
    ]),
  );
  // A role can be on a repository, which has the form of a group.
  const groupRows = answers.flatMap(([groupList, repoList]) => [...groupList, ...repoList]);
  const own = answers.flatMap(([, , roleList]) => roleList);
  // Each database has the built-in roles.
  const builtIn = answers[0]?.[3] ?? [];
  const known = new Map(groupRows.map((group) => [group.uid, group]));
  return capabilities.map(([uid, here]) => {
    const { uid: _, ...row } = known.get(uid) ?? {};
    const group = { ...row, id: uid };
    // Only roles of the group itself. Another role can belong to an organization that the token does not
    // reach.
    const role = roleOf(
      [...own.filter((candidate) => here.roles.has(candidate.uid)), ...builtIn],
      here,
    );
    const names = here.capabilities.map(capabilityLabel);
    if (!role) return { group, capabilities: names };
    const roleSummary = { id: role.uid, name: role.name, description: role.description };
    return { group, role: { ...roleSummary, capabilities: names } };
  });
}

const uidsSubselect = (uids: string[]) => valuesSubselect([...new Set(uids)]);

/** The first role with exactly these capabilities. The capabilities of roles are in ascending order too. */
const roleOf = (candidates: Role[], { capabilities }: HeldCapabilities): Role | undefined =>
  candidates.find((role) => role.capabilities.join() === capabilities.join());

/** Identities below a group have no profile, because no one logs in as them. */
function profileOf(uid: string, profiles: { uid: string; metadata: unknown }[]) {
  const metadata = profiles.find((profile) => profile.uid === uid)?.metadata;
  const {
    name = "",
    givenName = "",
    familyName = "",
  } = (metadata ?? {}) as Partial<IdentityMetadata>;
  const hasName = parentOf(uid) === "" && `${name}${givenName}${familyName}` !== "";
  return hasName ? { profile: { name, givenName, familyName } } : {};
}

/** Seconds can have a fraction of any length, and a Timestamp has whole nanoseconds. */
const toTimestamp = (seconds: number) => timestampFromMs(Math.floor(seconds * 1000));

/** The Validate RPC. It takes two D1 round trips, and one for a caller without any access. */
export const validateToken: Handlers<typeof Auth>["validate"] = async (_, anywhere) => {
  const call = callAtCaller(anywhere);
  const { credential, db, headers } = call;
  if (!credential) throw unauthenticated("the call has no credential");
  const { caller, rows } = await readWithGrants(call, undefined, [selectProfile(db, credential)]);
  const capabilities = await describeGrants(call, capabilitiesByGroup(caller));
  // Already verified. These are the claims that the credential leaves out.
  const { issuer, claims } = readUnverified(bearerToken(headers));
  const { sub, aud, exp, iat } = claims;
  return {
    issuer,
    subject: sub,
    audience: [aud].flat(),
    expiry: toTimestamp(exp),
    ...(iat !== undefined && { issuedAt: toTimestamp(iat) }),
    capabilities,
    email: credential.email?.address ?? "",
    ...profileOf(caller.identity, rows[0]),
  };
};

/** The callers: their rows and their tokens. */
import { OWNER_ROLE } from "../../schema/tables/iam/roles.ts";
import { startIssuer } from "../issuer/foreign_issuer.ts";
import { registryAudience, tokenFor } from "../world/platform.ts";
import { below, hex } from "../world/uids.ts";
import type { CostCaller } from "./case.ts";
import { scatteredGroups } from "./many_grants.ts";
import { type CostOrganization, type Row, robotOf, rowTimes, startTime } from "./rows.ts";

export type Tokens = Record<CostCaller, string | undefined>;

/** After every call, so that a call records no use. */
const usedToday = { last_used_time: Date.UTC(2100, 0, 1) };

/** An identity that is bound as owner at these groups. */
function bound(
  uid: string,
  name: string,
  groups: string[],
  more: Row = {},
  use: Row = usedToday,
): Record<string, Row[]> {
  const bindings = groups.map((group) => ({
    uid: below(group, `binding of ${name}`),
    identity_uid: uid,
    role_uid: OWNER_ROLE,
    ...rowTimes(0),
    ...use,
  }));
  return {
    identities: [{ uid, name, last_seen_time: startTime, ...rowTimes(0), ...use, ...more }],
    role_bindings: bindings,
  };
}

/** The login record of a person, which decides whether their provider blocks them. */
const signIn = (provider: string, person: string): Row => ({
  identity_provider_uid: provider,
  identity_uid: person,
  create_time: startTime,
  last_time: startTime,
});

/**
 * The callers of an organization, as {@link CostCaller} names them. The owner has a binding at its root, and the member
 * at three groups below it, and the scattered one at fifty. The robot and the person have one at the root, and tokens
 * of an issuer that runs until it is closed. The job is the robot with a token for the registry. The person has logged in through an identity provider. The newcomer has
 * one at the root and one at the team, and calls for the first time.
 */
export async function openCallers(organization: CostOrganization) {
  const { root, team, third, fourth } = organization;
  const issuer = await startIssuer();
  const uidOf = (name: string) => hex(`caller ${name}`, 40);
  const matching = (subject: string) => ({
    issuer: issuer.url,
    subject,
    relationship_type: 1,
    relationship: { case: "claimMatch", value: { issuer: issuer.url, subject } },
  });
  const rows = [
    bound(uidOf("owner"), "owner", [root]),
    bound(uidOf("member"), "member", [team, third, fourth]),
    bound(uidOf("scattered"), "scattered", scatteredGroups(organization)),
    bound(robotOf(organization), "robot", [root], matching("robot")),
    bound(uidOf("person"), "person", [root], matching("person")),
    bound(uidOf("newcomer"), "newcomer", [root, team], {}, {}),
    { sign_ins: [signIn(below(team, "provider-1"), uidOf("person"))] },
  ];
  const lifetime = 3600;
  const tokens: Tokens = {
    owner: await tokenFor(uidOf("owner"), {}, lifetime),
    member: await tokenFor(uidOf("member"), {}, lifetime),
    scattered: await tokenFor(uidOf("scattered"), {}, lifetime),
    registry: await tokenFor(uidOf("owner"), { aud: registryAudience }, lifetime),
    robot: await issuer.sign({ sub: "robot" }),
    job: await issuer.sign({ sub: "robot", aud: registryAudience }),
    person: await issuer.sign({ sub: "person" }),
    newcomer: await tokenFor(uidOf("newcomer"), {}, lifetime),
    nobody: undefined,
  };
  return { rows, tokens, close: issuer.close };
}

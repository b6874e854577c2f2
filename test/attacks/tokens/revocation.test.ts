/**
 * Access that is removed ends with the next call. Each kind of token is tested with each thing that can be
 * removed.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tiers } from "../../world/tiers.ts";
import {
  type AccessRemoval,
  accessRemovals,
  assumedToken,
  exchangedForeignToken,
  foreignToken,
  type GrantWay,
  grantedForeignToken,
  imageTokenOfWorkload,
  newIssuer,
  newLeaver,
  personTokenMakers,
  refreshToken,
  registryPassword,
  scimToken,
  type TokenMaker,
} from "./leaver.ts";

let shared: Awaited<ReturnType<typeof newIssuer>>;
beforeAll(async () => {
  shared = await newIssuer();
});
afterAll(() => shared.issuer.close());

type Thing = keyof typeof accessRemovals;

/** Changes that end a login, however the person got their access. */
const endsLogin: Thing[] = [
  "the person, by themselves",
  "SCIM deactivation",
  "SCIM deletion",
  "another externalId",
  "the identity provider",
];
const endsGrants: Thing[] = [
  "binding",
  "the role's capabilities",
  "the role, all its bindings with it",
  "the requested group",
];
const endsMapping: Thing[] = ["mapping", "the role's capabilities"];
const ofWorkload: Thing[] = [
  "the workload's binding",
  "the role's capabilities",
  "the workload",
  "the workload's claim match",
];

interface Row {
  name: string;
  kind: TokenMaker;
  way: GrantWay;
  thing: Thing;
}

const rowsOf = (
  kind: string,
  make: TokenMaker,
  things: Thing[],
  way: GrantWay = "binding",
): Row[] =>
  things.map((thing) => ({
    name: `${kind}${way === "mapping" ? " of a mapping" : ""}: ${thing}`,
    ...{ kind: make, way, thing },
  }));

/** Kinds that contain no grants of their own. They are affected by one way of losing a grant. */
const plain = ["exchanged ID token", "narrowed token", "refreshed token", "image token"];

/** Changes that end the grants behind a kind. A page or an image is not in a group that could be deleted. */
function grantsBehind(kind: string): Thing[] {
  if (plain.includes(kind)) return ["binding"];
  return endsGrants.filter((thing) => thing !== "the requested group" || kind === "login token");
}

/**
 * Kinds that contain groups. A login with mapped groups has no refresh token, and an image token names no
 * groups.
 */
const carriesGroups = ["login token", "token exchanged again", "page token", "registry token"];

const rows: Row[] = [
  ...Object.entries(personTokenMakers).flatMap(([kind, make]) => [
    ...rowsOf(kind, make, [...grantsBehind(kind), ...endsLogin]),
    ...(carriesGroups.includes(kind) ? rowsOf(kind, make, endsMapping, "mapping") : []),
  ]),
  ...rowsOf("refresh token", refreshToken, endsLogin),
  ...rowsOf("assumed token", assumedToken, [
    ...(["the robot's binding", "the role's capabilities", "the robot"] as const),
    ...endsLogin,
  ]),
  ...rowsOf("foreign token", foreignToken, ofWorkload),
  ...rowsOf("exchanged foreign token", exchangedForeignToken, ofWorkload),
  ...rowsOf("foreign token of the token endpoint", grantedForeignToken, ofWorkload),
  ...rowsOf("foreign token as a password of the registry", registryPassword, ofWorkload),
  ...rowsOf("image token of a foreign token", imageTokenOfWorkload, ofWorkload),
  ...rowsOf("SCIM token", scimToken, ["the SCIM token", "the identity provider"]),
];

describe("a token is rejected at the next call:", () => {
  const ofKindOrThing = [({ kind }: Row) => kind.name, ({ thing }: Row) => thing];
  for (const [some, tier] of tiers(rows, ...ofKindOrThing))
    test.for(some.map((row) => [row.name, row] as const))("%s", tier, async ([_, row]) => {
      const { kind, way, thing } = row;
      const leaver = await newLeaver(shared, way);
      const ask = await kind(leaver);
      expect(await ask()).toBe(200);
      await (accessRemovals[thing] as AccessRemoval)(leaver);
      const gone = thing === "the requested group" ? [403, 404] : [401, 403];
      expect(gone).toContain(await ask());
    });
});

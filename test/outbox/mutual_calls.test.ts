/** Pairs of calls that each remove what the other needs: both never succeed. */
import { beforeAll, expect, test } from "vitest";
import {
  createResource,
  newOrganization,
  newUser,
  type Organization,
  randomName,
  roleUid,
} from "../world/personas.ts";
import { callRest, sql } from "../world/platform.ts";
import { long } from "../world/tiers.ts";

/** The rounds of each race. The calls do not overlap in every one. */
const rounds = 15;

let organization: Organization;
beforeAll(async () => {
  organization = await newOrganization();
});

test("of two owners who take the role from each other, one remains", async () => {
  const owner = await roleUid("owner");
  for (let round = 0; round < rounds; round += 1) {
    const { uid, owner: ada } = await newOrganization();
    const bob = await newUser();
    const body = { identityUid: bob.uid, roleUid: owner };
    const ofBob = await createResource(`/iam/v2/roleBindings/${uid}`, ada.token, body);
    const [ofAda] = await sql("select uid from role_bindings where identity_uid = ?", ada.uid);
    const take = (binding: unknown, token: string) =>
      callRest(`/iam/v2/roleBindings/${binding}`, { method: "DELETE", token });
    const answers = await Promise.all([take(ofBob.uid, ada.token), take(ofAda?.uid, bob.token)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    const left = await sql("select uid from role_bindings where parent = ?", uid);
    expect(left).toHaveLength(1);
  }
});

test("a person who has left does not own an organization, and the only owner of one cannot leave", async () => {
  for (let round = 0; round < rounds; round += 1) {
    const ada = await newUser();
    const [founded, left] = await Promise.all([
      callRest("/iam/v2/groups", { token: ada.token, body: { name: randomName("founded") } }),
      callRest(`/auth/v1/delete/${ada.uid}`, { method: "DELETE", token: ada.token }),
    ]);
    const owned = await sql("select uid from role_bindings where identity_uid = ?", ada.uid);
    const hasLeft = left.status === 200;
    expect([founded.status === 200, owned.length]).toEqual(hasLeft ? [false, 0] : [true, 1]);
    if (!hasLeft) expect(left.body.details[0].reason).toBe("LAST_OWNER");
  }
});

test("two repositories that become copies of each other end up equal", async () => {
  const { uid, owner } = organization;
  const { token } = owner;
  for (let round = 0; round < rounds; round += 1) {
    const [one, other] = await Promise.all(
      ["application", "base"].map((bundle) =>
        createResource(`/registry/v2/repos/${uid}`, token, {
          name: randomName(bundle),
          bundles: [bundle],
        }),
      ),
    );
    if (!one || !other) throw new Error("two repos are made");
    const copy = (of: string, from: string) =>
      callRest(`/registry/v2/repos/${of}?updateMask=sync_config`, {
        method: "PATCH",
        token,
        body: { sync_config: { source: from } },
      });
    await Promise.all([copy(one.uid, other.uid), copy(other.uid, one.uid)]);
    const bundles = await sql("select bundles from repos where uid in (?, ?)", one.uid, other.uid);
    expect(bundles[0]).toEqual(bundles[1]);
  }
});

test("of two groups that name each other as parents, one is rejected", long, async () => {
  for (let round = 0; round < rounds; round += 1) {
    const { uid, owner } = await newOrganization();
    const [x, y] = [randomName("x"), randomName("y")];
    for (const name of [x, y]) await createResource(`/iam/v2/groups/${uid}`, owner.token, { name });
    const add = (parent: string, name: string) =>
      callRest(`/iam/v2/groups/${parent}`, { token: owner.token, body: { name } });
    const answers = await Promise.all([add(x, y), add(y, x)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  }
});

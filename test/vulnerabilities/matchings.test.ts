/** How much matching is left, as `GetMatching` counts it. */
import { expect, test } from "vitest";
import { createResource, newOrganization, randomName } from "../world/personas.ts";
import { callRest, sql } from "../world/platform.ts";

test("the advisories and images below a group are counted, and those of others are not", async () => {
  const [organization, other] = [await newOrganization(), await newOrganization()];
  const { uid, owner } = organization;
  const { token } = owner;
  const group = await createResource(`/iam/v2/groups/${uid}`, token, { name: randomName("group") });
  const step = (n: number) => String(n).repeat(16);
  const marks: [root: string, kind: number, uid: string][] = [
    [uid, 2, `${uid}/${step(1)}`],
    [uid, 2, `${group.uid}/${step(2)}`],
    [uid, 2, `${group.uid}/${step(3)}`],
    [uid, 1, `${group.uid}/${step(4)}/${step(5)}`],
    [uid, 3, `${group.uid} CVE-1`],
    [uid, 4, `${group.uid}/${step(4)}/${step(5)}`],
    [other.uid, 2, `${other.uid}/${step(6)}`],
  ];
  for (const [root, kind, marked] of marks)
    await sql(
      "insert into match_marks (root, kind, uid, revision, cursor) values (?, ?, ?, 1, '')",
      ...[root, kind, marked],
    );
  const left = async (of: string) =>
    (await callRest(`/vulnerabilities/v2/matchings/${of}`, { token })).body;
  expect(await left(uid)).toEqual({ uid, advisoriesLeft: 3, imagesLeft: 1 });
  expect(await left(group.uid)).toEqual({ uid: group.uid, advisoriesLeft: 2, imagesLeft: 1 });
  await sql("delete from match_marks where root in (?, ?)", uid, other.uid);
  expect(await left(uid)).toMatchObject({ advisoriesLeft: 0, imagesLeft: 0 });
});

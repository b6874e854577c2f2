import { expect, test } from "vitest";
import { withoutDecisionId } from "../contract/decisions.ts";
import { createResource, newIdentity, newOrganization, randomName } from "../world/personas.ts";
import { callRest, costOf, registryAudience, sql, tokenFor } from "../world/platform.ts";
import {
  addMoves,
  digestNumber,
  newImage,
  newVerified,
  publicImage,
  pullToken,
  readHistory,
  refusalOf,
  registryToken,
} from "./stored_images.ts";

async function privateImage() {
  const organization = await newVerified();
  const repo = await newImage(organization);
  const puller = await newIdentity(organization, "registry.pull");
  const name = `${organization.name}/image`;
  return { organization, repo, puller, name, token: await registryToken(puller.uid) };
}

const three = [0, 1, 2].map((n) => ({
  updateTimestamp: `2026-01-01T0${n}:00:00.000Z`,
  digest: digestNumber(n),
}));

test("an image token can read the digests of a tag, oldest first, in one round trip", async () => {
  const { name, token } = await privateImage();
  const answer = await readHistory(name, "latest", await pullToken(name, token));
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({ history: three });
  expect(costOf(answer).roundTrips).toBe(1);
  expect(answer.headers.get("docker-distribution-api-version")).toBe("registry/2.0");
});

test("a registry token of the token service can read them too, also by the organization's uid", async () => {
  const { organization, name, token } = await privateImage();
  expect((await readHistory(name, "latest", token)).body).toEqual({ history: three });
  const byUid = await readHistory(`${organization.uid}/image`, "latest", token);
  expect(byUid.body).toEqual({ history: three });
});

test("an unverified organization can be named only by its uid", async () => {
  const organization = await newOrganization();
  await newImage(organization);
  const token = await registryToken(organization.owner.uid);
  expect((await readHistory(`${organization.uid}/image`, "latest", token)).status).toBe(200);
  expect((await readHistory(`${organization.name}/image`, "latest", token)).status).toBe(403);
});

test("an image name can go through subgroups and have slashes, percent-encoded or not", async () => {
  const { organization, token } = await privateImage();
  const group = await createResource(
    `/iam/v2/groups/${organization.uid}`,
    organization.owner.token,
    {
      name: "team",
    },
  );
  await newImage(organization, "deep/er", group.uid);
  await newImage(organization, "a/b/c");
  for (const image of ["team/deep/er", "a/b/c", "a%2Fb%2Fc", "team%2fdeep/er"]) {
    const { status, body } = await readHistory(`${organization.name}/${image}`, "latest", token);
    expect([image, status, body.history?.length]).toEqual([image, 200, 3]);
  }
  expect((await readHistory(`${organization.name}/deep/er`, "latest", token)).status).toBe(404);
  const encoded = await callRest(`/v2/${organization.name}%2Fa%2Fb%2Fc/%5Fvendor/history/latest`, {
    token,
  });
  expect(encoded.status).toBe(200);
});

test("the organization's own repository is found before one in a subgroup with the same path", async () => {
  const { organization, token } = await privateImage();
  const { owner, uid } = organization;
  const group = await createResource(`/iam/v2/groups/${uid}`, owner.token, { name: "team" });
  await newImage(organization, "tool", group.uid);
  const own = await createResource(`/registry/v2/repos/${uid}`, owner.token, { name: "team/tool" });
  await addMoves(own.uid, "latest", 1);
  const { body } = await readHistory(`${organization.name}/team/tool`, "latest", token);
  expect(body.history).toHaveLength(1);
});

test("a token for pushing cannot read history", async () => {
  const { name, puller } = await privateImage();
  const access = [{ type: "repository", name, actions: ["push"] }];
  const token = await registryToken(puller.uid, { access });
  expect(refusalOf(await readHistory(name, "latest", token))).toEqual([403, "DENIED"]);
});

test("a revoked role binding stops an image token at once", async () => {
  const { organization, name, puller, token } = await privateImage();
  const image = await pullToken(name, token);
  expect((await readHistory(name, "latest", image)).status).toBe(200);
  await sql("delete from role_bindings where identity_uid = ?", puller.uid);
  expect(refusalOf(await readHistory(name, "latest", image))).toEqual([403, "DENIED"]);
  const { uid, owner } = organization;
  await callRest(`/iam/v2/identities/${puller.uid}`, { method: "DELETE", token: owner.token });
  expect(refusalOf(await readHistory(name, "latest", image))).toEqual([401, "UNAUTHORIZED"]);
  expect(uid).toBeDefined();
});

test("without a token, the challenge names the required scope", async () => {
  const { name } = await privateImage();
  const answer = await readHistory(name, "latest");
  expect(refusalOf(answer)).toEqual([401, "UNAUTHORIZED"]);
  expect(answer.headers.get("www-authenticate")).toContain(`scope="repository:${name}:pull"`);
});

test("an expired token is rejected with 401", async () => {
  const { name, puller } = await privateImage();
  const expired = await tokenFor(puller.uid, { aud: registryAudience }, -60);
  expect(refusalOf(await readHistory(name, "latest", expired))).toEqual([401, "UNAUTHORIZED"]);
});

test("an identity in a subgroup cannot see the organization's images", async () => {
  const { organization, name } = await privateImage();
  const { uid, owner } = organization;
  const group = await createResource(`/iam/v2/groups/${uid}`, owner.token, { name: "team" });
  await newImage(organization, "inner", group.uid);
  const inner = await newIdentity(organization, "owner", { group: group.uid });
  const token = await registryToken(inner.uid);
  expect(refusalOf(await readHistory(name, "latest", token))).toEqual([403, "DENIED"]);
  expect((await readHistory(`${organization.name}/team/inner`, "latest", token)).status).toBe(200);
  const absent = await readHistory(`${organization.name}/team/absent`, "latest", token);
  expect(refusalOf(absent)).toEqual([404, "NAME_UNKNOWN"]);
});

test("the response to a caller who cannot pull is the same whether or not the image and the tag exist", async () => {
  const { organization, name } = await privateImage();
  const stranger = await registryToken((await newIdentity(organization, undefined)).uid);
  const asked = [
    [name, "latest"],
    [name, "no-such-tag"],
    [`${organization.name}/nothing`, "latest"],
    ["nobody.example/image", "latest"],
  ] as const;
  const answers = await Promise.all(asked.map(([image, tag]) => readHistory(image, tag, stranger)));
  const texts = answers.map(({ body }, n) =>
    withoutDecisionId(body)
      .replace(`${asked[n]?.join(":")}`, "")
      .replace(`of ${asked[n]?.[0].split("/")[0]}, which`, "of , which"),
  );
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  expect(new Set(texts).size).toBe(1);
});

test("an unknown image and an unknown tag have different errors for callers who can pull", async () => {
  const { organization, name, token } = await privateImage();
  expect(refusalOf(await readHistory(`${organization.name}/nothing`, "latest", token))).toEqual([
    404,
    "NAME_UNKNOWN",
  ]);
  expect(refusalOf(await readHistory(name, "never", token))).toEqual([404, "MANIFEST_UNKNOWN"]);
});

test("the history of a deleted tag is still served", async () => {
  const { organization, repo, name, token } = await privateImage();
  const body = { name: "gone", digest: digestNumber(7) };
  const tag = await createResource(`/registry/v2/tags/${repo}`, organization.owner.token, body);
  const removed = await callRest(`/registry/v2/tags/${tag.uid}`, {
    method: "DELETE",
    token: organization.owner.token,
  });
  expect(removed.status).toBe(200);
  const answer = await readHistory(name, "gone", token);
  expect(answer.body.history).toMatchObject([{ digest: digestNumber(7) }]);
});

test.for(["latest", "latest-dev"])("anyone can read the tag %s of a public image", async (tag) => {
  const { name } = await publicImage([tag]);
  const { status, body } = await readHistory(name, tag, await pullToken(name));
  expect([status, body.history?.length]).toEqual([200, 3]);
});

test("no one can read another tag of a public image, whether or not it exists", async () => {
  const { name } = await publicImage(["latest", "1.2"]);
  const token = await pullToken(name);
  expect(refusalOf(await readHistory(name, "1.2", token))).toEqual([403, "DENIED"]);
  expect(refusalOf(await readHistory(name, "9.9", token))).toEqual([403, "DENIED"]);
});

test("an error about a name says that the uid works, and is the same whether or not the organization exists", async () => {
  const organization = await newOrganization("fresh");
  await newImage(organization, "tool");
  const { uid, name } = organization;
  const token = await registryToken(organization.owner.uid);
  const nobody = randomName("fresh");
  const refusals = await Promise.all(
    [name, nobody].map((one) => readHistory(`${one}/tool`, "latest", token)),
  );
  const [there, away] = refusals.map(({ body }) => body.errors[0].message);
  expect(refusals.map(refusalOf)).toEqual([
    [403, "DENIED"],
    [403, "DENIED"],
  ]);
  expect(there).toContain("address any other by its uid");
  expect(away).toBe(there.replaceAll(name, nobody));
  expect((await readHistory(`${uid}/tool`, "latest", token)).status).toBe(200);
  const stranger = await registryToken((await newOrganization()).owner.uid);
  const byUid = (await readHistory(`${uid}/tool`, "latest", stranger)).body.errors[0].message;
  expect(byUid).not.toContain("verified");
  const { name: image } = await publicImage(["latest", "1.2"]);
  const ofPublic = (await readHistory(image, "1.2", stranger)).body.errors[0].message;
  expect(ofPublic).not.toContain("verified");
});

test("an anonymous token that names a private image gives no access", async () => {
  const { name } = await privateImage();
  const access = [{ type: "repository", name, actions: ["pull"] }];
  const token = await registryToken("anonymous", { access });
  expect(refusalOf(await readHistory(name, "latest", token))).toEqual([403, "DENIED"]);
});

test("a person who is logged in and has no role can read the public tags of public images, and no others", async () => {
  const { name } = await publicImage(["latest", "1.2"]);
  const organization = await newOrganization();
  const token = await registryToken(organization.owner.uid);
  expect((await readHistory(name, "latest", token)).status).toBe(200);
  expect(refusalOf(await readHistory(name, "1.2", token))).toEqual([403, "DENIED"]);
});

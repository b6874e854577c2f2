/** ListTags returns the tags that should be signed and are not. */
import { generateKeyPairSync } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { commandsOf } from "../../cli/command.ts";
import { createResource, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { newRepoIn, putManifest } from "../images/stored_images.ts";

let organization: Organization;
let repo: string;
let other: string;
let policy: string;

const key = generateKeyPairSync("ec", { namedCurve: "P-256" })
  .publicKey.export({ type: "spki", format: "pem" })
  .toString();

const newPolicy = async (parent: string) =>
  (
    await createResource(`/registry/v2/trustPolicies/${parent}`, organization.owner.token, {
      ...{ name: "release", publicKeys: [key] },
    })
  ).uid as string;

async function newTag(of: string, name: string) {
  const digest = await putManifest(organization, of);
  await createResource(`/registry/v2/tags/${of}`, organization.owner.token, { name, digest });
  const [manifest] = await sql<{ uid: string }>(
    "select uid from manifests where parent = ? and digest = ?",
    ...[of, digest],
  );
  return { digest, manifest: String(manifest?.uid) };
}

/** Stores a verdict about an image. `offset` is added to the time of the trust. */
const verify = (
  { digest, manifest }: { digest: string; manifest: string },
  { predicate = "", offset = 0, expires = null as number | null } = {},
) =>
  sql(
    `insert into verified_signatures (uid, layer, policy_uid, trust_time, digest, predicate_type, key_id, issuer, subject,
      log_id, expire_time, create_time)
      select ?, ?, uid, trust_time + ?, ?, ?, 'k', '', '', '', ?, 1 from trust_policies where uid = ?`,
    ...[manifest, `layer of ${digest}`, offset, digest, predicate, expires, policy],
  );

async function unsigned(scope: string): Promise<string[]> {
  const query = new URLSearchParams({ "uidp.descendants_of": scope, unsigned: "true" });
  const { token } = organization.owner;
  const { status, body } = await callRest(`/registry/v2/tags?${query}`, { token });
  expect(status, JSON.stringify(body)).toBe(200);
  return (body.tags ?? []).map(({ name }: { name: string }) => name).sort();
}

beforeAll(async () => {
  organization = await newOrganization();
  [repo, other] = [await newRepoIn(organization), await newRepoIn(organization)];
  const signed = await newTag(repo, "signed");
  const attested = await newTag(repo, "attested");
  const distrusted = await newTag(repo, "distrusted");
  const expired = await newTag(repo, "expired");
  await newTag(repo, "bare");
  await newTag(other, "free");
  expect(await unsigned(organization.uid)).toEqual([]);
  policy = await newPolicy(repo);
  await verify(signed);
  await verify(attested, { predicate: "https://slsa.dev/provenance/v1" });
  await verify(distrusted, { offset: 1 });
  await verify(expired, { expires: 5 });
});

test("only tags below a trust policy, and without a signature that counts now", async () => {
  const names = ["attested", "bare", "distrusted", "expired"];
  expect(await unsigned(organization.uid)).toEqual(names);
  expect(await unsigned(repo)).toEqual(names);
  expect(await unsigned(other)).toEqual([]);
});

test("platformctl lists them by a flag", async () => {
  const run = await commandsOf(organization);
  const { code, out, err } = await run(["list", "tags", "--unsigned", "--group", organization.uid]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  for (const name of ["attested", "bare", "distrusted", "expired"]) expect(out).toContain(name);
  expect(out).not.toMatch(/\bsigned\b/);
});

test("a policy of a group is about all its repositories", async () => {
  await newPolicy(organization.uid);
  expect(await unsigned(other)).toEqual(["free"]);
});

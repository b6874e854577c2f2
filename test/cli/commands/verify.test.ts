/** `platformctl verify`: what a person sees of the signatures of an image. */
import { beforeAll, expect, test } from "vitest";
import { newKeySigner } from "../../signatures/signed_forms.ts";
import { createResource, newOrganization, type Organization } from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";
import { commandsOf } from "../command.ts";

let organization: Organization;
let platformctl: Awaited<ReturnType<typeof commandsOf>>;
let repo = "";
let policy = "";
let manifest: { uid: string; digest: string };

const run = (...line: string[]) => platformctl(line, { env: { PLATFORM_GROUP: organization.uid } });

/** Stores a verdict, as a push does. */
const verified = (signer: { keyId?: string; subject?: string; predicate?: string }) =>
  sql(
    `insert into verified_signatures (uid, layer, policy_uid, trust_time, digest, predicate_type, key_id, issuer, subject, log_id, create_time)
      select ?, ?, uid, trust_time, ?, ?, ?, ?, ?, '', 1000 from trust_policies where uid = ?`,
    ...[manifest.uid, JSON.stringify(signer), manifest.digest, signer.predicate ?? ""],
    ...[signer.keyId ?? "", signer.subject ? "https://issuer.example.com" : ""],
    ...[signer.subject ?? "", policy],
  );

beforeAll(async () => {
  organization = await newOrganization();
  platformctl = await commandsOf(organization);
  const { uid, owner } = organization;
  const { token } = owner;
  ({ uid: repo } = await createResource(`/registry/v2/repos/${uid}`, token, { name: "app" }));
  const content = btoa(JSON.stringify({ config: { size: 1 }, layers: [] }));
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  manifest = (await createResource(`/registry/v2/manifests/${repo}`, token, {
    ...{ content, mediaType },
  })) as never;
  await createResource(`/registry/v2/tags/${repo}`, token, {
    ...{ name: "latest", digest: manifest.digest },
  });
  const publicKeys = [(await newKeySigner()).pem];
  ({ uid: policy } = await createResource(`/registry/v2/trustPolicies/${repo}`, token, {
    ...{ name: "release-key", publicKeys },
  }));
});

test("verify ends with 1 and the reason while no signature counts, and with 0 after that", async () => {
  const unsigned = await run("verify", "app:latest");
  expect(unsigned).toMatchObject({ code: 1, err: "" });
  expect(unsigned.out).toContain("has no signature that counts. 0 signatures are stored");
  await sql(
    `insert into pushed_signatures (uid, digest, create_time, check_time, fault) values (?, ?, 1, 1, 'it is about another image')`,
    ...[manifest.uid, manifest.digest],
  );
  expect((await run("verify", "app:latest")).out).toContain(": it is about another image");
  await verified({ keyId: "ab".repeat(32), predicate: "https://slsa.dev/provenance/v1" });
  expect(await run("verify", "app:latest")).toMatchObject({ code: 1, err: "" });
  await verified({ keyId: "ab".repeat(32) });
  const signed = await run("verify", "app:latest");
  expect(signed).toMatchObject({ code: 0, err: "" });
  expect(signed.out).toContain(`@${manifest.digest} is signed:\n`);
  expect(signed.out).toContain(
    `  signature by key ${"ab".repeat(32)}, trusted by release-key, pushed 1970-01-01T00:00:01`,
  );
  expect(signed.out).toContain("To check it yourself, run:\n  cosign verify");
  expect((await run("verify", `app@${manifest.digest}`)).out).toBe(signed.out);
});

test("verify --json has the verdicts and the commands", async () => {
  await verified({ subject: "it's me" });
  const { out } = await run("verify", "app:latest", "--json");
  const { verified: isVerified, verdicts, commands, digest } = JSON.parse(out);
  expect([isVerified, digest, verdicts.length]).toEqual([true, manifest.digest, 3]);
  expect(commands).toContainEqual(
    expect.stringContaining(`--certificate-identity 'it'\\''s me' --certificate-oidc-issuer`),
  );
});

test("verify shows the verdict that the platform has signed, while a signature counts by the policy", async () => {
  const digest = `sha256:${"e".repeat(64)}`;
  await sql("update trust_policies set sign_verdicts = 1 where uid = ?", policy);
  const sign = (manifestDigest: string, policyUid = policy) =>
    sql(
      "insert or replace into signed_verdicts (uid, policy_uid, digest, manifest, key_id) values (?, ?, ?, ?, ?)",
      ...[manifest.uid, policyUid, manifest.digest, manifestDigest, "12".repeat(32)],
    );
  await sign("");
  expect((await run("verify", "app:latest")).out).not.toContain("verdict of the platform");
  await sign(digest);
  await sign(digest, `${repo}/${"9".repeat(16)}`);
  const { code, out } = await run("verify", "app:latest");
  expect(code).toBe(0);
  const line = `verdict of the platform about release-key, key ${"12".repeat(32)}, ${digest}`;
  expect(out.split(line)).toHaveLength(2);
  expect(out).toMatch(
    /cosign verify-attestation --key <\(curl -s \S+\/\.well-known\/jwks\.pem\) .*verification_summary\/v1 \S+@sha256:/,
  );
  const { signedVerdicts } = JSON.parse((await run("verify", "app:latest", "--json")).out);
  expect(signedVerdicts).toEqual([
    { trustPolicyUid: policy, trustPolicy: "release-key", digest, keyId: "12".repeat(32) },
  ]);
  await sql("delete from verified_signatures where uid = ? and predicate_type = ''", manifest.uid);
  expect((await run("verify", "app:latest")).out).not.toContain("verdict of the platform");
});

test("describe tag and list manifests show whether an image is verified", async () => {
  await verified({ keyId: "cd".repeat(32) });
  const described = await run("describe", "tag", "app:latest");
  expect(described.out).toMatch(/Signatures:\s+verified/);
  expect(described.out).toContain("release-key");
  expect((await run("list", "manifests", "--repo", "app")).out).toContain("verified");
});

test("verify of a tag that does not exist says so", async () => {
  expect(await run("verify", "app:other")).toMatchObject({ code: 1, out: "" });
});

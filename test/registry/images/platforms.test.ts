import { beforeAll, expect, test } from "vitest";
import { newOrganization, type Organization } from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { newRepoIn, putIndex, putManifest } from "./stored_images.ts";

let organization: Organization;
let repo: string;
beforeAll(async () => {
  organization = await newOrganization();
  repo = await newRepoIn(organization);
});

const get = (digest: string, what: string) =>
  callRest(`/registry/v1/repos/${repo}/digests/${digest}/${what}`, {
    token: organization.owner.token,
  });

const configOf = (architecture: string, User: string, variant?: string) =>
  JSON.stringify({ architecture, variant, os: "linux", config: { User } });

test("an image for 64-bit ARM is found by both its names, and other ARM images by their own", async () => {
  const user = (name: string, variant?: string) =>
    putManifest(organization, repo, configOf("arm", name, variant));
  const arm64 = await putManifest(organization, repo, configOf("arm64", "eight", "v8"));
  const index = await putIndex(organization, repo, [
    ["arm/v6", await user("six", "v6")],
    ["arm/v7", await user("seven", "v7")],
    ["arm64/v8", arm64],
  ]);
  const { token } = organization.owner;
  const v2 = `/registry/v2/repos/${repo}/digests/${index}`;
  const stored = "update manifests set entries = replace(entries, ?, ?) where digest = ?";
  const names = ['"architecture":"arm64"', '"architecture":"arm64/v8"', index];
  // As it is written now, and as it was before there was one name for both.
  for (const write of [() => sql("select 1"), () => sql(stored, ...names)]) {
    await write();
    for (const arch of ["arm64", "arm64%2Fv8"]) {
      expect((await get(index, `imageconfig?arch=${arch}`)).body, arch).toEqual({ user: "eight" });
      expect((await get(arm64, `imageconfig?arch=${arch}`)).body, arch).toEqual({ user: "eight" });
      for (const digest of [index, arm64]) {
        const { body } = await get(digest, `size?arch=${arch}`);
        expect(body, arch).toEqual({ size: "15", arch: "arm64" });
      }
      const { body } = await callRest(`${v2}/size?architecture=${arch}`, { token });
      expect(body).toEqual({ size: "15", architecture: "arm64" });
    }
    const archs = ["arm/v6", "arm/v7", "arm64"];
    expect((await get(index, "architectures")).body).toEqual({ archs });
    const { body } = await callRest(`${v2}/architectures`, { token });
    expect(body.architectures).toEqual(archs);
    for (const [arch, name] of [
      ["arm%2Fv6", "six"],
      ["arm%2Fv7", "seven"],
    ]) {
      expect((await get(index, `imageconfig?arch=${arch}`)).body).toEqual({ user: name });
    }
    expect((await get(index, "imageconfig?arch=arm")).body).toEqual({});
  }
  const [row] = await sql<{ entries: string }>(
    "select entries from manifests where digest = ?",
    index,
  );
  expect(row?.entries).toContain("arm64/v8");
});

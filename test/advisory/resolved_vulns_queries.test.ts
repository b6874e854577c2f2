import { beforeEach, describe, expect, test } from "vitest";
import { insertRow, randomHex } from "../vulnerabilities/callers.ts";
import {
  createResource,
  fakeDigest,
  newOrganization,
  type Organization,
  randomName,
} from "../world/personas.ts";
import { callRest, sql } from "../world/platform.ts";
import { defaultDay, insertFix, newRepo } from "./fixed_images.ts";

let ours: Organization;
let token: string;
beforeEach(async () => {
  ours = await newOrganization();
  token = ours.owner.token;
});

/** The vulnerabilities resolved in images that the query gives as texts. */
async function overRest(refs: string[], path = "/advisory/v2/images/resolvedVulns") {
  const times = path.includes("/v1/") ? ["from", "to"] : ["startTime", "endTime"];
  const query = new URLSearchParams(times.map((name) => [name, `${defaultDay}T00:00:00Z`]));
  for (const one of refs) query.append("imageRefs", one);
  return callRest(`${path}?${query}`, { token });
}

/** The fixed ids in the responses of both versions. */
const idsIn = ({ body }: Awaited<ReturnType<typeof overRest>>): string[] =>
  (body.resolvedVulnsReports ?? body.items ?? []).flatMap(
    ({ resolvedVulns }: { resolvedVulns: { id: string }[] }) => resolvedVulns.map(({ id }) => id),
  );

describe.each(["/advisory/v2/images/resolvedVulns", "/advisory/v1/images/resolved_vulns"])(
  "GET %s",
  (path) => {
    test("accepts images as JSON and as text", async () => {
      const { name } = await newRepo(ours.uid, ["latest", "1.0"]);
      const other = await newRepo(ours.uid, ["1.0"]);
      await insertFix(ours.uid, name, "A");
      await insertFix(ours.uid, other.name, "B");
      const ids = async (...refs: string[]) => idsIn(await overRest(refs, path)).sort();
      expect(await ids(name)).toEqual(["A"]);
      expect(await ids(other.name)).toEqual([]);
      expect(await ids(name, `${other.name}:1.0`)).toEqual(["A", "B"]);
      const json = JSON.stringify({ repo: other.name, tags: ["0.9", "1.0"] });
      expect(await ids(`${name}:latest`, json)).toEqual(["A", "B"]);
      expect(await ids(`${name}:0.9`)).toEqual([]);
    });

    test.each([
      ["{", "image_refs[1]"],
      ["python@sha256:0", "image_refs[1]"],
      ['{"repo":5}', "image_refs[1].repo"],
      ['{"tags":["1.0"]}', "image_refs[1].repo"],
      ["", "image_refs[1].repo"],
    ])("rejects %j and names its position", async (text, field) => {
      const answer = await overRest(["python", text], path);
      expect(answer.status).toBe(400);
      expect(answer.body.details[1].fieldViolations[0].field).toBe(field);
    });
  },
);

describe("an image that is named as it would be pulled", () => {
  test("is the repository at that path, and not another one with its name", async () => {
    const group = await createResource(`/iam/v2/groups/${ours.uid}`, token, { name: "tools" });
    const { name } = await newRepo(ours.uid);
    const below = `${group.uid}/${randomHex(16)}`;
    await insertRow("repos", { uid: below, name, create_time: 1, update_time: 1 });
    const row = { uid: `${below}/${randomHex(16)}`, name: "1.0", digest: fakeDigest("now") };
    await insertRow("tags", { ...row, create_time: 1, update_time: 1 });
    await insertFix(ours.uid, name, "A");
    const verified = `${randomName("org")}.example`;
    await sql("update groups set verified = 1, name = ? where uid = ?", verified, ours.uid);
    const ids = async (text: string) => idsIn(await overRest([text]));
    const host = "localhost:8787";
    for (const organization of [ours.uid, verified, `${host}/${verified}`]) {
      expect(await ids(`${organization}/${name}:latest`)).toEqual(["A"]);
      expect(await ids(`${organization}/${name}:1.0`)).toEqual([]);
      expect(await ids(`${organization}/tools/${name}:1.0`)).toEqual(["A"]);
      expect(await ids(`${organization}/tools/${name}:latest`)).toEqual([]);
      expect(await ids(`${organization}/other/${name}:1.0`)).toEqual([]);
    }
    expect(await ids(`${host}/${name}`)).toEqual([]);
    expect(await ids(`elsewhere.example/${name}`)).toEqual([]);
    await sql("update groups set verified = 0 where uid = ?", ours.uid);
    expect(await ids(`${verified}/${name}:latest`)).toEqual([]);
  });

  test("can be a repository whose own name has slashes", async () => {
    const uid = `${ours.uid}/${randomHex(16)}`;
    const name = `${randomName("image")}/debug`;
    await insertRow("repos", { uid, name, create_time: 1, update_time: 1 });
    const row = { uid: `${uid}/${randomHex(16)}`, name: "latest", digest: fakeDigest("now") };
    await insertRow("tags", { ...row, create_time: 1, update_time: 1 });
    await insertFix(ours.uid, name, "A");
    expect(idsIn(await overRest([name]))).toEqual(["A"]);
    expect(idsIn(await overRest([`${ours.uid}/${name}`]))).toEqual(["A"]);
  });
});

/** Version 2 reads SBOMs back. */
import { beforeAll, describe, expect, test } from "vitest";
import {
  createResource,
  fakeDigest,
  newOrganization,
  type Organization,
  randomName,
} from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { newRepoIn, putSbom } from "../images/stored_images.ts";
import { cycloneDxDocument, spdxDocument } from "./documents.ts";

let organization: Organization;
let repos: string[];
const text = JSON.stringify(spdxDocument());

beforeAll(async () => {
  organization = await newOrganization();
  const { token } = organization.owner;
  const group = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
    name: randomName("team"),
  });
  repos = [
    await newRepoIn(organization),
    (await createResource(`/registry/v2/repos/${group.uid}`, token, { name: "app" })).uid,
  ];
  await putSbom(organization, repos[0] ?? "", fakeDigest("1"), text);
  await putSbom(organization, repos[0] ?? "", fakeDigest("2"), cycloneDxDocument());
  await putSbom(organization, repos[1] ?? "", fakeDigest("1"), cycloneDxDocument());
});

const get = (path: string, token = organization.owner.token) =>
  callRest(`/registry/v2/sboms${path}`, { token });

const listed = async (query: Record<string, string>) => {
  const { status, body } = await get(`?${new URLSearchParams(query)}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};

const all = () => ({ "uidp.descendants_of": organization.uid });

test("the full view of an SBOM has its document byte for byte, and the basic view has none", async () => {
  const { sboms } = await listed({
    "uidp.children_of": repos[0] ?? "",
    digest: fakeDigest("1"),
  });
  const [{ uid }] = sboms;
  const basic = await get(`/${uid}`);
  expect(basic.body).toEqual(sboms[0]);
  expect(basic.body).not.toHaveProperty("content");
  const full = await get(`/${uid}?view=SBOM_VIEW_FULL`);
  const { content, ...rest } = full.body;
  expect(Buffer.from(content, "base64").toString()).toBe(text);
  expect(rest).toEqual(basic.body);
});

describe("a list of SBOMs", () => {
  test("contains those of the scope and of the digest, without contents", async () => {
    expect(await listed(all())).toMatchObject({ totalCount: "3" });
    const ofOne = await listed({ ...all(), digest: fakeDigest("1") });
    expect(ofOne.sboms.map(({ uid }: { uid: string }) => uid.slice(0, -17)).sort()).toEqual(
      [...repos].sort(),
    );
    expect(JSON.stringify(ofOne)).not.toContain('content":');
    const ofRepo = await listed({ "uidp.children_of": repos[1] ?? "" });
    expect(ofRepo.sboms).toHaveLength(1);
    expect(await listed({ "uidp.children_of": organization.uid })).toEqual({
      totalCount: "0",
      skipped: 0,
    });
  });

  test("is in the order of the last content, page by page", async () => {
    const order = { ...all(), order_by: "update_time desc", page_size: "2" };
    const first = await listed(order);
    const second = await listed({ ...order, page_token: first.nextPageToken });
    const times = [...first.sboms, ...second.sboms].map(({ updateTime }) => updateTime);
    expect(times).toHaveLength(3);
    expect(times).toEqual(times.toSorted().reverse());
    expect(second.nextPageToken ?? "").toBe("");
  });
});

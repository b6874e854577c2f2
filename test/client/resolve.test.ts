/** The client asks the platform's registry what a pull of a tag gets. */
import { createClient, NotFound, PermissionDenied, Unreachable } from "platform-api/client";
import { beforeAll, expect, test } from "vitest";
import { movedAgo } from "../distribution/moved_ago.ts";
import { registryToken } from "../distribution/stored_images.ts";
import { createResource, newOrganization, type Organization } from "../world/personas.ts";
import { baseUrl } from "../world/platform.ts";
import { jsonAnswer, startScriptedServer } from "./scripted_server.ts";

let organization: Organization;
let repo = "";
let [older, newest] = ["", ""];

beforeAll(async () => {
  organization = await newOrganization();
  const { uid, owner } = organization;
  const path = `/registry/v2/repos/${uid}`;
  ({ uid: repo } = await createResource(path, owner.token, { name: "app" }));
  const moved = (hours: number) => movedAgo(organization, "app", "latest", hours);
  [older, newest] = [await moved(30), await moved(2)];
});

const resolve = async (tag: string, identity = organization.owner.uid) => {
  const token = await registryToken(identity);
  const client = createClient({ url: baseUrl(), registry: { token: async () => token } });
  return client.resolve(`${organization.uid}/app:${tag}`);
};

test("a tag without a rule has its own digest, and one with a rule also that of the pull", async () => {
  expect(await resolve("latest")).toEqual({ digest: newest });
  const { uid } = await createResource(`/registry/v2/tagRules/${repo}`, organization.owner.token, {
    ...{ name: "cooldown", includeTags: ["latest"], serve: { cooldownHours: 24 } },
  });
  expect(uid).toContain(repo);
  expect(await resolve("latest")).toEqual({ digest: older, tagDigest: newest });
});

test("a refusal has the text of the registry, although a HEAD has none", async () => {
  await expect(resolve("none")).rejects.toThrow(NotFound);
  await expect(resolve("none")).rejects.toMatchObject({
    ...{ reason: "MANIFEST_UNKNOWN", message: expect.stringContaining("no manifest none") },
  });
  const stranger = (await newOrganization()).owner.uid;
  await expect(resolve("latest", stranger)).rejects.toThrow(PermissionDenied);
});

test("asks once with HEAD, and refuses a response without a digest", async () => {
  await using server = await startScriptedServer(jsonAnswer(200, {}));
  const client = createClient({
    url: server.url,
    registry: { token: async () => "t" },
    retries: 0,
  });
  await expect(client.resolve("a/b")).rejects.toThrow(Unreachable);
  expect(server.received.map(({ method, path }) => [method, path])).toEqual([
    ["HEAD", "/v2/a/b/manifests/latest"],
  ]);
});

test("takes a new token after a 401 to the HEAD, and then asks again", async () => {
  const digest = `sha256:${"0".repeat(64)}`;
  await using server = await startScriptedServer(
    jsonAnswer(401, {}),
    jsonAnswer(200, {}, { "docker-content-digest": digest }),
  );
  const token = async ({ refused }: { refused?: string | undefined }) => (refused ? "new" : "old");
  const client = createClient({ url: server.url, registry: { token } });
  expect(await client.resolve("a/b")).toEqual({ digest });
  expect(server.received.map(({ method, headers }) => [method, headers.authorization])).toEqual([
    ["HEAD", "Bearer old"],
    ["HEAD", "Bearer new"],
  ]);
});

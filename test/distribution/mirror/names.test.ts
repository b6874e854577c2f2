/** Clients that are configured to ask a mirror for the images of another registry. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { outcome } from "../client.ts";
import { startOwnRegistry } from "../own_registry.ts";
import { startUpstream, type TestUpstream } from "./upstream.ts";

let upstream: TestUpstream;
let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
let token = "";
let apiToken = "";
let organization = "";

beforeAll(async () => {
  upstream = await startUpstream();
  const mirrors = {
    "docker.io": { repository: "mirrors/open", anonymous: true },
    [upstream.host]: { repository: "mirrors/closed" },
  };
  registry = await startOwnRegistry({ bindings: { MIRRORS: JSON.stringify(mirrors) } });
  const owner = await registry.newOwner();
  [token, apiToken, organization] = [owner.registryToken, owner.apiToken, owner.uid];
  await registry.run("update groups set name = 'mirrors' where uid = ?", owner.uid);
  const whole = { address: upstream.host, prefix: true };
  for (const name of ["open", "closed", "team"]) await makeRepo(organization, name, whole);
  await makeRepo(organization, "open/private", undefined);
});
afterAll(async () => {
  await Promise.all([upstream.close(), registry.stop()]);
});
beforeEach(() => upstream.forget());

async function post(path: string, body: object): Promise<{ uid: string }> {
  const answer = await fetch(`${registry.origin}/registry/v2/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiToken}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as { uid: string };
}

const makeRepo = (parent: string, name: string, mirrored: object | undefined) =>
  post(`repos/${parent}`, { name, upstream: mirrored });

const get = (path: string, bearer?: string) =>
  fetch(`${registry.origin}${path}`, {
    headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
  });

/** Gets a token for a scope, as clients do after a challenge. */
async function tokenFor(scope: string, login?: string): Promise<string> {
  const query = new URLSearchParams({ service: "localhost:8787", scope });
  const answer = await get(`/token?${query}`, login);
  const { token: given = "" } = (await answer.json()) as { token?: string };
  return given;
}

test("containerd with a host in hosts.toml sends ns, and gets the image of the mirror", async () => {
  const image = upstream.put("library/nginx", "latest");
  const path = `/v2/library/nginx/manifests/latest?ns=${upstream.host}`;
  const challenged = await get(path);
  expect(challenged.status).toBe(401);
  const challenge = challenged.headers.get("www-authenticate") ?? "";
  expect(challenge).toContain('scope="repository:mirrors/closed/library/nginx:pull"');
  const scope = "repository:library/nginx:pull repository:mirrors/closed/library/nginx:pull";
  const pulled = await get(path, await tokenFor(scope, token));
  expect([pulled.status, await pulled.text()]).toEqual([200, image.text]);
  const layer = JSON.parse(image.text).layers[0].digest;
  const blob = await get(`/v2/library/nginx/blobs/${layer}?ns=${upstream.host}`, token);
  expect(blob.status).toBe(200);
});

test("containerd with override_path gets the mirror in the path, whatever ns says", async () => {
  const image = upstream.put("library/path", "1");
  const path = `/v2/mirrors/team/library/path/manifests/1?ns=${upstream.host}`;
  const answer = await get(path, token);
  expect([answer.status, await answer.text()]).toEqual([200, image.text]);
  const [{ n } = { n: 0 }] = await registry.run<{ n: number }>(
    "select count(*) as n from repos where name = 'team/library/path'",
  );
  expect(n).toBe(1);
});

test("Docker with registry-mirrors gets a token without a login, and pulls", async () => {
  const image = upstream.put("library/redis", "7");
  expect((await get("/v2/")).status).toBe(401);
  const anonymous = await tokenFor("repository:library/redis:pull");
  const answer = await get("/v2/library/redis/manifests/7", anonymous);
  expect([answer.status, await answer.text()]).toEqual([200, image.text]);
  expect(upstream.asked("manifests")).toEqual(["GET /v2/library/redis/manifests/7"]);
});

test("a mirror that is not open wants a login", async () => {
  upstream.put("library/closed", "1");
  const path = `/v2/library/closed/manifests/1?ns=${upstream.host}`;
  const anonymous = await tokenFor("repository:library/closed:pull");
  expect(await outcome(get(path, anonymous))).toEqual([401, "UNAUTHORIZED"]);
  expect(upstream.asked()).toEqual([]);
});

test("an open mirror counts all who pull without a role as one identity, and shows them nothing of its rules", async () => {
  upstream.put("library/strange", "1");
  const { registryToken } = await registry.newOwner();
  const strangers = [await tokenFor("repository:library/strange:pull"), registryToken];
  for (const by of strangers)
    expect((await get("/v2/library/strange/manifests/1", by)).status).toBe(200);
  const pulls = () =>
    registry.run(
      `select identity, identity_name, pulls from tag_pulls
       join repo_storage on repo_storage.id = repo_id join repos on repos.uid = repo_storage.uid
       where repos.name = 'open/library/strange'`,
    );
  await expect.poll(pulls).toEqual([{ identity: "", identity_name: "", pulls: 2 }]);
  const made = await post(`tagRules/${organization}`, {
    ...{ name: "secret", includeTags: ["1"], serve: { cooldownHours: 24 } },
  });
  for (const by of strangers) {
    const refused = await get("/v2/library/strange/manifests/1", by);
    const { errors } = (await refused.json()) as { errors: { message: string }[] };
    expect([refused.status, errors[0]?.message]).toEqual([404, "a rule holds 1 back"]);
  }
  const answer = await get("/v2/library/strange/manifests/1", token);
  expect(await answer.text()).toContain("secret");
  await registry.run("delete from tag_rules where uid = ?", made.uid);
});

test("a repository below an open mirror that is not mirrored is not open", async () => {
  const anonymous = await tokenFor("repository:mirrors/open/private:pull");
  expect(await outcome(get("/v2/mirrors/open/private/manifests/1", anonymous))).toEqual([
    401,
    "UNAUTHORIZED",
  ]);
});

test("another mirror below an open one is not open", async () => {
  upstream.put("library/other", "1");
  const other = { address: `${upstream.host}/library`, prefix: true, images: [] };
  await makeRepo(organization, "open/other", other);
  await makeRepo(organization, "open/single", { address: `${upstream.host}/library/other` });
  upstream.forget();
  for (const name of ["open/other/other", "open/single"]) {
    const anonymous = await tokenFor(`repository:mirrors/${name}:pull`);
    const path = `/v2/mirrors/${name}/manifests/1`;
    expect(await outcome(get(path, anonymous))).toEqual([401, "UNAUTHORIZED"]);
    expect(upstream.asked()).toEqual([]);
    expect((await get(path, token)).status).toBe(200);
    expect(await outcome(get(path, anonymous))).toEqual([401, "UNAUTHORIZED"]);
    upstream.forget();
  }
});

test("a name of an organization here is not that of one at the upstream", async () => {
  upstream.put("mirrors/team", "1");
  expect(await outcome(get("/v2/mirrors/none/manifests/1", token))).toEqual([404, "NAME_UNKNOWN"]);
  // With the host, the client means the image there.
  const path = `/v2/mirrors/team/manifests/1?ns=${upstream.host}`;
  expect((await get(path, token)).status).toBe(200);
});

test("a host without a mirror is ignored", async () => {
  const answer = await get("/v2/mirrors/none/manifests/1?ns=quay.io", token);
  expect(await outcome(answer)).toEqual([404, "NAME_UNKNOWN"]);
});

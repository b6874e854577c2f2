/** The setting that makes a repository a mirror: addresses, hosts and passwords. */
import { expect, test } from "vitest";
import {
  addressBelow,
  readAddress,
  textOfAddress,
} from "../../../src/registry/repos/upstream_address.ts";
import { createResource, newIdentity, newOrganization, randomName } from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";

test.each([
  ["nginx", "docker.io/library/nginx"],
  ["bitnami/redis", "docker.io/bitnami/redis"],
  ["docker.io/nginx", "docker.io/library/nginx"],
  ["index.docker.io/library/nginx", "docker.io/library/nginx"],
  ["registry-1.docker.io/library/nginx", "docker.io/library/nginx"],
  ["GHCR.io/acme/app", "ghcr.io/acme/app"],
  ["localhost:5000/app", "localhost:5000/app"],
  ["registry.example.com:8443/team/app/web", "registry.example.com:8443/team/app/web"],
])("the address %s is %s", (text, whole) => {
  const address = readAddress(text, false);
  expect(address && textOfAddress(address)).toBe(whole);
});

test.each([
  "docker.io",
  "docker.io/",
  "ghcr.io/Acme/app",
  "a..b/c//d",
  "user@ghcr.io/app",
  "host:99999999/app",
])("%s is not the address of an image", (text) => expect(readAddress(text, false)).toBeUndefined());

test("an image below a prefix is at the upstream where Docker Hub has it", () => {
  const hub = readAddress("docker.io", true);
  const team = readAddress("quay.io/team", true);
  expect(hub && textOfAddress(addressBelow(hub, "nginx"))).toBe("docker.io/library/nginx");
  expect(hub && textOfAddress(addressBelow(hub, "bitnami/redis"))).toBe("docker.io/bitnami/redis");
  expect(team && textOfAddress(addressBelow(team, "app"))).toBe("quay.io/team/app");
});

const setUp = async (body: object) => {
  const { uid, owner } = await newOrganization("upstream");
  const answer = await callRest(`/registry/v2/repos/${uid}`, {
    ...{ token: owner.token, body: { name: randomName("mirror"), ...body } },
  });
  return { organization: uid, token: owner.token, answer };
};

test.each([
  ["10.0.0.1/app", "must not have a private or special address"],
  ["169.254.169.254/latest", "must not have a private or special address"],
  ["[::1]/app", "upstream.address"],
  ["registry.internal/app", "must have a host name from the public DNS"],
  ["registry.corp:5000/app", "must have a host name from the public DNS"],
  ["registry.example.com:22/app", "must use port 443, or 1024 and above"],
  ["localhost:8787/app", "must not be a host of the platform"],
])("the upstream %s is refused", async (address, reason) => {
  const { answer } = await setUp({ upstream: { address } });
  expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(reason)]);
});

test.each([
  [{ address: "docker.io" }, "must be an image such as"],
  [{ address: "nginx", images: ["library/*"] }, "can be set only with upstream.prefix"],
  [{ address: "nginx", username: "me" }, "upstream.password must be sent"],
  [{ address: "nginx", password: "secret" }, "upstream.username must be set"],
  [{ address: "nginx", revalidateAfter: "-1s" }, "must be between 0s and 2592000s"],
])("%o is refused", async (upstream, reason) => {
  const { answer } = await setUp({ upstream });
  expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(reason)]);
});

test("a schedule needs an upstream, and a mirror is not synced", async () => {
  const alone = await setUp({ upstreamSchedule: { tags: ["latest"] } });
  expect(alone.answer.body.message).toContain("upstream_schedule needs an upstream");
  const { organization, token } = alone;
  const source = await createResource(`/registry/v2/repos/${organization}`, token, {
    name: "source",
  });
  const both = await callRest(`/registry/v2/repos/${organization}`, {
    token,
    body: { name: "both", upstream: { address: "nginx" }, sync_config: { source: source.uid } },
  });
  expect(both.body.message).toContain("upstream and sync_config cannot be set");
});

const passwordOf = async (uid: string) => {
  const [row] = await sql<{ upstream_password: string }>(
    "select upstream_password from repos where uid = ?",
    uid,
  );
  return row?.upstream_password ?? "";
};

test("a password is stored encrypted, and no answer and no event contains it", async () => {
  const password = "hunter2-hunter2";
  const { token, answer } = await setUp({
    upstream: { address: "nginx", username: "me", password },
  });
  const { uid } = answer.body;
  const got = await callRest(`/registry/v2/repos/${uid}`, { token });
  const listed = await callRest(`/registry/v2/repos?uidp.descendants_of=${uid.slice(0, 40)}`, {
    token,
  });
  const changed = await callRest(`/registry/v2/repos/${uid}`, {
    ...{ method: "PATCH", token, body: { description: "mine" } },
  });
  const events = await callRest(`/events/v2/events?uidp.descendants_of=${uid.slice(0, 40)}`, {
    token,
  });
  for (const { body } of [answer, got, listed, changed, events]) {
    expect(JSON.stringify(body)).not.toContain(password);
  }
  expect(got.body.upstream).toMatchObject({ address: "docker.io/library/nginx", username: "me" });
  expect(await passwordOf(uid)).toMatch(/^ey/);
});

test("a password stays with its host and its user", async () => {
  const upstream = { address: "ghcr.io/acme/app", username: "me" };
  const { token, answer } = await setUp({ upstream: { ...upstream, password: "secret" } });
  const { uid } = answer.body;
  const change = (next: object | null) =>
    callRest(`/registry/v2/repos/${uid}`, { method: "PATCH", token, body: { upstream: next } });
  const first = await passwordOf(uid);
  expect((await change({ ...upstream, address: "ghcr.io/acme/other" })).status).toBe(200);
  expect(await passwordOf(uid)).toBe(first);
  expect((await change({ ...upstream, address: "quay.io/acme/other" })).status).toBe(400);
  expect((await change({ ...upstream, username: "you" })).status).toBe(400);
  expect((await change({ address: "quay.io/acme/other", username: "" })).status).toBe(200);
  expect(await passwordOf(uid)).toBe("");
  expect((await change({ ...upstream, password: "next" })).status).toBe(200);
  expect((await change(null)).body.upstream).toBeUndefined();
  expect(await passwordOf(uid)).toBe("");
});

test("only those who may change the repository set its upstream", async () => {
  const { organization, token, answer } = await setUp({});
  const { uid, token: viewer } = await newIdentity(
    { uid: organization, owner: { token } } as Awaited<ReturnType<typeof newOrganization>>,
    "viewer",
  );
  expect(uid).not.toBe("");
  const body = { upstream: { address: "nginx" } };
  const path = `/registry/v2/repos/${answer.body.uid}`;
  expect((await callRest(path, { method: "PATCH", token: viewer, body })).status).toBe(403);
});

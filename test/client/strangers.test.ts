/** What the client makes of answers that no platform gives. */
import { createClient, Internal, InvalidArgument, Unreachable } from "platform-api/client";
import { expect, test } from "vitest";
import { html, json, type Scene, startServer } from "./scripted_server.ts";

const done = json(200, { uid: "u" });
const get = (url: string) => createClient({ url }).repos.get("u");

test.each([
  ["HTML", html(200)],
  ["HTML with 403", html(403)],
  ["JSON that is no status", json(404, { error: "not here" })],
  ["a list", json(200, [])],
  ["nothing", (response: Parameters<Scene>[0]) => response.end()],
])("an answer that is %s is Unreachable", async (_, scene) => {
  await using server = await startServer(scene);
  const call = get(server.url);
  await expect(call).rejects.toBeInstanceOf(Unreachable);
  await expect(call).rejects.toThrow(`${server.url} answered`);
});

test.each([413, 414])("what is too long for whoever is in front, %i, says so", async (code) => {
  await using server = await startServer(html(code));
  const call = get(server.url);
  await expect(call).rejects.toBeInstanceOf(InvalidArgument);
  await expect(call).rejects.toThrow(/answered 41[34] .*: send less at once$/);
});

test("an empty answer is one, where the call answers nothing", async () => {
  await using server = await startServer((response) => response.end());
  expect(await createClient({ url: server.url }).repos.delete("u")).toBeUndefined();
});

test.each([301, 302, 307, 308])(
  "a redirect with %i is an error and is not followed",
  async (code) => {
    await using other = await startServer(done);
    await using server = await startServer((response) =>
      response.writeHead(code, { location: `${other.url}/repos` }).end(),
    );
    const client = createClient({ url: server.url, token: async () => "secret" });
    await expect(client.repos.get("u")).rejects.toThrow(`redirects to ${other.url}`);
    await expect(client.repos.create("p", { name: "n" })).rejects.toBeInstanceOf(Unreachable);
    expect(other.received).toHaveLength(0);
  },
);

test("an error without a message has the status in its message", async () => {
  await using server = await startServer(json(500, { code: 13, message: "" }));
  const call = get(server.url);
  await expect(call).rejects.toBeInstanceOf(Internal);
  await expect(call).rejects.toThrow(`${server.url} answered 500`);
});

/** The client and responses that no platform sends. */
import { createClient, Internal, InvalidArgument, Unreachable } from "platform-api/client";
import { expect, test } from "vitest";
import {
  htmlAnswer,
  jsonAnswer,
  type ScriptedAnswer,
  startScriptedServer,
} from "./scripted_server.ts";

const done = jsonAnswer(200, { uid: "u" });
const get = (url: string) => createClient({ url }).repos.get("u");

test.each([
  ["HTML", htmlAnswer(200)],
  ["HTML with 403", htmlAnswer(403)],
  ["JSON that is not a status", jsonAnswer(404, { error: "not here" })],
  ["a list", jsonAnswer(200, [])],
  ["nothing", (response: Parameters<ScriptedAnswer>[0]) => response.end()],
])("a response that is %s is Unreachable", async (_, scene) => {
  await using server = await startScriptedServer(scene);
  const call = get(server.url);
  await expect(call).rejects.toBeInstanceOf(Unreachable);
  await expect(call).rejects.toThrow(`${server.url} returned`);
});

test.each([413, 414])(
  "a request that is too long for a proxy, %i, has an error that says so",
  async (code) => {
    await using server = await startScriptedServer(htmlAnswer(code));
    const call = get(server.url);
    await expect(call).rejects.toBeInstanceOf(InvalidArgument);
    await expect(call).rejects.toThrow(/returned 41[34] .*: send less data in one call$/);
  },
);

test("an empty response is accepted if the call returns nothing", async () => {
  await using server = await startScriptedServer((response) => response.end());
  expect(await createClient({ url: server.url }).repos.delete("u")).toBeUndefined();
});

test.each([301, 302, 307, 308])(
  "a redirect with %i is an error and is not followed",
  async (code) => {
    await using other = await startScriptedServer(done);
    await using server = await startScriptedServer((response) =>
      response.writeHead(code, { location: `${other.url}/repos` }).end(),
    );
    const client = createClient({ url: server.url, token: async () => "secret" });
    await expect(client.repos.get("u")).rejects.toThrow(`redirects to ${other.url}`);
    await expect(client.repos.create("p", { name: "n" })).rejects.toBeInstanceOf(Unreachable);
    expect(other.received).toHaveLength(0);
  },
);

test("an error without a message has the status in its message", async () => {
  await using server = await startScriptedServer(jsonAnswer(500, { code: 13, message: "" }));
  const call = get(server.url);
  await expect(call).rejects.toBeInstanceOf(Internal);
  await expect(call).rejects.toThrow(`${server.url} returned 500`);
});

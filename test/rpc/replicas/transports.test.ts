/** Bookmarks over every transport, between the hosts, and through the tools of MCP. */
import { type Client, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { createClient as createPlatformClient, staticToken } from "platform-api/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ReposService } from "../../../schema/gen/platform/registry/v2/repos_pb.js";
import { fakeDigest, randomName } from "../../world/personas.ts";
import { registryAudience, tokenFor } from "../../world/platform.ts";
import {
  type LaggingOrganization,
  type LaggingPlatform,
  startLaggingPlatform,
} from "./lagging_platform.ts";

const header = "x-d1-bookmark";

let platform: LaggingPlatform;
let organization: LaggingOrganization;
let token: string;
beforeAll(async () => {
  platform = await startLaggingPlatform();
  organization = await platform.newOrganization();
  ({ token } = organization.owner);
  await platform.beat();
  await platform.database.replicate();
});
afterAll(() => platform?.stop());

const lastStart = () => platform.database.served.at(0);

const newRepo = async () =>
  platform.done(`/registry/v2/repos/${organization.uid}`, {
    ...{ token, body: { name: randomName("repo") } },
  });

const fetchHere: typeof fetch = (input, init) => {
  platform.database.served.length = 0;
  return platform.fetchPlatform(input as string, init);
};

const transports: Record<string, (options: { baseUrl: string }) => Transport> = {
  Connect: (options) =>
    createConnectTransport({ ...options, fetch: fetchHere, useBinaryFormat: true }),
  "Connect with JSON": (options) => createConnectTransport({ ...options, fetch: fetchHere }),
  "gRPC-Web": (options) => createGrpcWebTransport({ ...options, fetch: fetchHere }),
};

describe.each(Object.keys(transports))("over %s", (name) => {
  let repos: Client<typeof ReposService>;
  beforeAll(() => {
    const transport = transports[name]?.({ baseUrl: platform.env.BASE_URL });
    if (!transport) throw new Error(`no transport ${name}`);
    repos = createClient(ReposService, transport);
  });
  const withToken = (bookmark = "") => ({
    authorization: `Bearer ${token}`,
    ...(bookmark === "" ? {} : { [header]: bookmark }),
  });

  test("a read with the bookmark of a write sees the write, and the next page is as new", async () => {
    let bookmark = "";
    const onHeader = (headers: Headers) => {
      bookmark = headers.get(header) ?? "";
    };
    const parent = organization.uid;
    for (const suffix of ["a", "b"]) {
      const repo = { name: `${name.toLowerCase().replaceAll(" ", "-")}-${suffix}` };
      await repos.createRepo({ parent, repo }, { headers: withToken(), onHeader });
    }
    const uidp = { descendantsOf: parent };
    const orderBy = "create_time desc";
    const first = await repos.listRepos(
      { uidp, orderBy, pageSize: 1 },
      { headers: withToken(bookmark), onHeader },
    );
    expect(first.repos[0]?.name).toMatch(/-b$/);
    expect(lastStart()?.at).toBe("replica");
    expect(first.nextPageToken.split("~")[1]).toBe(bookmark);
    const second = await repos.listRepos(
      { uidp, orderBy, pageSize: 1, pageToken: first.nextPageToken },
      { headers: withToken() },
    );
    expect(second.repos[0]?.name).toMatch(/-a$/);
  });

  test("an error has a bookmark, too", async () => {
    const uid = `${organization.uid}/${"0".repeat(16)}`;
    const error = await repos.getRepo({ uid }, { headers: withToken() }).catch((thrown) => thrown);
    // Connect shows the metadata of an error both as its headers and as its trailers.
    expect(new Set(error.metadata.get(header).split(", ")).size).toBe(1);
    await repos.listRepos({}, { headers: withToken(error.metadata.get(header)) });
    expect(lastStart()?.at).toBe("replica");
  });
});

test("the client sends bookmarks between the API and the registry by itself", async () => {
  const { body: repo } = await newRepo();
  await platform.database.replicate();
  const { name } = (await platform.done(`/registry/v2/repos/${repo.uid}`, { token })).body;
  const { REGISTRY_URL } = platform.env;
  const client = createPlatformClient({
    ...{ url: platform.env.BASE_URL, fetch: fetchHere, token: staticToken(token) },
    registry: {
      url: REGISTRY_URL,
      token: staticToken(await tokenFor(organization.owner.uid, { aud: registryAudience })),
    },
  });
  expect(await client.tags.list({ descendantsOf: repo.uid }).all()).toEqual([]);
  expect(lastStart()?.at).toBe("replica");
  await client.tags.create(repo.uid, { name: "latest", digest: fakeDigest("1") });
  expect(await client.tags.list({ descendantsOf: repo.uid }).all()).toHaveLength(1);
  expect(lastStart()?.at).toBe("replica");
  await platform.done(`/registry/v2/tags/${repo.uid}`, {
    ...{ token, body: { name: "other", digest: fakeDigest("2") } },
  });
  const image = `${new URL(REGISTRY_URL).host}/${organization.uid}/${name}:other`;
  for await (const record of client.history(image)) expect(record.digest).toBe(fakeDigest("2"));
  expect(lastStart()?.at).toBe("primary");
  expect(await client.tags.list({ descendantsOf: repo.uid }).all()).toHaveLength(2);
  expect(lastStart()?.at).toBe("replica");
});

describe("the registry host", () => {
  const registryCall = async (path: string, method: string, bookmark?: string) =>
    platform.call(`/v2/${path}`, {
      ...{
        method,
        bookmark,
        token: await tokenFor(organization.owner.uid, { aud: registryAudience }),
      },
    });

  test("returns the bookmark of a write, which the API accepts", async () => {
    const { body: repo } = await newRepo();
    await platform.done(`/registry/v2/tags/${repo.uid}`, {
      ...{ token, body: { name: "gone", digest: fakeDigest("1") } },
    });
    await platform.database.replicate();
    const path = `${organization.uid}/${repo.name}/manifests/gone`;
    const deleted = await registryCall(path, "DELETE");
    expect([deleted.status, deleted.bookmark]).toEqual([202, expect.stringMatching(/^[\w-]+$/)]);
    const list = `/registry/v2/tags?uidp.descendantsOf=${repo.uid}`;
    expect((await platform.done(list, { token })).body.tags).toHaveLength(1);
    const { body, served } = await platform.done(list, { token, bookmark: deleted.bookmark });
    expect([body.tags, served[0]?.at]).toEqual([undefined, "replica"]);
  });

  test("reads only from the primary, and returns a bookmark to clients that send one", async () => {
    const without = await registryCall("", "GET");
    expect([without.status, without.bookmark]).toEqual([200, undefined]);
    const answer = await registryCall("", "GET", "primary");
    expect(answer.bookmark).toMatch(/^[\w-]+$/);
    for (const { served } of [without, answer]) expect(served[0]?.start).toBe("first-primary");
  });
});

describe("a tool of MCP", () => {
  const callTool = (bookmark?: string) =>
    platform.call("/mcp", {
      ...{ token, bookmark, headers: { "content-type": "application/json" } },
      body: {
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
        params: { name: "list_repos", arguments: { uidp: { descendantsOf: organization.uid } } },
      },
    });
  /** The batch of the tool. The endpoint itself needs none for a token of the platform. */
  const ofTool = ({ served }: Awaited<ReturnType<typeof callTool>>) => served[0];

  test("reads at the primary, because its client keeps no bookmark", async () => {
    const answer = await callTool();
    expect([answer.status, ofTool(answer)?.start]).toEqual([200, "first-primary"]);
  });

  test("reads near a client that sends a bookmark, and returns the next one", async () => {
    const { bookmark } = await newRepo();
    const answer = await callTool(bookmark);
    expect(ofTool(answer)?.at).toBe("replica");
    const { served } = await callTool(answer.bookmark);
    expect(served[0]?.at).toBe("replica");
  });
});

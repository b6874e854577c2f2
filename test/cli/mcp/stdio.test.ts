/** `platformctl mcp` serves the tools on standard input and output. */
import type { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { beforeAll, describe, expect, test } from "vitest";
import { toolsOf } from "../../../mcp/tools.ts";
import { type Era, eras, listAll, newClient } from "../../mcp/clients.ts";
import { newOrganization, type Organization } from "../../world/personas.ts";
import { tiers } from "../../world/tiers.ts";
import { newStateFolder, platformctl, root } from "../command.ts";

let organization: Organization;
let env: Record<string, string>;
beforeAll(async () => {
  organization = await newOrganization();
  env = { PLATFORM_STATE: await newStateFolder(organization) };
});

async function start(era: Era, ...args: string[]): Promise<Client> {
  const client = newClient(era);
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [`${root}cli/platformctl.js`, "mcp", ...args],
      env: { PATH: process.env.PATH ?? "", XDG_CONFIG_HOME: "/nowhere", ...env },
    }),
  );
  return client;
}

for (const [some, tier] of tiers(Object.keys(eras) as Era[], () => "era"))
  describe.each(some)("a client of %s", tier, (era) => {
    test("lists and calls the tools that only read, with the login of platformctl", async () => {
      const client = await start(era);
      try {
        const names = (await listAll(client)).map(({ name }) => name);
        expect(names).toEqual(toolsOf("read").map(({ name }) => name));
        const uid = organization.uid;
        expect(await client.callTool({ name: "get_group", arguments: { uid } })).toMatchObject({
          structuredContent: { uid, name: organization.name },
        });
        expect(await client.callTool({ name: "get_group", arguments: { uid: "x" } })).toMatchObject(
          {
            isError: true,
            structuredContent: { error: { code: "INVALID_ARGUMENT" } },
          },
        );
        const missing = client.callTool({ name: "delete_group", arguments: { uid } });
        await expect(missing).rejects.toThrow(/There is no tool "delete_group"/);
      } finally {
        await client.close();
      }
    });

    test("has the tools that write with --allow-writes", async () => {
      const client = await start(era, "--allow-writes");
      try {
        const names = (await listAll(client)).map(({ name }) => name);
        expect(names).toEqual(toolsOf("write").map(({ name }) => name));
        const group = { name: `by-mcp-${era}` };
        const given = { parent: organization.uid, group };
        expect(await client.callTool({ name: "create_group", arguments: given })).toMatchObject({
          structuredContent: group,
        });
      } finally {
        await client.close();
      }
    });
  });

const line = (id: number, method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });

test("standard output has one message for each request, and nothing else", async () => {
  const input = [
    "not JSON",
    line(1, "ping"),
    "",
    JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
    line(2, "nothing"),
    `${line(3, "ping")}\r`,
    "x".repeat(300_000),
  ].join("\n");
  const { code, out, err } = await platformctl(["mcp"], { env, input });
  expect([code, err]).toEqual([0, ""]);
  const answers = out
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text));
  expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
    [undefined, -32700],
    [1, undefined],
    [2, -32601],
    [3, undefined],
    [undefined, -32600],
  ]);
});

test("a cancelled call gets no answer, and the others do", async () => {
  const call = { name: "list_groups", arguments: {} };
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
  const input = [line(1, "tools/call", call), JSON.stringify(cancelled), line(2, "ping")].join(
    "\n",
  );
  const { code, out, err } = await platformctl(["mcp"], { env, input });
  expect([code, err]).toEqual([0, ""]);
  const ids = out
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text).id);
  expect(ids).toEqual([2]);
});

test("a call that cannot be sent is an error that a model can read", async () => {
  const client = newClient("2026-07-28");
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [`${root}cli/platformctl.js`, "mcp"],
      env: {
        ...{ PATH: process.env.PATH ?? "", XDG_CONFIG_HOME: "/nowhere", PLATFORM_STATE: "" },
        PLATFORM_STATE: await newStateFolder(organization, { url: "http://127.0.0.1:1" } as object),
      },
    }),
  );
  const result = await client.callTool({ name: "list_groups", arguments: {} });
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^UNAVAILABLE: There was no response from/) }],
  });
  await client.close();
});

test("without a login, the command ends with an error on standard error", async () => {
  const { code, out, err } = await platformctl(["mcp"], {
    env: { PLATFORM_URL: "https://api.example.com" },
  });
  expect([code, out]).toEqual([1, ""]);
  expect(err).toMatch(/You are not logged in to https:\/\/api\.example\.com/);
});

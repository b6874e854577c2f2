/** The waits of `platformctl mcp` for rate limits. */
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { beforeAll, expect, test } from "vitest";
import { rateLimited } from "../../../src/aip/errors.ts";
import { completeError, toStatusResponse } from "../../../src/rpc/status.ts";
import {
  jsonAnswer,
  type ScriptedAnswer,
  startScriptedServer,
} from "../../client/scripted_server.ts";
import { newClient } from "../../mcp/clients.ts";
import { newOrganization, type Organization } from "../../world/personas.ts";
import { newStateFolder, root } from "../command.ts";

let organization: Organization;
beforeAll(async () => {
  organization = await newOrganization();
});

/** The platform's refusal, with this many seconds to wait. */
const limitedFor =
  (retryAfterSeconds: number): ScriptedAnswer =>
  async (response) => {
    const error = rateLimited({ rateClass: "list", holder: "caller", limit: 3, retryAfterSeconds });
    const names = { serviceDomain: "platform.example", vendor: "vendor" };
    const complete = completeError(error, "registry", names, new Headers());
    const { status, headers, body } = toStatusResponse(complete, new Headers());
    response.writeHead(status, Object.fromEntries(headers));
    response.end(await new Response(body).text());
  };

/** Calls a tool of a platform that plays these scenes. */
async function callAgainst(...scenes: ScriptedAnswer[]) {
  await using server = await startScriptedServer(...scenes);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [`${root}cli/platformctl.js`, "mcp"],
    env: {
      PATH: process.env.PATH ?? "",
      XDG_CONFIG_HOME: "/nowhere",
      PLATFORM_STATE: await newStateFolder(organization, { url: server.url }),
    },
    stderr: "pipe",
  });
  let err = "";
  transport.stderr?.on("data", (chunk) => {
    err += chunk;
  });
  const client = newClient("2026-07-28");
  await client.connect(transport);
  const result = await client.callTool({ name: "list_repos", arguments: {} });
  await client.close();
  return { result, err, received: server.received };
}

test("a tool call waits for a rate limit, and shows the wait on standard error", async () => {
  const done = jsonAnswer(200, { repos: [] });
  const { result, err, received } = await callAgainst(limitedFor(1), done);
  expect(result).toMatchObject({ structuredContent: { repos: [] } });
  expect(err).toMatch(/^The platform asks to wait [12] s \(rate limit of list\); waiting…\n$/);
  expect(received).toHaveLength(2);
});

test("a tool call that would wait too long fails with the reason and the seconds", async () => {
  const { result, err, received } = await callAgainst(limitedFor(50));
  expect(result).toMatchObject({
    isError: true,
    content: [
      { text: expect.stringMatching(/^RESOURCE_EXHAUSTED: .*again in 50 s \(reason RATE_LIMITED/) },
    ],
    structuredContent: { error: { code: "RESOURCE_EXHAUSTED", reason: "RATE_LIMITED" } },
  });
  expect(err).toBe("");
  expect(received).toHaveLength(1);
});

/** The official client of MCP, over HTTP. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { baseUrl } from "../world/platform.ts";

/** The revisions of the protocol that a client can begin with. */
export const eras = {
  "2026-07-28": { pin: "2026-07-28" },
  "2025-11-25": "legacy",
} as const;
export type Era = keyof typeof eras;

/** Returns a client that speaks a revision. It declares no capabilities. */
export const newClient = (era: Era) =>
  new Client({ name: "tests", version: "1.0.0" }, { versionNegotiation: { mode: eras[era] } });

/** Connects a client to an endpoint of the platform. */
export async function connect(era: Era, token: string, path = "/mcp"): Promise<Client> {
  const client = newClient(era);
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${baseUrl()}${path}`), { requestInit: { headers } }),
  );
  return client;
}

/** Every tool, from all pages of the list. */
export async function listAll(client: Client) {
  const found = [];
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    found.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

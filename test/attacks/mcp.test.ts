/** Hostile messages to the MCP endpoints get an error, and nothing else happens. */
import { beforeAll, describe, expect, test } from "vitest";
import { newOrganization, type Organization } from "../world/personas.ts";
import { baseUrl, tokenFor } from "../world/platform.ts";

let organization: Organization;
beforeAll(async () => {
  organization = await newOrganization();
});

interface Sent {
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
}

async function send({ path = "/mcp", method = "POST", headers = {}, body }: Sent) {
  const response = await fetch(`${baseUrl()}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${organization.owner.token}`,
      "content-type": "application/json",
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}

const codeOf = (text: string): unknown => (text === "" ? undefined : JSON.parse(text).error?.code);

const modern = "2026-07-28";
const meta = {
  "io.modelcontextprotocol/protocolVersion": modern,
  "io.modelcontextprotocol/clientCapabilities": {},
};
const message = (method: string, params: object = {}, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });
const modernHeaders = (method: string, name?: string) => ({
  "mcp-protocol-version": modern,
  "mcp-method": method,
  ...(name === undefined ? {} : { "mcp-name": name }),
});
const call = (name: unknown, given: unknown) => message("tools/call", { name, arguments: given });
const list = { name: "list_groups", arguments: {}, _meta: meta };

describe("an invalid message is refused", () => {
  test.each<[string, string | Uint8Array<ArrayBuffer>, number]>([
    ["an empty body", "", -32700],
    ["half of a JSON object", '{"jsonrpc": "2.0"', -32700],
    ["a batch", `[${message("ping")}]`, -32600],
    ["a text", '"ping"', -32600],
    ["null", "null", -32600],
    ["no version of JSON-RPC", JSON.stringify({ id: 1, method: "ping" }), -32600],
    ["a method that is an object", JSON.stringify({ jsonrpc: "2.0", id: 1, method: {} }), -32600],
    ["an id that is null", message("ping", {}, null), -32600],
    ["an id that is an object", message("ping", {}, { toString: 1 }), -32600],
    ["an id that is a fraction", message("ping", {}, 1.5), -32600],
    [
      "params that are a list",
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: [] }),
      -32600,
    ],
    ["brackets that never end", "[".repeat(200_000), -32700],
    ["a response", JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} }), -32600],
  ])("%s", async (_, body, code) => {
    const { status, text } = await send({ body });
    expect([status, codeOf(text)]).toEqual([400, code]);
  });

  test("bytes that are not UTF-8 are refused, and so is a body that is too large", async () => {
    expect((await send({ body: new Uint8Array([0x22, 0xff, 0x22]) })).status).toBe(400);
    const { status, text } = await send({ body: message("ping", { a: "x".repeat(300_000) }) });
    expect([status, text]).toEqual([400, expect.stringContaining("at most 262144 bytes")]);
  });

  test("a form is refused, because a page of another origin could send it without a preflight request", async () => {
    const headers = { "content-type": "text/plain" };
    expect((await send({ headers, body: message("ping") })).status).toBe(400);
  });
});

describe("a call without a matching tool gets an error", () => {
  test.each<[string, string, number | undefined, RegExp?]>([
    ["an unknown method", message("resources/list"), -32601],
    ["a method of objects", message("constructor"), -32601],
    ["an unknown tool", call("rm_rf", {}), -32602],
    ["a name that is an object", call({ toString: 1 }, {}), -32602],
    ["a tool of objects", call("__proto__", {}), -32602],
    ["a hidden RPC", call("create_group_invite", {}), -32602],
    ["a tool that writes", call("delete_group", { uid: "x" }), -32602],
    ["arguments that are a list", call("list_groups", []), -32602],
    ["a cursor behind the end", message("tools/list", { cursor: "9999" }), -32602],
    ["a cursor that is a number", message("tools/list", { cursor: 1 }), -32602],
    [
      "a path that leaves its place",
      call("get_group", { uid: "../../iam/v2/roles" }),
      undefined,
      /INVALID_ARGUMENT|NOT_FOUND/,
    ],
    ["a path with a query", call("get_group", { uid: "a?b=c#d" }), undefined, /INVALID_ARGUMENT/],
    [
      "dots as a path",
      call("get_group", { uid: ".." }),
      undefined,
      /must be a string and must not be empty/,
    ],
    [
      "half of a surrogate pair",
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_groups","arguments":{"name":"\\ud800"}}}`,
      undefined,
      /not valid Unicode/,
    ],
    ["NUL", call("list_groups", { name: "\0" }), undefined, /INVALID_ARGUMENT/],
    [
      "a header in a value",
      call("list_groups", { name: "a\r\nx-evil: 1" }),
      undefined,
      /totalCount|INVALID_ARGUMENT/,
    ],
  ])("%s", async (_, body, code, pattern = /"error"/) => {
    const { status, text } = await send({ body });
    expect([status, codeOf(text)]).toEqual([200, code]);
    expect(text).toMatch(pattern);
    expect(text).not.toContain("INTERNAL");
  });
});

describe("headers that disagree with the message are refused", () => {
  const body = message("tools/call", list);
  const right = modernHeaders("tools/call", "list_groups");
  test.each<[string, Record<string, string>, string, number, number | undefined]>([
    ["nothing is wrong", right, body, 200, undefined],
    [
      "a name in Base64",
      { ...right, "mcp-name": `=?base64?${btoa("list_groups")}?=` },
      body,
      200,
      undefined,
    ],
    ["another name", { ...right, "mcp-name": "list_roles" }, body, 400, -32020],
    ["a name in broken Base64", { ...right, "mcp-name": "=?base64?%%?=" }, body, 400, -32020],
    ["another method", { ...right, "mcp-method": "tools/list" }, body, 400, -32020],
    ["no method", { "mcp-protocol-version": modern }, body, 400, -32020],
    ["no version", { "mcp-method": "tools/call", "mcp-name": "list_groups" }, body, 400, -32020],
    ["an earlier version", { ...right, "mcp-protocol-version": "2025-11-25" }, body, 400, -32020],
    ["an unknown version", { ...right, "mcp-protocol-version": "1900-01-01" }, body, 400, -32022],
    [
      "an unknown version in both",
      modernHeaders("ping"),
      message("ping", {
        _meta: { ...meta, "io.modelcontextprotocol/protocolVersion": { toString: 1 } },
      }),
      400,
      -32020,
    ],
    [
      "no capabilities",
      modernHeaders("tools/list"),
      message("tools/list", { _meta: { "io.modelcontextprotocol/protocolVersion": modern } }),
      400,
      -32602,
    ],
    ["an unknown method", modernHeaders("ping"), message("ping", { _meta: meta }), 404, -32601],
  ])("%s", async (_, headers, sent, status, code) => {
    const answer = await send({ headers, body: sent });
    expect([answer.status, codeOf(answer.text)]).toEqual([status, code]);
  });
});

describe("a caller who has no right to call is refused before the message is read", () => {
  const challenge =
    /^Bearer error="invalid_token", error_description="[^"]+", scope="read", resource_metadata="http:\/\/localhost:8787\/\.well-known\/oauth-protected-resource\/mcp"$/;
  test.each([
    ["no token", () => ""],
    ["another scheme", () => "Basic YTpi"],
    ["garbage", () => "Bearer garbage"],
    ["an expired token", async () => `Bearer ${await tokenFor(organization.owner.uid, {}, -60)}`],
    [
      "a token for another audience",
      async () =>
        `Bearer ${await tokenFor(organization.owner.uid, { aud: "https://other.example" })}`,
    ],
  ])("%s", async (_, header) => {
    for (const body of [message("initialize"), message("tools/list"), "{"]) {
      const { status, headers } = await send({ headers: { authorization: await header() }, body });
      expect([status, headers.get("www-authenticate")]).toEqual([
        401,
        expect.stringMatching(challenge),
      ]);
    }
  });

  test("a token in the query is not read", async () => {
    const path = `/mcp?access_token=${organization.owner.token}`;
    expect(
      (await send({ path, headers: { authorization: "" }, body: message("ping") })).status,
    ).toBe(401);
  });

  test.each(["http://evil.example:8787", "http://localhost.evil.example", "null", "file://"])(
    "a page of %s cannot call a platform on this machine",
    async (origin) => {
      const { status } = await send({ headers: { origin }, body: message("ping") });
      expect(status).toBe(403);
    },
  );

  test.each(["http://localhost:6274", "http://127.0.0.1", "http://[::1]:1"])(
    "a page of %s can call it",
    async (origin) => {
      const { status, headers } = await send({ headers: { origin }, body: message("ping") });
      expect([status, headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
    },
  );
});

test("other methods and paths are refused", async () => {
  for (const method of ["GET", "DELETE", "PUT"]) {
    const { status, headers } = await send({ method });
    expect([status, headers.get("allow")]).toEqual([405, "POST"]);
  }
  for (const path of ["/mcp/", "/mcp/read", "/mcp/write/", "/mcpx"])
    expect([path, (await send({ path, body: message("ping") })).status]).toEqual([path, 404]);
});

test("a preflight request allows the headers of the protocol", async () => {
  const { status, headers } = await send({
    method: "OPTIONS",
    headers: { origin: "http://localhost:6274", "access-control-request-method": "POST" },
  });
  expect(status).toBe(204);
  expect(headers.get("access-control-allow-headers")).toMatch(
    /MCP-Protocol-Version.*Mcp-Method.*Mcp-Name/,
  );
});

test("a notification is accepted with an empty response, and no session starts", async () => {
  const body = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
  expect(await send({ body })).toMatchObject({ status: 202, text: "" });
  const asked = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: {} };
  const { headers, text } = await send({ body: message("initialize", asked) });
  expect(headers.get("mcp-session-id")).toBeNull();
  expect(JSON.parse(text).result.protocolVersion).toBe("2025-11-25");
});

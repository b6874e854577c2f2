import { request as httpRequest } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { isAboutRequest } from "../world/log_lines.ts";
import { startOwnPlatform } from "../world/own_platform.ts";
import { newOrganization, type Organization } from "../world/personas.ts";
import { type Answer, baseUrl, callRest, sql } from "../world/platform.ts";

const limit = 1536 * 1024;

let organization: Organization;
let path: string;
beforeAll(async () => {
  organization = await newOrganization();
  path = `/registry/v2/repos/${organization.uid}`;
});

const send = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
  callRest(path, { method: "POST", token: organization.owner.token, body, headers });

/** Sends a body in chunks, without a content-length. */
function chunked(body: Buffer): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${organization.owner.token}` };
    const sent = httpRequest(`${baseUrl()}${path}`, { method: "POST", headers }, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      response.on("error", reject);
    });
    sent.on("error", reject);
    for (let at = 0; at < body.length; at += 65_536) sent.write(body.subarray(at, at + 65_536));
    sent.end();
  });
}

/** The JSON of a repository with that name, of exactly that many bytes. */
function padded(name: string, bytes: number): string {
  const json = JSON.stringify({ name, unknown: "" });
  return JSON.stringify({ name, unknown: "x".repeat(bytes - json.length) });
}

const names = async () => {
  const rows = await sql<{ name: string }>(
    "select name from repos where parent = ? order by name",
    organization.uid,
  );
  return rows.map((row) => row.name);
};

function expectRefused({ status, body }: Answer, field: string) {
  expect([status, body.code]).toEqual([400, 3]);
  expect(body.details[0].reason).toBe("INVALID_ARGUMENT");
  expect(body.details[1].fieldViolations[0].field).toBe(field);
}

describe("a body of 1.5 MiB", () => {
  test("is read, and one byte more is rejected", async () => {
    expect((await send(padded("just", limit))).status).toBe(200);
    const more = await send(padded("more", limit + 1));
    expectRefused(more, "body");
    expect(more.body.message).toContain(String(limit));
    expect(await names()).not.toContain("more");
  });

  test("is read in chunks without a content-length, and one byte more is rejected", async () => {
    const just = await chunked(Buffer.from(padded("chunked", limit)));
    expect(just.status).toBe(200);
    const more = await chunked(Buffer.from(padded("chunked-more", limit + 1)));
    expect(more.status).toBe(400);
    expect(JSON.parse(more.text).details[1].fieldViolations[0].field).toBe("body");
    expect(await names()).not.toContain("chunked-more");
  });
});

describe("an unreadable body is rejected, and nothing is written", () => {
  test.each([
    ["half an object", '{"name":"half"'],
    ["two objects", '{"name":"two"}{}'],
    ["a trailing comma", '{"name":"comma",}'],
    ["single quotes", "{'name':'q'}"],
    ["a text", '"name"'],
    ["a number", "1"],
    ["null", "null"],
    ["a list", '[{"name":"list"}]'],
    ["a form", "name=form"],
    ["NaN", '{"name":NaN}'],
    ["a NUL", "\u0000"],
    ["lists in lists", `${"[".repeat(300_000)}${"]".repeat(300_000)}`],
    ["objects in objects, never closed", '{"a":'.repeat(100_000)],
  ])("%s", async (_, body) => {
    const before = await names();
    expectRefused(await send(body), "body");
    expect(await names()).toEqual(before);
  });

  test.each(["{}", "null", '{"roleBindings":[]}', '"a"', "[1]", "[null]", "["])(
    "%s is not a list, but the body is a list",
    async (body) => {
      const batch = `/iam/v1/rolebindings/batch/${organization.uid}`;
      const answer = await callRest(batch, {
        method: "POST",
        token: organization.owner.token,
        body,
      });
      const field = /^\[./.test(body) ? "role_bindings" : "body";
      expect(answer.status).toBe(400);
      expect(answer.body.details[1].fieldViolations[0].field).toContain(field);
    },
  );

  test.each([
    ["a lone byte", [0xff]],
    ["a cut sequence", [0xe2, 0x82]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["a surrogate", [0xed, 0xa0, 0x80]],
    ["UTF-16", [...Buffer.from('{"name":"wide"}', "utf16le"), 0xff]],
  ])("%s is not UTF-8", async (_, bytes) => {
    expectRefused(
      await send(new Uint8Array([...Buffer.from('{"name":"'), ...bytes, 34, 125])),
      "body",
    );
  });

  test.each([
    ["a number for a text", '{"name":1}', "name"],
    ["an object for a text", '{"name":{}}', "name"],
    ["a list for a text", '{"name":["a"]}', "name"],
    ["a text for a list", '{"name":"a","bundles":"base"}', "bundles"],
    ["a number in a list of texts", '{"name":"a","bundles":[1]}', "bundles"],
    ["null in a list", '{"name":"a","bundles":[null]}', "bundles"],
    ["a text for an object", '{"name":"a","customOverlay":"x"}', "custom_overlay"],
    ["a list for an object", '{"name":"a","customOverlay":[]}', "custom_overlay"],
    ["an unknown enum", '{"name":"a","catalogTier":"GOLD"}', "catalog_tier"],
    ["a true enum", '{"name":"a","catalogTier":true}', "catalog_tier"],
    ["half an enum", '{"name":"a","catalogTier":1.5}', "catalog_tier"],
    [
      "a list for a map",
      '{"name":"a","customOverlay":{"environment":[]}}',
      "custom_overlay.environment",
    ],
    [
      "a number in a map",
      '{"name":"a","customOverlay":{"environment":{"A":1}}}',
      "custom_overlay.environment",
    ],
    [
      "too large a number",
      '{"name":"a","customOverlay":{"accounts":{"groups":[{"groupname":"g","gid":4294967296}]}}}',
      "custom_overlay.accounts.groups[0].gid",
    ],
    [
      "a deep list for a text",
      `{"description":${"[".repeat(50_000)}${"]".repeat(50_000)},"name":"a"}`,
      "description",
    ],
  ])("%s names the field", async (_, body, field) => {
    const before = await names();
    const { status, body: answer } = await send(body);
    expect([status, answer.code]).toEqual([400, 3]);
    const violationField = answer.details[1].fieldViolations[0].field;
    expect(violationField).toBe(field);
    expect(answer.message.length).toBeLessThan(600);
    expect(await names()).toEqual(before);
  });
});

test.each([
  ["/iam/v1/group_invites", { singleUse: true, single_use: true }, "single_use"],
  ["/registry/v2/repos", { catalogTier: "FREE", catalog_tier: "FREE" }, "catalog_tier"],
  ["/iam/v2/accountAssociations", { google: { projectId: "a", project_id: "a" } }, "project_id"],
])("a POST to %s of %j is rejected: a field in both its spellings", async (at, more, field) => {
  const body = { name: "twice", ...more };
  const answer = await callRest(`${at}/${organization.uid}`, { ...organization.owner, body });
  expectRefused(answer, field);
  expect(answer.body.message).toContain(`${field} is given twice`);
});

describe("a body is read", () => {
  test.each([
    ["without a content-type", {}],
    ["as a text", { "content-type": "text/plain" }],
    ["as a form", { "content-type": "application/x-www-form-urlencoded" }],
    ["as JSON in a charset", { "content-type": "application/json; charset=utf-8" }],
    ["as a text that is not a media type", { "content-type": "///" }],
  ] as [string, Record<string, string>][])("%s", async (title, headers) => {
    const name = title.replace(/[^a-z]+/g, "-").toLowerCase();
    const { status, body } = await send(JSON.stringify({ name: `r${name}x` }), headers);
    expect([status, body.name]).toEqual([200, `r${name}x`]);
  });

  test("on PATCH too, without a content-type", async () => {
    const { body: repo } = await send('{"name":"patched"}');
    const bytes = new Uint8Array(Buffer.from('{"description":"by bytes"}'));
    const { status, body } = await callRest(`/registry/v2/repos/${repo.uid}`, {
      method: "PATCH",
      token: organization.owner.token,
      body: bytes,
    });
    expect([status, body.description]).toEqual([200, "by bytes"]);
  });

  test("with a byte order mark and white space around it", async () => {
    expect((await send('\ufeff{"name":"marked"}')).status).toBe(200);
    expect((await send(' \r\n\t{"name":"spaced"}\n')).status).toBe(200);
  });

  test("by the last of two keys, in either spelling", async () => {
    const { status, body } = await send('{"name":"first","name":"second"}');
    expect([status, body.name]).toEqual([200, "second"]);
  });

  test("without keys from a prototype", async () => {
    const sent = '{"name":"proto","__proto__":{"description":"x"},"constructor":{"a":1}}';
    const { status, body } = await send(sent);
    expect([status, body.description]).toEqual([200, undefined]);
  });

  test("as an empty object if it is empty", async () => {
    for (const body of ["", " \n "]) {
      expectRefused(await send(body), "name");
    }
    const patched = await callRest(`/iam/v2/groups/${organization.uid}`, {
      method: "PATCH",
      token: organization.owner.token,
      body: "",
    });
    expect([patched.status, patched.body.name]).toEqual([200, organization.name]);
  });

  test("and has lower priority than the path if both name the resource", async () => {
    const { body: repo } = await send('{"name":"by-path"}');
    const other = `${organization.uid}/0123456789abcdef`;
    const { body } = await callRest(`/registry/v2/repos/${repo.uid}`, {
      method: "PATCH",
      token: organization.owner.token,
      body: { uid: other, description: "d" },
    });
    expect([body.uid, body.name, body.description]).toEqual([repo.uid, "by-path", "d"]);
  });
});

test("a path that is not percent-encoded UTF-8 is rejected by the name of its variable", async () => {
  for (const bad of ["%zz", "%", "%ff", "%c3%28"]) {
    const answer = await callRest(`/registry/v2/repos/${bad}`, { token: organization.owner.token });
    expectRefused(answer, "uid");
  }
});

test("a client that disconnects during its request causes no error in the platform's log", async () => {
  const logged: string[] = [];
  const { origin, stop } = await startOwnPlatform({ log: (message) => logged.push(message) });
  const headers = { "content-type": "application/json", "content-length": "1000" };
  const request = httpRequest(`${origin}/platform.ping.v2.PingService/Ping`, {
    method: "POST",
    headers,
  });
  request.on("error", () => undefined).write("{");
  await pause(500);
  request.destroy();
  await pause(500);
  await stop();
  expect(logged.filter((message) => !isAboutRequest(message))).toEqual([]);
});

/** Answers that come before the whole body has arrived, over a socket of workerd. */
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { begin, type Target } from "../distribution/client.ts";
import { startOwnRegistry } from "../distribution/own_registry.ts";
import { tiers } from "../world/tiers.ts";

const bodyBytes = 24 * 1024 * 1024;

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
let target: Target;
beforeAll(async () => {
  registry = await startOwnRegistry({ bindings: { MAX_BODY_BYTES: "1000000" } });
  target = await registry.newTarget();
});
afterAll(() => registry.stop());

/** Sends all of a body before it reads anything. Returns the status line. */
async function sendWhole(method: string, path: string, fields: string[]): Promise<string> {
  const { port, host } = new URL(registry.origin);
  const socket = connect({ port: Number(port), host: "127.0.0.1" }).pause();
  const isChunked = fields.includes("transfer-encoding: chunked");
  const all = [`host: ${host}`, ...fields, ...(isChunked ? [] : [`content-length: ${bodyBytes}`])];
  const piece = Buffer.alloc(65_536, " ");
  const sent = isChunked
    ? Buffer.concat([Buffer.from("10000\r\n"), piece, Buffer.from("\r\n")])
    : piece;
  const broken = new Promise<never>((_, fail) => {
    socket.on("error", fail).on("close", () => fail(new Error("closed")));
  });
  const send = async () => {
    socket.write(`${method} ${path} HTTP/1.1\r\n${all.join("\r\n")}\r\n\r\n`);
    for (let at = 0; at < bodyBytes; at += piece.length)
      await new Promise<void>((done) => socket.write(sent, () => done()));
    if (isChunked) socket.write("0\r\n\r\n");
    const [heard] = (await once(socket.resume(), "data")) as [Buffer];
    return heard.toString("latin1").split("\r\n")[0] ?? "";
  };
  return Promise.race([send(), broken]).finally(() => socket.destroy());
}

const chunked = "transfer-encoding: chunked";
const json = "content-type: application/json";
const form = "content-type: application/x-www-form-urlencoded";
const manifest = () => `/v2/${target.name}/manifests/latest`;

const uploads = () => `/v2/${target.name}/blobs/uploads/`;
const later = "content-range: 5-9";

interface Row {
  answer: string;
  method: string;
  path: () => Promise<string> | string;
  fields: string[];
}
const refused = (answer: string, method: string, path: Row["path"], ...fields: string[]): Row => ({
  ...{ answer, method, path, fields },
});
const tooLarge = "413 Payload Too Large";

/** `TOKEN` in a field stands for the token of the target. */
const bearer = "authorization: Bearer TOKEN";

const rows = [
  refused(tooLarge, "PATCH", () => begin(target), bearer),
  refused(tooLarge, "PATCH", () => begin(target), bearer, chunked),
  refused(tooLarge, "PUT", () => begin(target), bearer),
  refused(tooLarge, "PUT", manifest, bearer),
  refused(tooLarge, "PUT", manifest, bearer, chunked),
  refused(tooLarge, "POST", () => "/token", form),
  refused(tooLarge, "POST", () => "/token", form, chunked),
  refused("401 Unauthorized", "PUT", manifest),
  refused("404 Not Found", "PATCH", () => `${uploads()}none`, bearer, chunked),
  refused("416 Range Not Satisfiable", "PATCH", () => begin(target), bearer, chunked, later),
  refused("405 Method Not Allowed", "PUT", () => `/v2/${target.name}/tags/list`, bearer),
  refused("401 Unauthorized", "POST", () => "/iam/v2/groups", json),
  refused("404 Not Found", "POST", () => "/no/such/path", json, chunked),
];

describe("a client that sends its whole body before it reads gets the answer", () => {
  for (const [some, tier] of tiers(
    rows,
    ({ answer }) => answer,
    ({ fields }) => String(fields.includes(chunked)),
  ))
    test.for(some)(
      "$answer to $method with $fields",
      tier,
      async ({ answer, method, path, fields }) => {
        const all = fields.map((field) => field.replace("TOKEN", target.token));
        for (let tries = 0; tries < 4; tries++)
          expect(await sendWhole(method, await path(), all)).toBe(`HTTP/1.1 ${answer}`);
      },
    );
});

test("a client that waits for 100 Continue gets the answer instead", async () => {
  const { port, host } = new URL(registry.origin);
  const socket = connect({ port: Number(port), host: "127.0.0.1" });
  const fields = [`host: ${host}`, form, "content-length: 9000000", "expect: 100-continue"];
  socket.write(`POST /token HTTP/1.1\r\n${fields.join("\r\n")}\r\n\r\n`);
  const [heard] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  expect(heard.toString("latin1")).toMatch(/^HTTP\/1\.1 413 /);
});

/** A stand-in for Cloudflare's API: answers what wrangler asks and remembers what it was sent. */
import { spawn } from "node:child_process";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

export type Asked = {
  method: string;
  /** Under `/client/v4`, without the query. */
  path: string;
  /** JSON, or the `metadata` part of a form. */
  body: any;
  /** Names of a form's parts. */
  parts: string[];
};

type Answer = { status?: number; result?: unknown; errors?: { code: number; message: string }[] };

/** What a call of this method to a path that fits is answered; the first that fits wins. */
export type Reply = [method: string, path: RegExp, answer: Answer | ((asked: Asked) => Answer)];

export const account = "0123456789abcdef0123456789abcdef";

/** Starts it. `asked` fills up, in order. What no reply fits is refused with code 10000. */
export async function startCloudflare(replies: Reply[]) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const one = await read(request);
    asked.push(one);
    const fits = ([method, path]: Reply) => method === one.method && path.test(one.path);
    const reply = replies.find(fits)?.[2];
    const answer = typeof reply === "function" ? reply(one) : reply;
    const errors = answer
      ? (answer.errors ?? [])
      : [{ code: 10000, message: `the stand-in does not answer ${one.method} ${one.path}` }];
    const success = errors.length === 0;
    response.writeHead(answer?.status ?? (success ? 200 : 400), {
      "content-type": "application/json",
    });
    const { result = null } = answer ?? {};
    response.end(JSON.stringify({ success, errors, messages: [], result }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    asked,
    replies,
    env: {
      CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${port}/client/v4`,
      CLOUDFLARE_API_TOKEN: "a-token",
      CLOUDFLARE_ACCOUNT_ID: account,
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
      CI: "true",
    },
    close: () => server.close(),
  };
}

async function read(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const { method = "", url = "" } = request;
  const path = new URL(url, "http://localhost").pathname.replace("/client/v4", "");
  const type = request.headers["content-type"] ?? "";
  if (!type.startsWith("multipart/form-data")) {
    const body = bytes.length > 0 && type.includes("json") ? JSON.parse(bytes.toString()) : undefined;
    return { method, path, body, parts: [] };
  }
  const form = await new Response(bytes, { headers: { "content-type": type } }).formData();
  const metadata = form.get("metadata");
  const text = metadata instanceof Blob ? await metadata.text() : String(metadata);
  return { method, path, body: JSON.parse(text), parts: [...form.keys()] };
}

/** Runs a program of cli. */
export async function runProgram(name: string, args: string[], env: Record<string, string>) {
  const program = fileURLToPath(new URL(`../../cli/${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, ["--no-warnings", program, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, SIGNING_KEYS: "", PAGE_TOKEN_KEYS: "", ...env },
  });
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (err += text));
  const code = await new Promise((resolve) => child.on("close", resolve));
  return { code, out, err };
}

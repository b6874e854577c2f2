/** A stand-in for Cloudflare's API. It answers wrangler and records what wrangler sends. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { queue } from "../../schema/deployment/workers.ts";

/** One call. `path` does not contain `/client/v4/accounts/<account>` or the query. */
export type ApiCall = {
  method: string;
  path: string;
  /** The JSON body, or the `metadata` part of a form. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape
  body: any;
};

export type ApiAnswer = {
  status?: number;
  result?: unknown;
  error?: { code: number; message: string };
};

/** Responses to calls with a method and a matching path. The first match wins. */
export type ApiReply = [
  method: string,
  path: RegExp,
  answer: ApiAnswer | ((asked: ApiCall) => ApiAnswer),
];

const account = "0123456789abcdef0123456789abcdef";

/** Starts the server. `asked` records the calls in order. A call without a match fails with code 7003. */
export async function startCloudflare(replies: ApiReply[]) {
  const asked: ApiCall[] = [];
  const server = createServer(async (request, response) => {
    const { one, bytes } = await read(request);
    const uploaded = /^\/upload\/(.+)$/.exec(one.path);
    if (uploaded?.[1]) {
      uploads.set(uploaded[1], bytes.toString());
      const etag = createHash("md5").update(bytes).digest("hex");
      return response.writeHead(200, { etag: `"${etag}"` }).end();
    }
    asked.push(one);
    const {
      status,
      result = null,
      error,
    } = answerOf([...replies, ...databases, ...queues, files], one);
    response.writeHead(status ?? (error ? 400 : 200), { "content-type": "application/json" });
    const errors = error ? [error] : [];
    response.end(JSON.stringify({ success: !error, errors, messages: [], result }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const uploads = new Map<string, string>();
  const made = new Map<string, { name: string; sqlite: DatabaseSync }>();
  const databases = databaseReplies(made, uploads, origin);
  const queues = queueReplies();
  return {
    asked,
    /** The databases of the account, by id. */
    databases: made,
    env: {
      CLOUDFLARE_API_BASE_URL: `${origin}/client/v4`,
      CLOUDFLARE_API_TOKEN: "a-token",
      CLOUDFLARE_ACCOUNT_ID: account,
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
      CI: "true",
    },
    close: () => server.close(),
  };
}

/** The endpoint where wrangler lists the files of a Worker. It reports that it has all of them already. */
const files: ApiReply = [
  "POST",
  /\/assets-upload-session$/,
  { result: { jwt: `${btoa("{}")}.${btoa("{}")}.signature`, buckets: [] } },
];

/** The queues of the account. There is none at first. */
function queueReplies(): ApiReply[] {
  const made: object[] = [];
  const create = (): ApiAnswer => {
    made.push({ queue_name: queue.name, queue_id: "1".repeat(32), consumers: [], producers: [] });
    return { result: made[0] };
  };
  const buckets = new Set<string>();
  const createBucket = ({ body }: ApiCall): ApiAnswer => {
    if (buckets.has(body.name)) {
      return { status: 409, error: { code: 10004, message: "The bucket already exists" } };
    }
    buckets.add(body.name);
    return { result: {} };
  };
  return [
    ["GET", /^\/queues$/, () => ({ result: made })],
    ["POST", /^\/queues$/, create],
    ["GET", /^\/queues\/[^/]+$/, () => ({ result: made[0] })],
    ["GET", /^\/queues\/[^/]+\/consumers$/, { result: [] }],
    ["POST", /^\/queues\/[^/]+\/consumers$/, { result: { consumer_id: "c" } }],
    ["PUT", /\/schedules$/, { result: { schedules: [] } }],
    ["POST", /^\/r2\/buckets$/, createBucket],
    ["GET", /^\/r2\/buckets\/[^/]+\/lifecycle$/, { result: { rules: [] } }],
    ["PUT", /^\/r2\/buckets\/[^/]+\/lifecycle$/, { result: {} }],
    ["GET", /^\/r2\/buckets\/[^/]+$/, ({ path }) => ({ result: { name: path.split("/").at(-1) } })],
  ];
}

/** The paths of the files in the newest upload of a Worker. */
export const uploadedFiles = (asked: ApiCall[], worker: string): string[] =>
  Object.keys(
    asked.findLast(({ path }) => path.endsWith(`/${worker}/assets-upload-session`))?.body
      .manifest ?? {},
  );

function answerOf(replies: ApiReply[], one: ApiCall): ApiAnswer {
  const reply = replies.find(([method, path]) => method === one.method && path.test(one.path))?.[2];
  if (typeof reply === "function") return reply(one);
  const message = `the stand-in does not answer ${one.method} ${one.path}`;
  return reply ?? { error: { code: 7003, message } };
}

async function read(request: IncomingMessage): Promise<{ one: ApiCall; bytes: Buffer }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const { method = "", url = "", headers } = request;
  const { pathname } = new URL(url, "http://localhost");
  const path = pathname.replace(`/client/v4/accounts/${account}`, "");
  const type = headers["content-type"] ?? "";
  const text = type.startsWith("multipart/form-data") ? await metadataIn(bytes, type) : `${bytes}`;
  // wrangler creates a bucket without naming the type of its JSON.
  const isJson = type.includes("json") || type.startsWith("multipart") || /^\{.*\}$/s.test(text);
  const body = isJson ? JSON.parse(text) : undefined;
  return { one: { method, path, body }, bytes };
}

async function metadataIn(bytes: Buffer, type: string): Promise<string> {
  const body = new Uint8Array(bytes);
  const form = await new Response(body, { headers: { "content-type": type } }).formData();
  const metadata = form.get("metadata");
  return typeof metadata === "string" ? metadata : ((await metadata?.text()) ?? "{}");
}

/**
 * D1, with a real SQLite for each database. It supports queries, and imports of whole files that succeed or
 * fail as a whole.
 */
function databaseReplies(
  made: Map<string, { name: string; sqlite: DatabaseSync }>,
  uploads: Map<string, string>,
  origin: string,
): ApiReply[] {
  const sqliteOf = ({ path }: ApiCall) => {
    const found = made.get(path.split("/")[3] ?? "");
    if (!found) throw new Error(`no database ${path}`);
    return found.sqlite;
  };
  const list = () => [...made].map(([uuid, { name }]) => ({ uuid, name, version: "production" }));
  const importing = (asked: ApiCall): ApiAnswer => {
    const { action, etag, filename } = asked.body;
    if (action === "init") {
      return { result: { success: true, upload_url: `${origin}/upload/${etag}`, filename: etag } };
    }
    return {
      result: {
        success: true,
        messages: [],
        ...ingest(sqliteOf(asked), uploads.get(filename) ?? ""),
      },
    };
  };
  return [
    ["GET", /^\/d1\/database$/, () => ({ result: list() })],
    [
      "POST",
      /^\/d1\/database$/,
      ({ body: { name } }) => {
        const uuid = crypto.randomUUID();
        made.set(uuid, { name, sqlite: new DatabaseSync(":memory:") });
        return { result: { uuid, name } };
      },
    ],
    [
      "GET",
      /^\/d1\/database\/[^/]+$/,
      ({ path }) => ({ result: list().find(({ uuid }) => path.endsWith(uuid)) }),
    ],
    [
      "DELETE",
      /^\/d1\/database\/[^/]+$/,
      ({ path }) => ({ result: made.delete(path.split("/")[3] ?? "") }),
    ],
    ["POST", /\/query$/, (asked) => ({ result: statements(sqliteOf(asked), asked.body.sql) })],
    ["POST", /\/import$/, importing],
  ];
}

function ingest(sqlite: DatabaseSync, sql: string) {
  try {
    sqlite.exec(`BEGIN;\n${sql}\nCOMMIT;`);
    const meta = { duration: 1, rows_read: 0, rows_written: 0, size_after: 0 };
    return { status: "complete", result: { num_queries: 1, final_bookmark: "b", meta } };
  } catch (error) {
    sqlite.exec("ROLLBACK");
    return { status: "error", errors: [String(error)] };
  }
}

function statements(sqlite: DatabaseSync, sql: string) {
  return sql
    .split(";")
    .map((one) => ({ success: true, results: sqlite.prepare(one).all(), meta: {} }));
}

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runs a program of cli until it exits. */
export async function runProgram(name: string, args: string[], env: Record<string, string>) {
  const program = `${root}cli/${name}.ts`;
  const child = spawn(process.execPath, ["--no-warnings", program, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      // Our modules take most of the time until a mistake is refused. Compiled ones are kept where wrangler's are.
      NODE_COMPILE_CACHE: `${root}node_modules/.cache/node`,
      ...{ SIGNING_KEYS: "", PAGE_TOKEN_KEYS: "", ENCRYPTION_KEYS: "", ...env },
    },
  });
  const texts = [child.stdout, child.stderr].map(async (stream) => {
    let text = "";
    for await (const chunk of stream.setEncoding("utf8")) text += chunk;
    return text;
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  const [out = "", err = ""] = await Promise.all(texts);
  return { code, out, err };
}

/**
 * The D1 databases of a running platform, for code in the process of a test. A second Worker runs the statements.
 * Miniflare's own D1 objects block the process at each of them.
 */
import { fileURLToPath } from "node:url";
import type { D1Database, D1Result } from "@cloudflare/workers-types";
import { build } from "esbuild";
import type { V4WorkerOptions } from "miniflare";
import { request } from "undici";
import { databaseThrough } from "../../src/rpc/d1_through.ts";
import type { Work } from "./sql.ts";

/** The name of the Worker. */
export const sqlName = "sql";

/** The source of its module. */
export async function bundleSql(): Promise<string> {
  const entry = fileURLToPath(new URL("sql.ts", import.meta.url));
  const { outputFiles } = await build({ entryPoints: [entry], format: "esm", write: false });
  return outputFiles.map(({ text }) => text).join("");
}

/** The Worker, with the databases of the platform, or the object that has them. */
export const sqlWorker = (
  contents: string,
  { compatibilityDate = "", d1Databases = {} }: V4WorkerOptions,
  durableObjects: V4WorkerOptions["durableObjects"] = {},
): V4WorkerOptions => ({
  ...{ name: sqlName, compatibilityDate, d1Databases, durableObjects },
  modules: [{ type: "ESModule", path: "sql.js", contents }],
  unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
});

type Parameter = Work["queries"][number]["params"][number];

function parameterOf(value: unknown): Parameter {
  if (value instanceof ArrayBuffer) return { base64: Buffer.from(value).toString("base64") };
  if (ArrayBuffer.isView(value)) {
    const { buffer, byteOffset, byteLength } = value;
    return { base64: Buffer.from(buffer, byteOffset, byteLength).toString("base64") };
  }
  if (value === undefined) throw new TypeError("D1 cannot bind undefined");
  return value as Parameter;
}

/** A database of the platform whose Worker for SQL is at that URL. */
export const databaseAt = (url: string, database = "DB"): D1Database =>
  databaseThrough(async (queries) => {
    const work: Work = {
      database,
      queries: queries.map(({ sql, params }) => ({ sql, params: params.map(parameterOf) })),
    };
    const answer = await request(url, { method: "POST", body: JSON.stringify(work) });
    if (answer.statusCode !== 200) throw new Error(await answer.body.text());
    return (await answer.body.json()) as D1Result[];
  });

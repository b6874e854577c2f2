/** Starts the Workers runtime directly, with one Worker. */
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { endProgram, endWithRun } from "../programs.ts";
import { toml } from "./bundles.ts";

/** The program that miniflare runs. */
const workerd = createRequire(createRequire(import.meta.url).resolve("miniflare"))("workerd") as {
  default: string;
};

/** One start of the runtime, until its first response has been read. */
export interface RuntimeStart {
  /** The milliseconds from the spawn to the end of the response. */
  untilAnswer: number;
  /** The milliseconds of processor time, of all threads. */
  processor: number;
}

/** A request that needs no database. */
export interface Probe {
  path: string;
  headers?: Record<string, string>;
}

/** Returns a text for a configuration. */
export const quoteText = (text: string) => JSON.stringify(text);

/**
 * Returns a configuration of workerd with one Worker: its variables, and a binding to a database that does not exist.
 * The module is next to the file. Schema: workerd.capnp of the runtime.
 */
function configText(module: string, vars: Record<string, string>): string {
  const flags = toml.compatibility_flags.map(quoteText).join(", ");
  const bindings = Object.entries(vars).map(
    ([name, text]) => `(name = ${quoteText(name)}, text = ${quoteText(text)})`,
  );
  const database =
    `(name = "DB", wrapped = (moduleName = "cloudflare-internal:d1-api", ` +
    `innerBindings = [(name = "fetcher", service = "nowhere")]))`;
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.js", esModule = embed ${quoteText(basename(module))})],
      compatibilityDate = ${quoteText(toml.compatibility_date)},
      compatibilityFlags = [${flags}],
      bindings = [${[database, ...bindings].join(", ")}],
    )),
    (name = "nowhere", network = (allow = [])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;
}

/** Writes the configuration next to the module and returns its path. */
export async function configure(module: string, vars: Record<string, string>): Promise<string> {
  const path = module.replace(/\.js$/, ".capnp");
  await writeFile(path, configText(module, vars));
  return path;
}

/** A runtime that listens. */
export interface Runtime {
  call(probe: Probe): Promise<{ status: number; text: string }>;
  /** Returns the milliseconds of processor time so far, of all threads. */
  processorTime(): number;
  close(): Promise<void>;
}

/** Starts the runtime and resolves once it listens. */
export async function startRuntime(config: string, flags: string[] = []): Promise<Runtime> {
  const child = spawn(workerd.default, ["serve", "--control-fd=3", ...flags, config], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  endWithRun(child);
  const close = () => endProgram(child, "SIGKILL");
  try {
    const port = await portOf(child);
    return {
      async call({ path, headers = {} }) {
        const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
        return { status: response.status, text: await response.text() };
      },
      processorTime: () => processorTime(child),
      close,
    };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** Starts the runtime, sends it one request, and ends it. Throws an Error if the status is not `expected`. */
export async function measureStart(
  config: string,
  probe: Probe,
  expected: number,
): Promise<RuntimeStart> {
  const begun = performance.now();
  const runtime = await startRuntime(config);
  try {
    const { status, text } = await runtime.call(probe);
    const untilAnswer = performance.now() - begun;
    if (status !== expected) throw new Error(`${config} returned ${status}: ${text}`);
    return { untilAnswer, processor: runtime.processorTime() };
  } finally {
    await runtime.close();
  }
}

/** The runtime reports its port on its control descriptor, in lines of JSON. */
async function portOf(child: ChildProcess): Promise<number> {
  // Descriptor 3 of the spawn above is a pipe.
  const lines = createInterface(child.stdio[3] as Readable);
  for await (const line of lines) {
    const message = JSON.parse(line) as { event: string; port?: number };
    if (message.event === "listen" && message.port !== undefined) return message.port;
  }
  throw new Error("the runtime ended before it listened");
}

/** On Linux only, otherwise NaN. The first number of schedstat is the nanoseconds on a processor. */
function processorTime({ pid }: ChildProcess): number {
  if (process.platform !== "linux") return Number.NaN;
  const tasks = `/proc/${pid}/task`;
  const times = readdirSync(tasks).map((task) =>
    Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]),
  );
  return times.reduce((sum, time) => sum + time, 0) / 1e6;
}

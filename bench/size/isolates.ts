/** Measures how long the isolate of a Worker takes to start in a runtime that is already running. */
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Bundle, toml } from "./bundles.ts";
import type { ProbeByWorker } from "./probes.ts";
import { quoteText, startRuntime } from "./runtime.ts";

/** The milliseconds of the first call of a new isolate and of the next one. */
export interface Isolate {
  first: number;
  second: number;
}

/** The entry of every isolate, because an isolate that is loaded in this way cannot have a D1. */
const entry = `import worker from "./worker.js";
const DB = { withSession: () => ({}) };
export default { fetch: (request, env, context) => worker.fetch(request, { ...env, DB }, context) };`;

/** Loads an isolate for every new `x-isolate`, from the bundle that `x-bundle` names. */
const hostScript = `const loaded = (env, name) => ({
  compatibilityDate: env.DATE,
  compatibilityFlags: env.FLAGS,
  mainModule: "entry.js",
  modules: { "entry.js": env.ENTRY, "worker.js": env["bundle " + name] },
  env: env.VARS,
});
export default {
  fetch(request, env) {
    const isolate = request.headers.get("x-isolate");
    const worker = env.LOADER.get(isolate, () => loaded(env, request.headers.get("x-bundle")));
    return worker.getEntrypoint().fetch(request);
  },
};
`;

async function configure(folder: string, bundles: Bundle[], vars: Record<string, string>) {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "host.js"), hostScript);
  const bindings = [
    `(name = "LOADER", workerLoader = (id = "isolates"))`,
    `(name = "ENTRY", text = ${quoteText(entry)})`,
    `(name = "DATE", text = ${quoteText(toml.compatibility_date)})`,
    `(name = "FLAGS", json = ${quoteText(JSON.stringify(toml.compatibility_flags))})`,
    `(name = "VARS", json = ${quoteText(JSON.stringify(vars))})`,
  ];
  for (const { name, module } of bundles) {
    await copyFile(module, join(folder, `${name}.js`));
    bindings.push(`(name = "bundle ${name}", text = embed ${quoteText(`${name}.js`)})`);
  }
  const path = join(folder, "host.capnp");
  await writeFile(
    path,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "host.js", esModule = embed "host.js")],
    compatibilityDate = ${quoteText(toml.compatibility_date)},
    bindings = [${bindings.join(", ")}],
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`,
  );
  return path;
}

/** Starts isolates of every bundle in turn, `rounds` of each. Throws an Error if one returns an unexpected response. */
export async function startIsolates(
  folder: string,
  bundles: Bundle[],
  { vars, probes }: { vars: Record<string, string>; probes: ProbeByWorker },
  rounds: number,
): Promise<Map<string, Isolate[]>> {
  const runtime = await startRuntime(await configure(folder, bundles, vars), ["--experimental"]);
  const call = async (name: string, isolate: string) => {
    const { path, headers, expected } = probes(name);
    const begun = performance.now();
    const { status, text } = await runtime.call({
      path,
      headers: { ...headers, "x-bundle": name, "x-isolate": isolate },
    });
    const taken = performance.now() - begun;
    if (status !== expected) throw new Error(`an isolate of ${name} returned ${status}: ${text}`);
    return taken;
  };
  const isolates = new Map(bundles.map(({ name }) => [name, [] as Isolate[]]));
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const { name } of bundles) {
        const isolate = `${name} ${round}`;
        const first = await call(name, isolate);
        isolates.get(name)?.push({ first, second: await call(name, isolate) });
      }
    }
    return isolates;
  } finally {
    await runtime.close();
  }
}

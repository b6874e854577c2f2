/**
 * Plays random histories of pushes, pulls, deletions and clean-ups that overlap, and checks the rules that hold after
 * each. `program.ts` writes a history, `clients.ts` sends its requests, `scheduler.ts` decides their order, and
 * `checks.ts` has the rules. They all run in the Worker, around the platform (`worker.ts`). D1 and R2 are the real ones,
 * with a gate before every call (`bindings.ts`).
 *
 * Play 10,000 histories: `MODEL_HISTORIES=10000 npx vitest run test/distribution/model`.
 * Play one again, and print every step: `MODEL_SEED=123 MODEL_HISTORIES=1 npx vitest run test/distribution/model`.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { long, tiers } from "../../world/tiers.ts";
import { startOwnRegistry } from "../own_registry.ts";
import type { Organization } from "./requests.ts";
import { type Asked, modelPath, type Played } from "./worker.ts";

const firstSeed = Number(process.env.MODEL_SEED ?? 1);
const histories = Number(process.env.MODEL_HISTORIES ?? 50);

/** The module around the platform. */
function wrapper(): string {
  const { outputFiles } = buildSync({
    stdin: {
      contents: `import platform from "./platform.js";
        import registry from "../../../src/distribution/worker.ts"; import { modelWorker } from "./worker.ts";
        export default modelWorker(platform, registry);`,
      resolveDir: join(fileURLToPath(import.meta.url), ".."),
      loader: "ts",
    },
    ...{ bundle: true, write: false, format: "esm", target: "es2024" },
    external: ["./platform.js"],
  });
  return outputFiles[0]?.text ?? "";
}

async function startStage() {
  const registry = await startOwnRegistry({
    wrapper: wrapper(),
    // Requests that die here hold memory and open uploads, as they would not in an isolate that has ended.
    bindings: { UPLOAD_MEMORY_BYTES: "1000000000000" },
    log: () => {},
  });
  await registry.run("update quotas set quota_limit = -1 where kind = 'open_uploads'");
  const organizations: [Organization, Organization] = [
    await registry.newOwner(),
    await registry.newOwner(),
  ];
  return { origin: registry.origin, stop: () => registry.stop(), organizations };
}

type Stage = Awaited<ReturnType<typeof startStage>>;

let stage: Stage;
/** An isolate that has played nothing: it remembers no blob of the first one. */
let other: Stage;
beforeAll(async () => {
  stage = await startStage();
  other = await startStage();
});
afterAll(() => Promise.all([stage.stop(), other.stop()]));

async function play(asked: Omit<Asked, "organizations">, on = stage): Promise<Played[]> {
  const body = JSON.stringify({ ...asked, organizations: on.organizations });
  const response = await fetch(`${on.origin}${modelPath}`, { method: "POST", body });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.parse(text);
}

/** The seeds of all histories. The quick tier plays one of ten. */
const seeds = Array.from({ length: histories }, (_, at) => firstSeed + at);

const isVerbose = histories === 1;

for (const [some, tier] of tiers(seeds, (seed) => String(Math.floor(seed / 10))))
  test(`none of ${some.length} histories loses bytes, mixes them up or keeps bytes that no one can reach`, {
    ...tier,
    timeout: 3_600_000,
  }, async () => {
    const played: Played[] = [];
    for (const seed of some) played.push(...(await play({ seed, histories: 1, isVerbose })));
    const broken = played.filter(({ violations }) => violations.length > 0);
    const texts = (isVerbose ? played : broken.slice(0, 3)).map(
      ({ seed, violations, lines }) =>
        `MODEL_SEED=${seed} MODEL_HISTORIES=1\n${[...lines, ...violations].join("\n")}`,
    );
    if (texts.length > 0) console.log(texts.join("\n\n"));
    const wrong = broken.map(({ seed, violations }) => `MODEL_SEED=${seed}: ${violations[0]}`);
    expect(wrong).toEqual([]);
  });

test("the same seed gives the same history", { ...long, timeout: 120_000 }, async () => {
  // No other run has left bytes of these histories.
  const asked = { seed: 900_000_000, histories: 3, isVerbose: true };
  const lines = async (on: Stage) => (await play(asked, on)).flatMap((played) => played.lines);
  expect(await lines(stage)).toEqual(await lines(other));
});

/**
 * `npm run test:mutants`: changes the code in one place, and looks whether a test of the quick tier fails. A change
 * that no test notices is a survivor. The score is the share of the changes that a test notices.
 */

import { globSync, rmSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { newCheckout } from "../journeys/fresh_checkout.ts";
import { randomNumbers } from "../world/random.ts";
import { instrument, type Mutant } from "./instrument.ts";
import { type Reach, readReach, testsOf } from "./reach.ts";
import { type Result, Runs } from "./runs.ts";

const usage = `Usage: npm run test:mutants -- [--sample N] [--seed S] [--files N] [--only TEXT] [--tests TEXT]
                               [--list]

  --sample N   tests N mutants, of each file in proportion. By default all of them, which takes hours
  --seed S     chooses the sample, 1 by default
  --files N    the most test files for one mutant, 25 by default: the nearest of those that reach it
  --only TEXT  only mutants whose FILE:LINE contains the text
  --tests TEXT only test files whose path contains the text, such as those of a folder with unit tests
  --list       prints the mutants, and tests none`;

const code = "src/{auth,matching,outbox,paging,resource,registry/{tags,tag_rules}}/**/*.ts";

/** The rooms whose tests reach that code through one platform, without commands and browsers. */
const rooms = [
  ...["attacks", "auth", "contract", "cost", "distribution", "events", "iam", "issuer"],
  ...["matching", "outbox", "paging", "registry", "resource", "rpc"],
];

const minScore = 85;

/** A mutant whose tests run longer blocks its process. */
const maxSeconds = 300;

/** The time for tests that take so long without a mutant. Another test can use the machine at the same time. */
const secondsFor = (files: string[], reach: Map<string, Reach>): number =>
  files.reduce((sum, file) => sum + 10 * (reach.get(file)?.seconds ?? maxSeconds), 20);

/** Puts all mutants into a checkout, and returns them. */
async function addMutants(root: string): Promise<{ mutants: Mutant[]; text: string }> {
  const mutants: Mutant[] = [];
  let text = "";
  for (const file of globSync(code, { cwd: root }).sort()) {
    const path = join(root, file);
    const switchPath = relative(dirname(path), join(root, "test/mutants/switch.ts"));
    const source = await readFile(path, "utf8");
    const made = instrument(file, source, { firstId: mutants.length, switchPath });
    mutants.push(...made.mutants);
    text += made.code;
    await writeFile(path, made.code);
  }
  return { mutants, text };
}

/** Every so many-th mutant: those of a file stand together, in an order that the seed chooses. */
function sampleOf(mutants: Mutant[], size: number, seed: number): Mutant[] {
  const random = randomNumbers(seed);
  const files = Map.groupBy(mutants, ({ file }) => file);
  const mixed = [...files.values()].flatMap((some) =>
    some
      .map((mutant) => ({ mutant, at: random() }))
      .sort((one, other) => one.at - other.at)
      .map(({ mutant }) => mutant),
  );
  const step = mixed.length / Math.min(size, mixed.length);
  const begin = random() * step;
  return Array.from(
    { length: Math.min(size, mixed.length) },
    (_, at) => mixed[Math.floor(begin + at * step)],
  ).filter((one) => one !== undefined);
}

/** Changes that change nothing, and why. A line of code names its place, as line numbers move. */
type Equivalent = { file: string; code: string; change: string; reason: string };

const isEquivalent = (mutant: Mutant, known: Equivalent[]) =>
  known.some(
    ({ file, code, change }) =>
      file === mutant.file && code === mutant.code && change === mutant.change,
  );

/** Tests these mutants, prints the survivors, and returns how many were killed. */
async function testAll(
  runs: Runs,
  mutants: Mutant[],
  reach: Map<string, Reach>,
  most: number,
): Promise<number> {
  const kills = new Map<string, number>();
  let killed = 0;
  for (const [at, mutant] of mutants.entries()) {
    const files = testsOf(mutant, reach, { kills, most });
    const task = { mutant: String(mutant.id), files };
    const result =
      files.length > 0
        ? await runs.run(task, Math.min(maxSeconds, secondsFor(files, reach)))
        : unreached;
    const { failure, failedFile = "" } = result ?? { failure: "the tests do not end" };
    const place = `${at + 1}/${mutants.length}  ${mutant.file}:${mutant.line}  ${mutant.change}`;
    if (failure === undefined) {
      console.log(`survived ${place}  in ${files.length} test files`);
      continue;
    }
    killed += 1;
    const key = `${mutant.file} ${failedFile}`;
    kills.set(key, (kills.get(key) ?? 0) + 1);
    console.log(`killed   ${place}  by ${failedFile}: ${failure.slice(0, 150)}`);
  }
  return killed;
}

/** The result of a mutant that no test file reaches. */
const unreached: Result = { seconds: 0 };

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      sample: { type: "string" },
      seed: { type: "string", default: "1" },
      files: { type: "string", default: "25" },
      only: { type: "string", default: "" },
      tests: { type: "string", default: "" },
      list: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return console.log(usage);
  const root = await newCheckout();
  const runs = new Runs(root);
  const end = () => {
    runs.stop();
    rmSync(root, { recursive: true, force: true });
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      end();
      process.exit(1);
    });
  }
  try {
    const { mutants, text } = await addMutants(root);
    const equivalent: Equivalent[] = JSON.parse(
      await readFile(join(import.meta.dirname, "equivalent.json"), "utf8"),
    );
    const asked = mutants.filter(
      (one) => `${one.file}:${one.line}`.includes(values.only) && !isEquivalent(one, equivalent),
    );
    const sample = sampleOf(asked, Number(values.sample ?? asked.length), Number(values.seed));
    console.log(`${mutants.length} mutants in all, ${sample.length} of them to test`);
    if (values.list) {
      for (const { file, line, change } of sample) console.log(`${file}:${line}  ${change}`);
      return;
    }
    const files = rooms
      .flatMap((room) => globSync(`test/${room}/**/*.test.ts`, { cwd: root }))
      .filter((file) => file.includes(values.tests));
    const reach = await readReach(runs, { root, files: files.sort(), code: text });
    const red = [...reach].filter(([, { isGreen }]) => !isGreen).map(([file]) => file);
    if (red.length > 0) console.log(`left out, as they fail without a mutant: ${red.join(", ")}`);
    const killed = await testAll(runs, sample, reach, Number(values.files));
    const score = (100 * killed) / sample.length;
    console.log(
      `score ${score.toFixed(1)} %: ${killed} killed, ${sample.length - killed} survived, seed ${values.seed}`,
    );
    if (score < minScore) process.exitCode = 1;
  } finally {
    end();
  }
}

await main();

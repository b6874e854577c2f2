/** `npm run check`: all checks that do not need a running platform. */
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { buildConsole } from "../../console/build.ts";
import { wranglerToml } from "../../schema/deployment/write.ts";
import { buildSite } from "../../site/build.ts";
import { readWranglerToml } from "../cloudflare/wrangler_toml.ts";
import { projectRoot } from "../project.ts";
import { runProcess, runWrangler, withoutColors } from "../wrangler.ts";
import { checkConsole } from "./console.ts";
import { GeneratorSandbox } from "./copy.ts";
import { deploymentBreaches } from "./deployment.ts";
import { docsBreaches, Project } from "./docs.ts";
import { checkFiles, sourceFiles, walled } from "./files.ts";
import { foreignCodeBreaches } from "./foreign_code.ts";
import { factsOf } from "./resource_facts.ts";
import { resourceBreaches } from "./resources.ts";
import { gzipSize, limitOf, sizeBreach } from "./sizes.ts";
import { runSteps, type Step, type StepOutcome } from "./steps.ts";
import { tierBreaches } from "./tiers.ts";
import { triggerBreaches } from "./triggers.ts";

process.env.PATH = join(projectRoot, "node_modules/.bin") + delimiter + process.env.PATH;

const files = sourceFiles(projectRoot);
const toml = readWranglerToml(join(projectRoot, "wrangler.toml"));

/** By default, drizzle-kit looks for its settings only at the top of the project. */
const drizzleConfig = "--config=schema/drizzle.config.ts";

const outcome = (breaches: string[], notes: string[] = []): StepOutcome => ({
  passed: breaches.length === 0,
  text: breaches.join("\n"),
  notes,
});

async function ran(program: string, ...args: string[]): Promise<StepOutcome> {
  const { code, out, err } = await runProcess(program, args, { quiet: true });
  return { passed: code === 0, text: `${out}${err}` };
}

/** Returns the first outcome that failed, otherwise the last one. */
async function inTurn(
  ...outcomes: (() => StepOutcome | Promise<StepOutcome>)[]
): Promise<StepOutcome> {
  let last: StepOutcome = { passed: true };
  for (const next of outcomes) {
    last = await next();
    if (!last.passed) break;
  }
  return last;
}

function namesAndLengths(): StepOutcome {
  const { fail, warn } = checkFiles(projectRoot, files);
  return outcome(
    fail,
    warn.map((line) => `warning: ${line}`),
  );
}

function deployment(): StepOutcome {
  const domains = files.flatMap((path) => /^src\/(\w+)\/worker\.ts$/.exec(path)?.[1] ?? []);
  const text = readFileSync(join(projectRoot, "wrangler.toml"), "utf8");
  const stale = text === wranglerToml() ? [] : ["wrangler.toml is out of date. Run: npm run gen"];
  return outcome([...stale, ...deploymentBreaches(toml, domains)]);
}

async function site(): Promise<StepOutcome> {
  await buildSite();
  return { passed: true };
}

/** Bundles a Worker as a deployment would, and checks its size against its limit. `env` is empty for the top level. */
async function bundle(env: string): Promise<StepOutcome> {
  const { code, out, err } = await runWrangler(
    ["deploy", "--dry-run", "--minify", `--env=${env}`],
    {
      quiet: true,
      env: { CLOUDFLARE_CF_FETCH_ENABLED: "false", CI: "true" },
    },
  );
  const size = gzipSize(withoutColors(out));
  if (code !== 0 || size === undefined) return { passed: false, text: `${out}${err}` };
  const breach = sizeBreach(env, size);
  return outcome(breach ? [breach] : [], [`${size} KiB of gzip, the limit is ${limitOf(env)}`]);
}

/**
 * Generates the missing migration. If drizzle-kit would have to ask a question, it leaves the migration out and still
 * succeeds.
 */
async function migrationsOf(copy: GeneratorSandbox): Promise<StepOutcome> {
  const { text = "" } = await copy.run(
    "drizzle-kit",
    "generate",
    drizzleConfig,
    "--name",
    "missing",
  );
  const advice = "Run: npm run migration -- <verb_noun>, and commit migrations.";
  const { passed } = copy.compare("migrations", "");
  return {
    passed: passed && /No schema changes/.test(text),
    text: `${withoutColors(text)}\n${advice}`,
  };
}

/** It uses one checker. Each additional checker repeats work on shared files, and steps already run in parallel. */
const typesOf = (project: string) => ran("tsc", "-p", project, "--checkers", "1");

function stepsOf(copy: GeneratorSandbox): Step[] {
  return [
    { name: "format and lint", run: () => ran("biome", "check") },
    { name: "types of the Workers", run: () => typesOf("tsconfig.json") },
    { name: "types of the console", run: () => typesOf("console/tsconfig.json") },
    { name: "types of everything else", run: () => typesOf("tsconfig.node.json") },
    {
      name: "imports follow the rules of their folders, without cycles",
      run: () => ran("depcruise", "--config", "cli/check/import_rules.mjs", ...walled),
    },
    { name: "file names and file lengths", run: namesAndLengths },
    {
      name: "prose is plain, spelled right and explains its terms",
      run: () => ran("node", "cli/check/prose/main.ts"),
    },
    {
      name: "documents name only what exists, and list everything",
      run: () => outcome(docsBreaches(new Project(projectRoot, files))),
    },
    {
      name: "libraries, actions and copied protos are pinned, and libraries that fetch get our fetch",
      run: () => outcome(foreignCodeBreaches(projectRoot, files)),
    },
    {
      name: "the quick tier tests every room, and every measure of SECURITY.md",
      run: () => outcome(tierBreaches(projectRoot, files)),
    },
    {
      name: "resources are complete",
      run: async () => outcome(resourceBreaches(await factsOf(projectRoot, files))),
    },
    ...generationSteps(copy),
    { name: "wrangler.toml is up to date, Workers agree, routes match", run: deployment },
    // This comes before the bundles, because they contain the files of the site.
    { name: "the site can be built, and its links are valid", run: site },
    {
      name: "the console imports only what it may, and its first load is within its size limit",
      run: async () => checkConsole(buildConsole("/icon.svg")),
    },
    ...["", ...Object.keys(toml.env)].map((env) => ({
      name: `Worker ${toml.env[env]?.name ?? toml.name} can be deployed and is within its size limit`,
      run: () => bundle(env),
    })),
  ];
}

/** The steps that generate code again in a copy, and compare. */
function generationSteps(copy: GeneratorSandbox): Step[] {
  const regenerate =
    "Run: npm run gen, and commit schema/gen, schema/third_party/buf and client/gen.";
  return [
    {
      name: "generated code is up to date, protos are linted and formatted",
      run: () =>
        inTurn(
          () => copy.run("node", "schema/generate.mjs"),
          () => copy.compare("schema/gen", regenerate),
          () => copy.compare("schema/third_party/buf", regenerate),
          () => copy.compare("client/gen", regenerate),
          () => copy.run("buf", "lint", "schema"),
          () => copy.run("buf", "format", "-d", "--exit-code", "schema/proto"),
        ),
    },
    {
      name: "migrations create the tables and their triggers",
      run: () =>
        inTurn(
          () => ran("drizzle-kit", "check", drizzleConfig),
          () => migrationsOf(copy),
          async () => outcome(await triggerBreaches(projectRoot)),
        ),
    },
  ];
}

async function check(): Promise<string[]> {
  const copy = new GeneratorSandbox();
  try {
    const steps = stepsOf(copy);
    const failed = await runSteps(steps, 3, console.log);
    console.log(`\n${steps.length - failed.length} of ${steps.length} checks passed.`);
    return failed;
  } finally {
    copy.remove();
  }
}

const failed = await check();
for (const name of failed) console.log(`FAILED ${name}`);
process.exitCode = failed.length > 0 ? 1 : 0;

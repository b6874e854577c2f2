/**
 * `npm run deploy`: applies the migrations and then deploys the Workers one by one. It changes nothing until every
 * check that it can make has passed, and it stops at the first failure.
 */

import { readFile } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { bucket, domains, pullQueue, queue } from "../schema/deployment/workers.ts";
import { createBucket } from "./cloudflare/bucket.ts";
import { findMissingKeys, type KeyTarget, keysFor } from "./cloudflare/deploy_keys.ts";
import { applyMigrations } from "./cloudflare/migrate.ts";
import { createQueue } from "./cloudflare/queue.ts";
import { keysOfEnvironment, SecretsFolder } from "./cloudflare/secrets_file.ts";
import { noDatabase, readWranglerToml, type WranglerToml } from "./cloudflare/wrangler_toml.ts";
import { refusedFailure, usageFailure } from "./failure.ts";
import type { Keys } from "./keys.ts";
import { readSecrets, sealingDomains } from "./keys.ts";
import { projectRoot } from "./project.ts";
import { runProgram, type Tools } from "./run_program.ts";
import { here, print } from "./surroundings.ts";

const usageText = `Usage: npm run deploy -- [domain ...] [options]

  domain          Deploy only these Workers, by their names in wrangler.toml (default: all).
  --all-in-one    Deploy the whole platform as one Worker: the one at the top level of wrangler.toml.
  --url URL       Address of the platform with --all-in-one: on workers.dev or on your own domain.
  --keys FILE     Read the keys from the output of \`platformctl keys new\` (default:
                  SIGNING_KEYS, PAGE_TOKEN_KEYS and ENCRYPTION_KEYS of the environment,
                  otherwise the keys that the Workers already have).
  --config FILE   Read this file instead of wrangler.toml.
  --dry-run       Print each command and bundle each Worker, but change nothing.`;

/**
 * These Workers sign tokens, so they come last. By then all other Workers know the new key. Only `events` comes first,
 * because no Worker reads its tokens.
 */
const signers = ["iam", "distribution", "events", "issuer"];

/** This Worker reads the events that all others write, so it must know every form in which they are stored. */
const deployedFirst = "events";

/** Cloudflare refuses a Worker that is bound to a Worker that does not exist, and this one is bound to the others. */
const deployedLast = [...signers, "mcp"];

type Options = { domains: string[]; config: string; url?: string; keys?: string; dryRun: boolean };

type Deployment = Options & Tools;

/** A Worker to deploy, with its options. */
type Target = KeyTarget & { options: string[] };

/** Deploys what the arguments say. Throws a Failure. */
export async function deploy(args: string[], tools: Tools): Promise<void> {
  const options = { ...readArguments(args), ...tools };
  const toml = readWranglerToml(options.config);
  const targets = options.url ? [allInOne(toml, options.url)] : workersOf(toml, options.domains);
  const keys = await readKeys(options);
  requireReady(findPlaceholders(toml, options), options);
  if (keys || !options.dryRun)
    requireReady(await findMissingKeys(targets, keys, options.config, options.run), options);
  await options.buildSite();
  const waiting = await migrate(options, toml, false);
  await createQueuesFirst(options);
  await createBucketFirst(options, targets);
  await deployAll(targets, keys, options);
  if (waiting) await migrateLast(options, toml, targets);
  const url = options.url ?? toml.env.iam?.vars?.BASE_URL ?? "";
  if (!options.dryRun) print(nextSteps(targets, url));
}

/** Throws a NOT_READY Failure if there are obstacles. A dry run only prints them. */
function requireReady(obstacles: string[], { dryRun }: Options): void {
  if (dryRun) for (const line of obstacles) print(`Before you deploy: ${line}`);
  else if (obstacles.length > 0)
    throw refusedFailure(
      "NOT_READY",
      `The platform cannot be deployed yet:\n  ${obstacles.join("\n  ")}`,
    );
}

function readArguments(args: string[]): Options {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        "all-in-one": { type: "boolean" },
        url: { type: "string" },
        keys: { type: "string" },
        config: { type: "string", default: resolve(projectRoot, "wrangler.toml") },
        "dry-run": { type: "boolean", default: false },
      },
    });
    const { url, keys, config } = values;
    if (values["all-in-one"] !== (url === undefined ? undefined : true)) {
      throw new Error("Use --all-in-one and --url together.");
    }
    if (url && positionals.length > 0)
      throw new Error("--all-in-one deploys every domain, so it takes no domain as an argument.");
    return {
      domains: positionals,
      config: resolve(config),
      dryRun: values["dry-run"],
      ...(url ? { url: originOf(url) } : {}),
      ...(keys ? { keys } : {}),
    };
  } catch (error) {
    throw usageFailure(`${error instanceof Error ? error.message : error}\n${usageText}`);
  }
}

function originOf(url: string): string {
  const { protocol, origin, href } = URL.parse(url) ?? {};
  if (protocol !== "https:" || href !== `${origin}/`) {
    throw new Error(`--url must be https:// and a host, without a path. You gave: ${url}`);
  }
  return `${origin}`;
}

/** Returns the Workers of these domains, or all Workers if none is named, in the order of their deployment. */
function workersOf(toml: WranglerToml, named: string[]): Target[] {
  const all = Object.keys(toml.env);
  const unknown = named.filter((name) => !all.includes(name));
  if (unknown.length > 0) {
    throw usageFailure(
      `There is no domain named ${unknown.join(", ")}. The domains are: ${all.join(", ")}.`,
    );
  }
  return all
    .filter((name) => named.length === 0 || named.includes(name))
    .sort((a, b) => deploymentPlace(a) - deploymentPlace(b))
    .map((env) => ({
      name: toml.env[env]?.name ?? env,
      env,
      signs: signers.includes(env),
      seals: sealingDomains.includes(env),
      options: [],
    }));
}

const deploymentPlace = (env: string) => (env === deployedFirst ? -2 : deployedLast.indexOf(env));

function allInOne(toml: WranglerToml, url: string): Target {
  const { host } = new URL(url);
  const vars = ["BASE_URL", "REGISTRY_URL", "ISSUER_URL", "AUDIENCE"].map((key) => `${key}:${url}`);
  const isOurs = !host.endsWith(".workers.dev");
  if (!isOurs && !host.startsWith(`${toml.name}.`)) {
    throw usageFailure(
      `On workers.dev, the address of the Worker is https://${toml.name}.<your subdomain>.workers.dev.`,
    );
  }
  const options = [...vars, `REGISTRY_AUDIENCE:${host}`].flatMap((variable) => ["--var", variable]);
  if (isOurs) options.push("--domain", host);
  return { name: toml.name, env: "", signs: true, seals: true, options };
}

async function readKeys({ keys }: Options): Promise<Keys | undefined> {
  if (!keys) return keysOfEnvironment(here().env);
  const text = await readFile(keys, "utf8").catch((error) => {
    throw usageFailure(`Cannot read ${keys}: ${error.code}`);
  });
  return readSecrets(text, keys);
}

/** The source of wrangler.toml. */
const described = "schema/deployment/workers.ts";

/** Returns a message for each placeholder that is still in wrangler.toml. */
function findPlaceholders(toml: WranglerToml, { config, url }: Options): string[] {
  const file = relative(process.cwd(), config);
  const placeholders = [];
  if (toml.d1_databases?.some(({ database_id }) => database_id === noDatabase)) {
    placeholders.push(
      `${file} does not name a database. Run \`npx wrangler d1 create platform\`, replace ${noDatabase} in ` +
        `${described} with the id that it prints, and run \`npm run gen\`.`,
    );
  }
  const hosts = Object.values(toml.env).map(({ vars }) => vars?.BASE_URL ?? "");
  if (!url && hosts.some((host) => /\bexample\.com$/.test(host))) {
    placeholders.push(
      `${file} still names example.com. Put your own domain in ${described} and run \`npm run gen\`.`,
    );
  }
  return placeholders;
}

/**
 * Each database gets all migrations, because a move between databases needs equal tables. Returns whether some wait until
 * all Workers are deployed.
 */
async function migrate(
  { config, dryRun, run, migrations: folder }: Deployment,
  toml: WranglerToml,
  isDeployed: boolean,
): Promise<boolean> {
  const options = ["--config", config, "--env="];
  let isWaiting = false;
  for (const { binding } of toml.d1_databases ?? []) {
    const command = `d1 execute ${binding} --remote --file <new migrations> ${options.join(" ")}`;
    print(`\n$ wrangler ${command}`);
    if (dryRun) continue;
    const { applied, waiting } = await applyMigrations(options, run, {
      binding,
      isDeployed,
      folder,
    });
    isWaiting ||= waiting.length > 0;
    if (applied.length > 0) print(`Applied: ${applied.join(", ")}`);
    if (waiting.length > 0) print(`After all Workers: ${waiting.join(", ")}`);
    else if (applied.length === 0) print("All migrations are already applied");
  }
  return isWaiting;
}

/** Applies the migrations that take away what older Workers need, if no Worker is older now. */
async function migrateLast(
  options: Deployment,
  toml: WranglerToml,
  targets: Target[],
): Promise<void> {
  const isWhole = options.url !== undefined || targets.length === Object.keys(toml.env).length;
  if (isWhole) await migrate(options, toml, true);
  else print("\nThe last migrations wait for `npm run deploy` of all Workers.");
}

async function createQueuesFirst({ config, dryRun, run }: Deployment): Promise<void> {
  const options = ["--config", config, "--env="];
  for (const { name } of [queue, pullQueue]) {
    print(`\n$ wrangler queues create ${name} ${options.join(" ")}`);
    if (dryRun) continue;
    const isNew = await createQueue(name, options, run);
    print(isNew ? "Created the queue" : "The queue already exists");
  }
}

/** Only the Workers with the registry store blobs. */
async function createBucketFirst(
  { config, dryRun, run }: Deployment,
  targets: Target[],
): Promise<void> {
  if (!targets.some(({ env }) => env === "" || domains[env]?.storesBlobs)) return;
  const options = ["--config", config, "--env="];
  print(`\n$ wrangler r2 bucket create ${bucket.name} ${options.join(" ")}`);
  if (dryRun) return;
  const isNew = await createBucket(bucket.name, options, run);
  print(isNew ? "Created the bucket" : "The bucket already exists");
}

async function deployAll(
  targets: Target[],
  keys: Keys | undefined,
  options: Deployment,
): Promise<void> {
  const folder = new SecretsFolder();
  try {
    for (const [index, target] of targets.entries()) {
      const args = ["deploy", "--minify", "--config", options.config, `--env=${target.env}`];
      args.push(...target.options);
      if (keys) {
        const file = await folder.write(target.name, keysFor(keys, target));
        args.push("--secrets-file", file);
      }
      if (options.dryRun) args.push("--dry-run");
      print(`\n$ wrangler ${args.join(" ")}`);
      const { code } = await options.run(args);
      if (code !== 0) throw deployStopped(targets, index, options);
    }
  } finally {
    await folder.remove();
  }
}

function deployStopped(targets: Target[], index: number, { url }: Options) {
  const names = (list: Target[]) => list.map(({ name }) => name).join(", ") || "none";
  const rest = targets.slice(index).map(({ env }) => env);
  return refusedFailure(
    "DEPLOY",
    `${targets[index]?.name} was not deployed. wrangler printed the reason above.\n` +
      `  deployed      ${names(targets.slice(0, index))}\n` +
      `  not deployed  ${names(targets.slice(index))}\n` +
      (url ? "" : `To continue, run: npm run deploy -- ${rest.join(" ")}`),
  );
}

const nextSteps = (targets: Target[], url: string): string => `
Deployed ${targets.map(({ name }) => name).join(", ")}.
  curl ${url}/ping/v2/ping
If this is the first deployment, continue with: npx platformctl bootstrap --remote --help`;

if (import.meta.main) await runProgram(deploy, usageText);

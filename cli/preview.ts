/**
 * `npm run preview`: deploys the whole platform of this branch to its own address, with its own database. A second run
 * on the same branch keeps the address and the data, and updates the code and the migrations.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { previewName } from "./cloudflare/branch_name.ts";
import { createBucket } from "./cloudflare/bucket.ts";
import { applyMigrations } from "./cloudflare/migrate.ts";
import { keysOfEnvironment, SecretsFolder } from "./cloudflare/secrets_file.ts";
import { readWranglerToml, type WranglerToml } from "./cloudflare/wrangler_toml.ts";
import { refusedFailure, usageFailure } from "./failure.ts";
import type { Keys } from "./keys.ts";
import { completeKeys, newKeys, readSecrets, secretsOf, secretsText } from "./keys.ts";
import { projectRoot } from "./project.ts";
import { runProgram, type Tools } from "./run_program.ts";
import { stateDir } from "./state.ts";
import { here, note, print } from "./surroundings.ts";
import { runProcess, withoutColors } from "./wrangler.ts";

const usageText = `Usage: npm run preview -- [options]

  --name NAME   Name the preview after NAME instead of the git branch.
  --keys FILE   Read the keys from the output of \`platformctl keys new\` (default: SIGNING_KEYS,
                PAGE_TOKEN_KEYS and ENCRYPTION_KEYS of the environment, otherwise keys that are
                created for this preview and kept in .platform).
  --delete      Delete the preview and its database.
  --json        Print only the result, as JSON.`;

/** The platform of a branch. `config` is the configuration file that this program writes for wrangler. */
type PreviewPlace = { name: string; database: string; folder: string; config: string };

type Preview = PreviewPlace & Tools;

type Options = { branch: string; keys?: string; isDelete: boolean; isJson: boolean };

/** A DNS label has at most 63 characters, and the address is `<preview>-<Worker>`. */
const labelLength = 63;

/** Deploys or deletes the preview that the arguments say. Throws a Failure. */
export async function preview(args: string[], tools: Tools): Promise<void> {
  const options = await readArguments(args);
  const toml = readWranglerToml(join(projectRoot, "wrangler.toml"));
  const made = { ...previewOf(options.branch, toml), ...tools };
  await mkdir(made.folder, { recursive: true, mode: 0o700 });
  if (options.isDelete) return remove(made, toml);
  const keys = await keysFor(made, options);
  await made.buildSite();
  const known = await tryReadAddress(made);
  await save(made, toml, {});
  const id = await databaseId(made);
  await save(made, toml, { id });
  await createSharedBucket(made, toml);
  note("migrating…");
  const { waiting } = await applyMigrations(["--config", made.config], made.run);
  const url = await deploy(made, toml, { id, keys, known });
  if (waiting.length > 0)
    await applyMigrations(["--config", made.config], made.run, { isDeployed: true });
  report(made, url, options.isJson);
}

async function readArguments(args: string[]): Promise<Options> {
  try {
    const { values } = parseArgs({
      args,
      options: {
        name: { type: "string" },
        keys: { type: "string" },
        delete: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
      },
    });
    const branch = values.name ?? (await gitBranch());
    const { keys, delete: isDelete, json: isJson } = values;
    return { branch, isDelete, isJson, ...(keys ? { keys } : {}) };
  } catch (error) {
    throw usageFailure(`${error instanceof Error ? error.message : error}\n${usageText}`);
  }
}

async function gitBranch(): Promise<string> {
  const { out } = await runProcess("git", ["branch", "--show-current"], { quiet: true });
  if (out.trim() === "")
    throw new Error("No git branch is checked out. Name the preview with --name.");
  return out.trim();
}

function previewOf(branch: string, toml: WranglerToml): PreviewPlace {
  const name = previewName(branch, labelLength - `-${toml.name}`.length);
  if (!name)
    throw usageFailure(
      `The name ${branch} has no letter or digit. Choose another one with --name.`,
    );
  const folder = join(stateDir(), "previews", name);
  const database = `${toml.name}-preview-${name}`;
  return { name, database, folder, config: join(folder, "wrangler.json") };
}

/** Returns the address that this preview had last time, if it was created on this machine. */
async function tryReadAddress({ config }: Preview): Promise<string | undefined> {
  const text = await readFile(config, "utf8").catch(() => "{}");
  return JSON.parse(text).previews?.vars?.BASE_URL;
}

/**
 * Writes the configuration for wrangler: the top level of wrangler.toml with the database and the address of this
 * preview.
 */
async function save(preview: Preview, toml: WranglerToml, own: { id?: string; url?: string }) {
  // One of them, whatever production has.
  const databases = (toml.d1_databases ?? []).slice(0, 1).map(({ binding }) => ({
    binding,
    database_name: preview.database,
    migrations_dir: join(projectRoot, "migrations"),
    ...(own.id ? { database_id: own.id } : {}),
  }));
  const { name, compatibility_date, compatibility_flags, assets } = toml;
  const { keep_names, upload_source_maps } = toml;
  const config = {
    name,
    compatibility_date,
    compatibility_flags,
    minify: true,
    keep_names,
    upload_source_maps,
    main: join(projectRoot, toml.main),
    d1_databases: databases,
    ...(assets ? { assets: { ...assets, directory: join(projectRoot, assets.directory) } } : {}),
    previews: {
      ...toml.previews,
      vars: { ...toml.previews?.vars, ...(own.url ? addresses(own.url) : {}) },
      d1_databases: databases,
    },
  };
  await writeFile(preview.config, `${JSON.stringify(config, null, 2)}\n`);
}

function addresses(url: string): Record<string, string> {
  const { host } = new URL(url);
  const [BASE_URL, REGISTRY_URL, ISSUER_URL, AUDIENCE] = [url, url, url, url];
  return { BASE_URL, REGISTRY_URL, ISSUER_URL, AUDIENCE, REGISTRY_AUDIENCE: host };
}

/** Runs wrangler on the preview. Throws a Failure with its output. */
async function runPreviewStep(
  args: string[],
  { config, run }: Preview,
  failed: string,
): Promise<string> {
  note(`wrangler ${args.slice(0, 3).join(" ")}…`);
  const how = { quiet: true, env: { CI: "true" } };
  const { code, out, err } = await run([...args, "--config", config], how);
  if (code === 0) return out;
  throw refusedFailure(
    "WRANGLER",
    `${failed}. wrangler says:\n${withoutColors(`${out}${err}`).trim()}`,
  );
}

/** Returns the id of the preview's database and creates the database if necessary. */
async function databaseId(preview: Preview): Promise<string> {
  const database = await findDatabase(preview);
  if (database) return database;
  const create = ["d1", "create", preview.database];
  const out = await runPreviewStep(create, preview, "the database cannot be created");
  const [made] = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(out) ?? [];
  if (made) return made;
  throw refusedFailure(
    "WRANGLER",
    `wrangler did not print the id of ${preview.database}. Run the command again.`,
  );
}

/** In days: how long previews keep their images. */
const imageLifetime = 90;

/**
 * Creates the bucket of all previews, unless the account has it. Nothing deletes the images of a deleted preview one by
 * one, so R2 deletes old ones.
 */
async function createSharedBucket(preview: Preview, { previews }: WranglerToml): Promise<void> {
  for (const { bucket_name: name } of previews?.r2_buckets ?? []) {
    if (!(await createBucket(name, ["--config", preview.config], preview.run))) continue;
    const rule = [name, "old-images", "--expire-days", String(imageLifetime), "--force"];
    await runPreviewStep(
      ["r2", "bucket", "lifecycle", "add", ...rule],
      preview,
      `the bucket ${name} has no rule that deletes old images`,
    );
  }
}

async function findDatabase(preview: Preview): Promise<string | undefined> {
  const out = await runPreviewStep(
    ["d1", "list", "--json"],
    preview,
    "the databases cannot be listed",
  );
  const list = JSON.parse(out.slice(out.indexOf("["))) as { name: string; uuid: string }[];
  return list.find(({ name }) => name === preview.database)?.uuid;
}

/** Returns the keys that the user gave, or the preview's own keys, which are created here and kept. */
async function keysFor({ folder }: PreviewPlace, { keys: file }: Options): Promise<Keys> {
  if (file) return requireCompleteKeys(readSecrets(await readKeys(file), file), file);
  const keysGiven = keysOfEnvironment(here().env);
  if (keysGiven) return requireCompleteKeys(keysGiven, "the environment");
  const own = join(folder, "keys.env");
  const text = await readFile(own, "utf8").catch(() => undefined);
  const secrets = text === undefined ? undefined : readSecrets(text, own);
  const keys = secrets ? completeKeys(secrets) : await newKeys();
  if (keys !== secrets) {
    await writeFile(own, `${secretsText(secretsOf(keys))}\n`, { mode: 0o600, flush: true });
  }
  return keys;
}

async function readKeys(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => {
    throw usageFailure(`Cannot read ${file}.`);
  });
}

/** Keys created for a single run would be lost afterwards, and so would everything that they encrypted. */
function requireCompleteKeys(keys: Keys, from: string): Keys {
  if (keys.encryptionKeys.length > 0) return keys;
  throw usageFailure(
    `ENCRYPTION_KEYS in ${from} is missing. \`platformctl keys complete\` creates one.`,
  );
}

/**
 * Deploys the preview and returns its URL. The Worker needs its own address, which Cloudflare reports only after a
 * deployment. A preview whose address is not yet known is therefore deployed twice.
 */
async function deploy(
  preview: Preview,
  toml: WranglerToml,
  { id, keys, known }: { id: string; keys: Keys; known: string | undefined },
): Promise<string> {
  const folder = new SecretsFolder();
  try {
    const secrets = await folder.write("secrets", keys);
    const args = ["preview", "--name", preview.name, "--json", "--secrets-file", secrets];
    let publicUrl = known ?? "https://preview.invalid";
    for (let attempt = 0; attempt < 2; attempt++) {
      await save(preview, toml, { id, url: publicUrl });
      const out = await runPreviewStep(args, preview, "the preview was not deployed");
      const { preview: made } = JSON.parse(out.slice(out.indexOf("{"))) as {
        preview: { urls?: string[] };
      };
      const [url] = (made.urls ?? []).map((address) => new URL(address).origin);
      if (!url) throw withoutAddress(toml);
      if (url === publicUrl) return url;
      publicUrl = url;
    }
    throw refusedFailure(
      "WRANGLER",
      `The address of the preview changed during the deployment: ${publicUrl}`,
    );
  } finally {
    await folder.remove();
  }
}

const withoutAddress = ({ name }: WranglerToml) =>
  refusedFailure(
    "NO_ADDRESS",
    `The preview has no address, because previews of the Worker ${name} are turned off. Turn on ` +
      `Preview URLs in its settings (Domains & Routes), and run the command again.`,
  );

/** Deletes the preview and then its database. It succeeds if either is already gone. */
async function remove(preview: Preview, toml: WranglerToml): Promise<void> {
  await save(preview, toml, {});
  const { code, out, err } = await preview.run(
    ["preview", "delete", "--name", preview.name, "-y", "--config", preview.config],
    { quiet: true },
  );
  const text = withoutColors(`${out}${err}`).trim();
  // 10007: no such Worker. 10025: no such preview.
  if (code !== 0 && !/\b(10007|10025)\b/.test(text)) {
    throw refusedFailure("WRANGLER", `The preview was not deleted. wrangler says:\n${text}`);
  }
  const id = await findDatabase(preview);
  if (id) {
    await save(preview, toml, { id });
    await runPreviewStep(
      ["d1", "delete", preview.database, "-y"],
      preview,
      "its database was not deleted",
    );
  }
  note(`Deleted the preview ${preview.name} and its database.`);
}

function report({ name, database }: PreviewPlace, url: string, isJson: boolean): void {
  const text = `
Preview   ${url}
Database  ${database}

If this is a new preview, create an organization and its owner:
  npx platformctl bootstrap --remote --database ${database} \\
    --organization acme.example --issuer <issuer of your tokens> --subject <your sub>
Then log in with a token of that issuer:
  PLATFORM_URL=${url} npx platformctl auth login --token-file FILE
To delete it: npm run preview -- --delete`;
  print(isJson ? JSON.stringify({ name, url, database }) : text);
}

if (import.meta.main) await runProgram(preview, usageText);

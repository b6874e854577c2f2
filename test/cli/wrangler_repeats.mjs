/**
 * Loaded into the processes of platformctl (command.ts). It responds to `wrangler d1 execute --command`
 * itself if wrangler has already run the identical command line in this test. Starting wrangler takes a
 * second of CPU time. It passes every other command line to wrangler.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const [, program = "", ...args] = process.argv;
const {
  WRANGLER_REPEATS: folder = "",
  CLOUDFLARE_API_BASE_URL,
  CLOUDFLARE_ACCOUNT_ID,
} = process.env;
const optionOf = (option) => args[args.indexOf(option) + 1] ?? "";

/** Runs the statements of the command on the SQLite file of local D1. */
function runLocally(sql) {
  const place = optionOf("--persist-to");
  const files = readdirSync(place, { recursive: true });
  const file = files.find((name) => /[0-9a-f]{64}\.sqlite$/.test(name)) ?? "";
  const database = new DatabaseSync(join(place, file));
  const answers = sql.split(";\n").map((one) => ({ results: database.prepare(one).all() }));
  database.close();
  return answers;
}

/** Runs the same through the API that wrangler points to. */
async function runRemotely(sql) {
  const path = `accounts/${CLOUDFLARE_ACCOUNT_ID}/d1/database/00000000-0000-0000-0000-000000000000/query`;
  const response = await fetch(`${CLOUDFLARE_API_BASE_URL}/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ sql }),
  });
  return (await response.json()).result;
}

if (program.includes("wrangler-dist") && args.includes("--command")) {
  const mark = join(folder, createHash("sha256").update(JSON.stringify(args)).digest("hex"));
  if (existsSync(mark)) {
    const run = args.includes("--local") ? runLocally : runRemotely;
    process.stdout.write(JSON.stringify(await run(optionOf("--command"))), () => process.exit(0));
    await new Promise(() => {});
  }
  process.on("exit", (code) => code === 0 && writeFileSync(mark, ""));
}

/**
 * `npm run deploy`: the migrations, then one Worker after another. Nothing is deployed before
 * everything that can be checked has been; the first failure ends it.
 */
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { failureOf, failureText, refused, usage } from "./failure.ts";
import { publicHalf, readSecrets, secretsOf } from "./keys.ts";
import type { Keys } from "./state.ts";
import { plain, projectRoot, wrangler } from "./wrangler.ts";
import { noDatabase, readWranglerToml, type WranglerToml } from "./wrangler_toml.ts";

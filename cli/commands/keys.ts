/** `platformctl keys`: creates the secrets of a deployment. It neither stores nor sends them. */
import { type Command, InvalidArgumentError } from "commander";
import { openSource, readAllBytes } from "../import/lines.ts";
import type { Keys } from "../keys.ts";
import {
  completeKeys,
  newKeys,
  readSecrets,
  rotateKeys,
  secretsOf,
  secretsText,
  withoutPrivateKeys,
} from "../keys.ts";
import { addJsonOption, type JsonOption, printAnswer, withExamples } from "./answer.ts";

/** Adds `keys` and its subcommands. */
export function addKeys(program: Command): void {
  const keys = withExamples(
    program
      .command("keys")
      .description(
        "Create the secrets of a deployment: SIGNING_KEYS, PAGE_TOKEN_KEYS and ENCRYPTION_KEYS.",
      ),
    "platformctl keys new > keys.env",
    "platformctl keys rotate --keys keys.env > next.env",
  );
  addJsonOption(
    keys.command("new").description("Print new keys."),
    "platformctl keys new > keys.env",
    "platformctl keys new --json | wrangler secret bulk --env issuer",
  ).action(async (options: JsonOption) => print(options, await newKeys()));
  addKeysFromFile(keys);
}

/** Adds the subcommands that read the keys of a file. */
function addKeysFromFile(keys: Command): void {
  addJsonOption(
    from(
      keys
        .command("rotate")
        .description(
          "Print new keys, followed by the old keys. The platform uses the first key of each kind, and still accepts the others.",
        )
        .option(
          "--keep <n>",
          "Number of old signing keys and of old page token keys to keep. All encryption keys are kept.",
          count,
          1,
        ),
    ),
    "platformctl keys rotate --keys keys.env > next.env",
  ).action(async (options: JsonOption & { keys: string; keep: number }) =>
    print(options, await rotateKeys(await read(options.keys), options.keep)),
  );
  addJsonOption(
    from(
      keys
        .command("complete")
        .description("Print the keys of a file, with a new encryption key if the file has none."),
    ),
    "platformctl keys complete --keys keys.env > next.env",
  ).action(async (options: JsonOption & { keys: string }) =>
    print(options, completeKeys(await read(options.keys))),
  );
  addJsonOption(
    from(
      keys
        .command("public")
        .description(
          "Print the keys for Workers that only check tokens. They do not need the private keys.",
        ),
    ),
    "platformctl keys public --keys keys.env --json | wrangler secret bulk --env registry",
  ).action(async (options: JsonOption & { keys: string }) =>
    print(options, withoutPrivateKeys(await read(options.keys))),
  );
}

const from = (command: Command) =>
  command.requiredOption(
    "--keys <file>",
    "File with the output of `keys new`, or `-` for standard input.",
  );

async function read(file: string): Promise<Keys> {
  const source = await openSource(file);
  const bytes = await readAllBytes(source, 1024 * 1024);
  return readSecrets(bytes.toString("utf8"), source.name);
}

function print(options: JsonOption, keys: Keys): void {
  const secrets = secretsOf(keys);
  printAnswer(options, secrets, secretsText(secrets));
}

function count(value: string): number {
  if (/^\d{1,2}$/.test(value)) return Number(value);
  throw new InvalidArgumentError("It must be a number from 0 to 99.");
}

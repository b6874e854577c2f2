/** Entry of docker-credential-platform: arguments and standard input to credential_helper.ts. */
import { help } from "../credential_helper.ts";
import { everyAccount } from "../credentials.ts";
import { failureOf } from "../failure.ts";
import { openSource, readWhole } from "../import_lines.ts";

const maxInputBytes = 64 * 1024;

try {
  const action = process.argv[2] ?? "";
  const hasInput = ["get", "store", "erase"].includes(action);
  const input = hasInput ? await readWhole(await openSource("-"), maxInputBytes) : "";
  const { out, err, exitCode } = await help(action, input.toString(), await everyAccount());
  if (out) process.stdout.write(`${out}\n`);
  if (err) process.stderr.write(`${err}\n`);
  process.exitCode = exitCode;
} catch (thrown) {
  // Docker shows its user what stands on standard output, and nothing else.
  process.stdout.write(`${failureOf(thrown).message}\n`);
  process.exitCode = 1;
}

/** The entry point of docker-credential-platform. It passes arguments and standard input to credential_helper.ts. */
import { runAction } from "../account/credential_helper.ts";
import { allAccounts } from "../account/credentials.ts";
import { toFailure } from "../failure.ts";
import { openSource, readAllBytes } from "../import/lines.ts";

const maxInputBytes = 64 * 1024;

try {
  const action = process.argv[2] ?? "";
  const hasInput = ["get", "store", "erase"].includes(action);
  const input = hasInput ? await readAllBytes(await openSource("-"), maxInputBytes) : "";
  const { out, err, exitCode } = await runAction(action, input.toString(), await allAccounts());
  if (out) process.stdout.write(`${out}\n`);
  if (err) process.stderr.write(`${err}\n`);
  process.exitCode = exitCode;
} catch (thrown) {
  // Docker shows its user only the text on standard output.
  process.stdout.write(`${toFailure(thrown).message}\n`);
  process.exitCode = 1;
}
